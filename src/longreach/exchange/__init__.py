"""Export, import and simulated models."""
