"""Chinese questions: clauses, figures and names by patterns of characters."""
