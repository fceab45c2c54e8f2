"""Published benchmarks, one per file: format in, prompt, scorers, settings of the published runs."""
