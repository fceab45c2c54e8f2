"""`decide`: which model, which way of reading, at what cost."""
