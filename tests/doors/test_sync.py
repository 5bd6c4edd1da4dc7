from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FORGETFUL = """
import sys
import antiphon.sync
opened = antiphon.sync.open(sys.argv[1])
terminals = opened.__enter__()
print(terminals.pty.run("c", "echo here").data)
terminals.pty.close("c")
raise SystemExit(4)
"""


@pytest.mark.slow
def test_a_program_that_never_leaves_the_library_ends_all_the_same(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FORGETFUL, str(tmp_path / "state")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert (done.stdout, done.stderr, done.returncode) == ("here\n\n", "", 4)
