"""`longreach` and `python -m longreach`: the command line. Ctrl-C is one line also while its parts are loaded."""

from __future__ import annotations

import sys

from longreach.errors import INTERRUPTED


def command() -> None:
    """Entry point of the installed command."""
    try:
        from longreach.cli import main
    except KeyboardInterrupt:
        print(f"longreach: {INTERRUPTED}", file=sys.stderr)
        sys.exit(3)
    main()


if __name__ == "__main__":
    command()
