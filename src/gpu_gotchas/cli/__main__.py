"""`python -m gpu_gotchas.cli`, for where no script is installed."""

from __future__ import annotations

import sys

from gpu_gotchas.cli import main

if __name__ == "__main__":
    sys.exit(main())
