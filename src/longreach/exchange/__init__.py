"""Export, import and published figures."""
