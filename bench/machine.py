"""The machine a figure was measured on, and what its processes cost."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parent.parent
DATA = ROOT / "bench" / "data"
TICKS = os.sysconf("SC_CLK_TCK")


def commit() -> str:
    """The short name of what is checked out; a plus sign when `src` is not as committed."""
    git = ["git", "-C", str(ROOT)]
    named = subprocess.run(
        [*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    )
    changed = subprocess.run(
        [*git, "status", "--porcelain", "src"], capture_output=True, text=True, check=False
    )
    return (named.stdout.strip() or "unknown") + ("+" if changed.stdout.strip() else "")


def described() -> str:
    memory_gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    cores = len(os.sched_getaffinity(0))
    return (
        f"{platform.system()} {platform.release()}, {cores} cores ({_processor()}), "
        f"{memory_gib:.0f} GiB, {_file_system(DATA)}, Python {platform.python_version()}, "
        f"{_first_line('bash', '--version')}"
    )


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _file_system(path: Path) -> str:
    path.mkdir(parents=True, exist_ok=True)
    shown = subprocess.run(
        ["stat", "-f", "-c", "%T", str(path)], capture_output=True, text=True, check=False
    )
    return shown.stdout.strip() or "unknown file system"


def _first_line(*command: str) -> str:
    shown = subprocess.run(command, capture_output=True, text=True, check=False)
    return shown.stdout.partition("\n")[0].partition("(")[0].replace(", version", "").strip()


def load() -> float:
    return os.getloadavg()[0]


def busy_cores(span_s: float = 0.3) -> float:
    """Cores that anything on the machine keeps busy, over a moment."""

    def used() -> int:
        fields = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:8]]
        return sum(fields) - fields[3] - fields[4]

    before = used()
    time.sleep(span_s)
    return (used() - before) / TICKS / span_s


def python_path() -> str:
    """For a process that imports `bench`; what the caller put there comes first."""
    given = os.environ.get("PYTHONPATH", "")
    return f"{given}:{ROOT}" if given else str(ROOT)


# --- processes ----------------------------------------------------------------


def _stat(pid: int) -> list[str]:
    text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    return text[text.rindex(")") + 2 :].split()


def children() -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            found.setdefault(int(_stat(int(process.name))[1]), []).append(int(process.name))
        except OSError:
            pass  # it ended while we looked
    return found


def descendants(pid: int) -> list[int]:
    tree, found, to_see = children(), [], [pid]
    while to_see:
        for child in tree.get(to_see.pop(), []):
            found.append(child)
            to_see.append(child)
    return found


def is_alive(pid: int) -> bool:
    try:
        return _stat(pid)[0] not in ("Z", "X")
    except OSError:
        return False


def cpu_s(pids: Iterable[int]) -> float:
    total = 0
    for pid in pids:
        try:
            fields = _stat(pid)
        except OSError:
            continue
        total += int(fields[11]) + int(fields[12])
    return total / TICKS


def wakes(pid: int) -> int:
    """How often the first thread of a process has waited for something by now."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("\nvoluntary_ctxt_switches:")[2].split()[0])


def _sum_mb(pids: Iterable[int], file: str, key: str) -> float:
    total = 0
    for pid in pids:
        try:
            lines = Path(f"/proc/{pid}/{file}").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith(key))
    return total / 1024


def pss_mb(pids: Iterable[int]) -> float:
    return _sum_mb(pids, "smaps_rollup", "Pss:")


def private_mb(pids: Iterable[int]) -> float:
    """Memory that would be free if the processes were not there; files in the cache are not."""
    return _sum_mb(pids, "smaps_rollup", "Pss_Anon:")


def peak_mb(pids: Iterable[int]) -> float:
    return _sum_mb(pids, "status", "VmHWM:")


def reset_peak(pids: Iterable[int]) -> None:
    for pid in pids:
        try:
            Path(f"/proc/{pid}/clear_refs").write_text("5")
        except OSError:
            pass  # it is gone, or not ours


# --- data -----------------------------------------------------------------------

LINE_BYTES = 80


def line(number: int) -> str:
    """A numbered line without its end, so that its place can be checked."""
    return f"{number:010d} " + "a" * (LINE_BYTES - 12)


def lines_file(size: int) -> Path:
    """A file of numbered lines of 80 bytes; made once."""
    DATA.mkdir(parents=True, exist_ok=True)
    path = DATA / f"lines-{size}.txt"
    count = size // LINE_BYTES
    if path.exists() and path.stat().st_size == count * LINE_BYTES:
        return path
    with path.open("w") as file:
        for start in range(0, count, 20_000):
            end = min(count, start + 20_000)
            file.write("".join(f"{line(number)}\n" for number in range(start, end)))
    return path
