"""From an answer's text to parsed answers."""
