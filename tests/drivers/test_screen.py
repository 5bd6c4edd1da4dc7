from __future__ import annotations

import subprocess
import sys

FIRST = """
from pyghostty import ffi
from antiphon.drivers.screen import Screen, prepare

prepare()
known = len(ffi._parsed_types)
screen = Screen(80, 24)
screen.feed(b"\\x1b[31mred\\x1b[0m" * 40, None)
screen.seen(), screen.picture(), screen.is_application_cursor()
print(known > 0, len(ffi._parsed_types) - known)
"""


def test_nothing_is_left_to_parse_for_the_first_screen_of_a_process() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "0"]
