from __future__ import annotations

import asyncio
import os
import shlex
import signal
import struct
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from antiphon.base.errors import Broken
from antiphon.drivers.link import Link, ShellRequest, Zygote, connect
from antiphon.drivers.store import Store
from antiphon.service.orders import exit_of

pytestmark = pytest.mark.slow  # each starts processes of its own

KEY = "0123456789abcdef"
PATIENCE_S = 120.0


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "conversations" / "c" / "agent_pty")
    made.make_ways()
    yield made
    made.close()


@contextmanager
def zygote() -> Iterator[Zygote]:
    made = Zygote()
    try:
        yield made
    finally:
        made.close()


def request(store: Store, script: str, cwd: str = "/") -> ShellRequest:
    return ShellRequest(
        folder=store.folder,
        cwd=cwd,
        cols=80,
        rows=24,
        key=KEY,
        arguments=["/bin/sh", "-c", script],
        environment={"PATH": os.environ["PATH"]},
    )


def held(store: Store, script: str) -> None:
    """A holder whose shell runs this script; its zygote is gone again."""
    with zygote() as parent:
        asyncio.run(parent.fork(request(store, script)))


def linked(store: Store) -> Link:
    link = connect(store.folder)
    assert link is not None
    return link


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def raw(store: Store) -> bytes:
    return store.read_raw(0, store.raw_size())


def ended(store: Store) -> tuple[int | None, bytes]:
    until(lambda: exit_of(store.get("exit"))[1] != b"")
    return exit_of(store.get("exit"))


def test_all_that_was_printed_is_there_before_the_exit_code_is(store: Store) -> None:
    held(store, "seq 20000; exit 7")
    assert ended(store) == (7, KEY.encode())
    assert raw(store).replace(b"\r", b"") == b"".join(b"%d\n" % n for n in range(1, 20001))


def test_a_signal_is_said_as_shells_say_it(store: Store) -> None:
    held(store, "kill -9 $$")
    assert ended(store) == (128 + 9, KEY.encode())


def test_when_bytes_came_is_noted_in_whole_notes_that_rise(store: Store) -> None:
    (store.folder / "output.times").write_bytes(b"torn")
    held(store, "stty -echo; for i in 1 2; do echo $i; read -r line; sleep 0.02; done")
    link = linked(store)
    for number in (b"1", b"2"):
        until(lambda number=number: number in raw(store))  # type: ignore[misc]
        link.write(b"\n")
    link.close()
    ended(store)
    notes = (store.folder / "output.times").read_bytes()
    pairs = list(struct.iter_unpack("<QQ", notes))
    assert pairs == sorted(pairs) and pairs[0][1] == 0 and len(pairs) >= 2
    assert abs(pairs[-1][0] / 1e6 - time.time()) < 60
    assert pairs[-1][1] < store.raw_size()


def test_a_shell_that_closed_its_terminal_is_heard_when_it_prints_again(store: Store) -> None:
    held(store, "echo one; exec <&- >&- 2>&-; sleep 0.2; echo two >/dev/tty; sleep 0.1; exit 4")
    assert ended(store)[0] == 4
    assert raw(store) == b"one\r\ntwo\r\n"


def test_a_shell_outlives_the_server_and_says_its_last_word_to_the_next(store: Store) -> None:
    held(store, "read -r line; echo got $line; exit 3")
    linked(store).close()
    second = linked(store)
    assert second.key == KEY.encode() and second.write(b"it\n") == 3
    news = b""

    def is_told() -> bool:
        nonlocal news
        news += second.news()
        return b"x" in news

    until(is_told)
    assert ended(store)[0] == 3 and b"got it" in raw(store)
    until(lambda: second.news() == b"")
    second.close()
    assert connect(store.folder) is None


def test_a_word_is_heard_though_its_speaker_has_hung_up(store: Store) -> None:
    for _ in range(5):
        store.drop("exit")
        held(store, "while :; do echo busy; sleep 0.01; done")
        link = linked(store)
        link.kill_shell()
        link.close()
        assert ended(store)[0] == 128 + 9


def test_a_word_that_comes_too_late_ends_nobody_and_the_exit_code_is_noted(store: Store) -> None:
    held(store, "read -r line")
    link = linked(store)
    os.kill(link.holder_pid, signal.SIGSTOP)
    os.kill(link.shell_pid, signal.SIGKILL)
    link.kill_shell()
    os.kill(link.holder_pid, signal.SIGCONT)
    assert ended(store) == (128 + 9, KEY.encode())
    link.close()


def test_a_holder_that_goes_leaves_the_door_of_the_next_alone(store: Store) -> None:
    held(store, "read -r line")
    old = linked(store)
    os.kill(old.holder_pid, signal.SIGSTOP)
    old.kill_shell()
    held(store, "read -r line; exit 5")  # it takes over the name of the door
    os.kill(old.holder_pid, signal.SIGCONT)
    until(lambda: old.news() == b"")
    old.close()
    new = linked(store)
    assert new.holder_pid != old.holder_pid
    new.write(b"\n")
    until(lambda: exit_of(store.get("exit"))[0] == 5)
    new.close()


def test_input_that_nobody_reads_is_counted(store: Store) -> None:
    held(store, "sleep 1000")
    link = linked(store)
    assert link.unread_bytes() == 0
    assert link.write(b"echo ahead\n") == 11
    until(lambda: link.unread_bytes() == 11)
    assert link.is_line_mode() and link.is_echoing() and link.size() == (80, 24)
    link.resize(100, 30)
    assert link.size() == (100, 30)
    link.kill_shell()
    link.close()
    ended(store)


def test_a_bell_is_heard_or_taken_back(store: Store) -> None:
    held(store, "read -r line")
    link = linked(store)
    assert link.is_bell_heard()
    link.ring()
    assert not link.is_bell_heard()
    link.drain_bell()
    assert link.is_bell_heard()
    link.drain_bell()
    link.write(b"\n")
    link.close()
    ended(store)


@pytest.mark.parametrize("wrong", ["cwd", "program"])
def test_what_cannot_start_is_said_and_leaves_nobody(store: Store, wrong: str) -> None:
    asked = request(store, "true", cwd="/nowhere" if wrong == "cwd" else "/")
    if wrong == "program":
        asked.arguments[0] = "/bin/nothing"
    with zygote() as parent, pytest.raises(Broken, match="No such file"):
        asyncio.run(parent.fork(asked))
    assert connect(store.folder) is None


def test_a_door_without_a_holder_is_no_holder(store: Store) -> None:
    assert connect(store.folder) is None
    held(store, "sleep 1000")
    link = linked(store)
    os.kill(link.holder_pid, signal.SIGKILL)
    until(lambda: link.news() == b"")
    assert (store.folder / "holder.sock").exists() and connect(store.folder) is None
    link.close()


DEAF = """
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGUSR1])
os.write(1, b"ready\\n")
while signal.sigwait([signal.SIGUSR1]):
    os.write(1, b"taken\\n" if signal.sigtimedwait([signal.SIGINT], 0) else b"nothing\\n")
"""


def test_a_key_that_is_a_signal_has_been_one_once_it_is_handed_on(store: Store) -> None:
    held(store, f"stty -echo; exec {sys.executable} -c {shlex.quote(DEAF)}")
    link = linked(store)
    until(lambda: raw(store).endswith(b"ready\r\n"))
    for number in range(100):
        assert link.write(b"\x03") == 1
        link.hand_on()
        os.kill(link.shell_pid, signal.SIGUSR1)
        until(lambda: raw(store).count(b"\n") == number + 2)  # noqa: B023 - within the round
    link.kill_shell()
    ended(store)
    link.close()
    assert raw(store) == b"ready\r\n" + 100 * b"taken\r\n"
