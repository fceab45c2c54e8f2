"""Results held against results or rules: compare and gate."""
