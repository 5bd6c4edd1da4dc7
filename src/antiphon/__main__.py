"""`python -m antiphon` is `antiphon`."""

from __future__ import annotations

import sys

from antiphon.adapters.cli import main

sys.exit(main())
