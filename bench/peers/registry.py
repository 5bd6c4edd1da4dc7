"""Who is measured, by name: which Python, module and class."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bench import machine


@dataclass(frozen=True, slots=True)
class Place:
    python: Path
    module: str
    class_name: str
    needs: str = "antiphon"  # what can be imported where it can run


_HERE = Path(sys.executable)
_OPENHANDS = machine.ROOT / ".venv-bench-openhands" / "bin" / "python"

PLACES = {
    "floor": Place(_HERE, "bench.peers.floor", "Floor"),
    "antiphon": Place(_HERE, "bench.peers.ours", "Antiphon"),
    "pexpect-bare": Place(_HERE, "bench.peers.pexpect_", "Bare", "pexpect"),
    "pexpect-replwrap": Place(_HERE, "bench.peers.pexpect_", "Replwrap", "pexpect"),
    "libtmux": Place(_HERE, "bench.peers.libtmux_", "Tmux", "libtmux"),
    "swe-rex": Place(_HERE, "bench.peers.swerex_", "Rex", "swerex"),
    "openhands": Place(_OPENHANDS, "bench.peers.openhands_", "Tool", "openhands.tools"),
    "openhands-subprocess": Place(
        _OPENHANDS, "bench.peers.openhands_", "SubprocessTool", "openhands.tools"
    ),
}

PEERS = tuple(name for name in PLACES if name not in ("floor", "antiphon"))


@cache
def is_there(name: str) -> bool:
    """Whether its environment has been made and has it."""
    place = PLACES[name]
    if not place.python.exists():
        return False
    looked = subprocess.run(
        [str(place.python), "-c", f"import {place.needs}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return looked.returncode == 0
