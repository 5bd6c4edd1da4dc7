"""What every test shares, and no more: a room's fixtures live in the room's own conftest.py."""

from __future__ import annotations

import hypothesis

# A deadline measures the machine, not the code, and CI has two noisy cores.
hypothesis.settings.register_profile("antiphon", deadline=None, print_blob=True)
hypothesis.settings.load_profile("antiphon")
