"""``python -m brade_fast`` is the command ``brade-fast``."""

import sys

from .cli import main

sys.exit(main())
