"""The act of grading: a folder of calls in, verdicts and rows out, and what a judge is worth. It draws nothing."""
