"""Words side by side on a bare terminal: the marked one is reversed, the row ends at both sides."""

import os
import sys
import termios
import tty

KEYS = {b"\x1b[C": 1, b"\x1b[D": -1}
WORDS = ("Keep both", "Replace", "Skip this one")
HINT = "←/→ move   enter take   q leave"


def pick(at: int) -> str:
    sys.stdout.write("\x1b[?25lThe file is there already\r\n\r\n")
    while True:
        shown = [
            f"\x1b[7m {word} \x1b[0m" if place == at else f" {word} "
            for place, word in enumerate(WORDS)
        ]
        sys.stdout.write(f"\r{'  '.join(shown)}\x1b[K\r\n\r\n{HINT}\x1b[2A\r")
        sys.stdout.flush()
        key = os.read(0, 16)
        if key == b"\r":
            sys.stdout.write("\x1b[3B\x1b[?25h\r\n")
            return WORDS[at]
        at = min(max(at + KEYS.get(key, 0), 0), len(WORDS) - 1)


before = termios.tcgetattr(0)
tty.setraw(0)
try:
    got = [pick(1), pick(2)]
finally:
    termios.tcsetattr(0, termios.TCSADRAIN, before)
print("GOT", *got)
