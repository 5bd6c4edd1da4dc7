"""What every test shares, and no more: a room's fixtures live in the room's own conftest.py."""

from __future__ import annotations

import hypothesis

# A deadline measures the machine, not the code, and CI has two noisy cores; so does the check
# that examples are made fast.
MACHINE = [hypothesis.HealthCheck.too_slow]
# Every run tries the same examples, so that a change is judged by what it changed; new ones are
# tried by `pytest --hypothesis-profile=exploring`.
hypothesis.settings.register_profile(
    "antiphon", deadline=None, suppress_health_check=MACHINE, derandomize=True
)
hypothesis.settings.register_profile(
    "exploring", deadline=None, suppress_health_check=MACHINE, print_blob=True
)
hypothesis.settings.load_profile("antiphon")
