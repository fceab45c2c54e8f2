"""Numbers, dates, times, lists and words compared by value."""
