from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FLOORS = """
[tool.house]
floors = [["base"], ["core", "beside"], ["drivers", "unbuilt"], ["__init__"]]
quiet = ["base", "core"]
lines_max = 9
"""


def house(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "scripts" / "house", *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def check(folder: Path, files: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Build a package named `built` of these files, and let the house look at it."""
    (folder / "pyproject.toml").write_text(FLOORS)
    for name, text in {"__init__.py": "", **files}.items():
        path = folder / "built" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return house(folder / "built", "--config", folder / "pyproject.toml", "--check")


def test_the_house_stands() -> None:
    seen = house("--check")
    assert seen.returncode == 0, seen.stdout + seen.stderr


def test_a_house_whose_stairs_go_down_stands(tmp_path: Path) -> None:
    seen = check(tmp_path, {"core/a.py": "import built.base.b\n", "base/b.py": ""})
    assert seen.returncode == 0 and "1 stairs" in seen.stdout, seen.stdout + seen.stderr


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"base/a.py": "from built.core import b\n", "core/b.py": ""}, "base.a -> core.b"),
        ({"base/a.py": "def f():\n import built.core\n", "core/__init__.py": ""}, "inside a func"),
        ({"core/a.py": "import built.beside.b\n", "beside/b.py": ""}, "core.a -> beside.b"),
        (
            {"base/a.py": "import built.base.b\n", "base/b.py": "import built.base.a\n"},
            "base.a <-> base.b",
        ),
        ({"core/a.py": "import time\n"}, "core.a: time"),
        ({"core/a.py": "open('x')\n"}, "core.a: open()"),
        ({"core/a.py": "async def f(): ...\n"}, "core.a: await"),
        ({"core/a.py": "datetime.now()\n"}, "core.a: .now()"),
        ({"drivers/a.py": "x = 1\n" * 10}, "drivers.a: 10 lines of 9"),
        ({"drivers/a.py": "def f():\n" + " x = 1\n" * 70}, "drivers.a: 71 lines of 70"),
    ],
)
def test_what_is_out_of_place_is_named(tmp_path: Path, files: dict[str, str], found: str) -> None:
    seen = check(tmp_path, files)
    assert seen.returncode == 1 and found in seen.stdout, seen.stdout + seen.stderr


def test_a_room_on_no_floor_is_refused(tmp_path: Path) -> None:
    seen = check(tmp_path, {"attic/a.py": ""})
    assert seen.returncode == 2 and "attic" in seen.stderr


def test_noise_outside_the_quiet_rooms_is_no_fault(tmp_path: Path) -> None:
    assert check(tmp_path, {"drivers/a.py": "import time\n"}).returncode == 0


def test_the_picture_is_an_svg(tmp_path: Path) -> None:
    house("--out", tmp_path / "house.svg")
    assert (tmp_path / "house.svg").read_text().startswith("<svg ")


def test_no_source_is_hidden_from_git() -> None:
    """A line of .gitignore hid a package of the benchmark; it was there, and not in a clone."""
    command = "git ls-files -z --others --ignored --exclude-standard -- src tests bench scripts"
    shown = subprocess.run(
        [*command.split(), "docs", "examples", "web/src"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    own = [name for name in shown.stdout.split("\0") if "node_modules/" not in name]
    hidden = [name for name in own if name.endswith((".py", ".ts", ".tsx"))]
    assert not hidden, f".gitignore hides {hidden}"
