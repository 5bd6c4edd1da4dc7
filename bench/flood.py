"""A program that prints numbered lines at a steady rate for some seconds: flood.py SECONDS MB_S."""

from __future__ import annotations

import os
import sys
import time

PIECE_LINES = 200


def main(seconds: float, mb_s: float) -> None:
    number, printed, started = 0, 0, time.monotonic()
    while (now := time.monotonic() - started) < seconds:
        lines = [b"%d:%s\n" % (at, b"x" * 60) for at in range(number, number + PIECE_LINES)]
        piece = b"".join(lines)
        number += PIECE_LINES
        printed += len(piece)
        while piece:
            piece = piece[os.write(1, piece) :]
        time.sleep(max(0.0, printed / mb_s / 1e6 - now))
    os.write(1, b"%d:the end\n" % number)


if __name__ == "__main__":
    main(float(sys.argv[1]), float(sys.argv[2]))
