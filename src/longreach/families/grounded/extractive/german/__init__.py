"""German questions: clauses, figures and names by patterns of word order."""
