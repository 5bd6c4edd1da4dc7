"""A program that writes marks, and beside each when it was written: marker.py TAG COUNT GAP_S FILE.

The time is taken just before the write, and is the monotonic clock that everybody shares.
"""

from __future__ import annotations

import os
import random
import sys
import time


def main(tag: str, count: int, gap_s: float, beside: str) -> None:
    dice = random.Random(7)
    file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    for number in range(count):
        time.sleep(gap_s * (1 + dice.random() / 2))
        now = time.monotonic_ns()
        os.write(1, b"mark-%s-%d:end\n" % (tag.encode(), number))
        os.write(file, b"%d %d\n" % (number, now))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4])
