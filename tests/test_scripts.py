from __future__ import annotations

import http.client
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The project as a fresh clone would have it, in a folder whose name has a space."""
    tree = tmp_path / "a tree"
    list_files = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(list_files, cwd=ROOT, capture_output=True, text=True, check=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).exists():  # a file may be deleted and not yet committed
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tree / name)
    return tree


def run(*command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True
    )


def setup(tree: Path, what: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run(tree / "scripts" / "setup", what, **environment)


@pytest.mark.slow
def test_setup_makes_what_runs_finds_it_made_and_makes_it_anew_after_a_move(tree: Path) -> None:
    first = setup(tree, "run")
    assert first.returncode == 0, first.stderr
    assert (tree / ".venv" / "bin" / "antiphon").exists()
    again = setup(tree, "run")
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")

    moved = tree.rename(tree.parent / "moved")
    assert setup(moved, "run").returncode == 0
    code = "import antiphon; print(list(antiphon.__path__)[0])"
    seen = run(moved / ".venv" / "bin" / "python", "-c", code)
    assert seen.stdout.strip() == str(moved / "src" / "antiphon"), seen.stderr


@pytest.mark.slow
def test_run_prints_an_address_that_lets_a_browser_in_once(tree: Path) -> None:
    state = tree.parent / "state"
    with subprocess.Popen(
        [tree / "scripts" / "run", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "ANTIPHON_STATE_DIR": str(state)},
        cwd=tree.parent,
        text=True,
    ) as process:
        assert process.stdout is not None
        said = next((line for line in process.stdout if "/login?code=" in line), "")
        found = re.search(r"http://(127\.0\.0\.1:\d+)(/login\?code=\S+)", said)
        assert found, said
        statuses = []
        for _ in range(2):
            connection = http.client.HTTPConnection(found[1])
            connection.request("GET", found[2])
            statuses.append(connection.getresponse().status)
            connection.close()
        process.terminate()
        assert process.wait(120) == 0
    assert statuses == [303, 401]


@pytest.mark.parametrize(
    ("fake", "said"),
    [
        ('[ "$1" = --version ] && echo Python 3.9.2; exit 1', "Python 3.9.2 found"),
        ('case "$2" in *ensurepip*) exit 1;; esac', "no ensurepip"),
    ],
)
def test_setup_says_which_python_it_needs(tree: Path, fake: str, said: str) -> None:
    python = tree / "python"
    python.write_text(f"#!/bin/sh\n{fake}\n")
    python.chmod(0o755)
    seen = setup(tree, "run", PYTHON=str(python))
    assert seen.returncode == 1 and said in seen.stderr, seen.stderr


def test_setup_refuses_what_it_does_not_know(tree: Path) -> None:
    assert setup(tree, "everything").returncode == 2


def pinned(lock: str) -> set[str]:
    text = (ROOT / lock).read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z0-9._-]+==\S+)", text, re.MULTILINE))


@pytest.mark.parametrize("lock", ["requirements-dev.lock", "bench/requirements.lock"])
def test_every_environment_has_what_antiphon_runs_with_in_the_same_versions(lock: str) -> None:
    assert pinned("requirements.lock") - pinned(lock) == set()
