"""`python -m lightea` is the command `lightea`."""

import sys

from lightea.cli import main

if __name__ == "__main__":
    sys.exit(main())
