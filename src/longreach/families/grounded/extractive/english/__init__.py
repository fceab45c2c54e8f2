"""English questions: a small grammar finds clauses, names and figures in sentences."""
