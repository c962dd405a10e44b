"""``python -m carat`` is the program ``carat``."""

import sys

from ._program import main

sys.exit(main())
