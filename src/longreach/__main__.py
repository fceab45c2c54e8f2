"""`python -m longreach`: the command line."""

from longreach.cli import main

main()
