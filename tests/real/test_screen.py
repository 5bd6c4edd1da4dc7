"""The screen: what full-screen programs draw, what they ask, and sizes."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from tests.clauses import clause
from tests.real.programs import python
from tests.real.stage import Answer, Stage, until

CURSES = """
import curses, os, sys
def main(screen):
    curses.curs_set(0)
    n = 0
    while True:
        rows, cols = screen.getmaxyx()
        screen.erase()
        screen.addstr(0, 0, f'size {cols}x{rows} key {n}', curses.A_REVERSE)
        screen.addstr(rows - 1, 0, 'bottom é日')
        screen.refresh()
        key = screen.getch()
        if key == ord('q'):
            return
        n = key
curses.wrapper(main)
"""


async def screen(stage: Stage) -> Answer:
    return await stage.ok("pty.screen")


async def shows(stage: Stage, *texts: str) -> Answer:
    """The screen, once it shows these."""
    picture = await screen(stage)
    for _ in range(12_000):
        if all(any(text in row for row in picture["rows"]) for text in texts):
            return picture
        await asyncio.sleep(0.01)
        picture = await screen(stage)
    raise AssertionError(f"{texts} never came; {picture['rows']}")


@clause("terminal pty.screen", "terminal d12")
async def test_the_screen_is_what_a_person_would_see(stage: Stage) -> None:
    await stage.ok("pty.open")
    await stage.run(r"printf 'a\tb\r\n\033[1;31mred\033[0m日é\033]2;my title\007'")
    picture = await screen(stage)
    assert set(picture) == {
        "ok",
        "rows",
        "cursor",
        "title",
        "alt_screen",
        "cols",
        "rows_count",
        "resume_cursor",
    }
    assert picture["rows"][:2] == ["a       b", "red日é"]
    assert (picture["cols"], picture["rows_count"], len(picture["rows"])) == (120, 40, 40)
    assert picture["cursor"] == {"row": 1, "col": 6}
    assert (picture["title"], picture["alt_screen"]) == ("my title", False)
    assert picture["resume_cursor"] == len(stage.spool())
    await stage.run("clear")
    picture = await screen(stage)
    assert picture["cursor"] == {"row": 0, "col": 0} and not any(picture["rows"])


@clause("terminal 9.2")
async def test_less_is_seen_paged_and_left(stage: Stage, tmp_path: Path) -> None:
    file = tmp_path / "rows.txt"
    file.write_text("".join(f"row {number} of the file\n" for number in range(500)))
    begun = await stage.session(f"less {file}")
    picture = await shows(stage, "row 3 of the file")
    assert picture["alt_screen"] and not any("\x1b" in row for row in picture["rows"])
    await stage.keys("PageDown")
    await shows(stage, "row 60 of the file")
    await stage.keys("Up")
    await stage.send("G")
    await shows(stage, "row 499 of the file")
    await stage.send("q")
    assert (await stage.prompt(begun["resume_cursor"]))["extra"]["exit_code"] == 0
    picture = await screen(stage)
    assert not picture["alt_screen"] and not any("row" in row for row in picture["rows"])


async def test_vim_is_edited_and_left(stage: Stage, tmp_path: Path) -> None:
    file = tmp_path / "text.txt"
    begun = await stage.session(f"vim -u NONE -N {file}")
    picture = await shows(stage, "~")
    while sum(row == "~" for row in picture["rows"]) <= 30:  # it draws one after the other
        picture = await screen(stage)
    assert picture["alt_screen"]
    await stage.send("ihello é日")
    await stage.keys("Enter", "Left", "Up", "End")
    await shows(stage, "hello é日")
    await stage.keys("Escape")
    await stage.send(":wq\r")
    assert (await stage.prompt(begun["resume_cursor"]))["extra"]["exit_code"] == 0
    assert file.read_text() == "hello é日\n\n"
    assert not (await screen(stage))["alt_screen"]
    assert await stage.exit_code("(exit 9)") == 9


async def test_top_is_seen_and_left(stage: Stage) -> None:
    begun = await stage.session("top -d 100")
    picture = await shows(stage, "PID")
    assert any("load average" in row for row in picture["rows"])
    await stage.send("q")
    await stage.prompt(begun["resume_cursor"])
    assert await stage.exit_code("(exit 9)") == 9


@clause("terminal pty.resize")
async def test_a_curses_program_hears_keys_and_sizes(stage: Stage) -> None:
    begun = await stage.session(python(CURSES))
    picture = await shows(stage, "size 120x40 key 0", "bottom é日")
    assert picture["alt_screen"] and picture["rows"][39] == "bottom é日"
    await stage.keys("Up")
    await shows(stage, "key 259")
    await stage.keys("F5")
    await shows(stage, "key 269")
    assert await stage.ok("pty.resize", cols=60, rows=20) == {"ok": True, "cols": 60, "rows": 20}
    picture = await shows(stage, "size 60x20 key 410", "bottom é日")
    assert (picture["cols"], len(picture["rows"])) == (60, 20)
    assert picture["rows"][19] == "bottom é日"
    await stage.send("q")
    await stage.prompt(begun["resume_cursor"])
    assert (await stage.run("stty size"))["data"] == "20 60\n"
    for cols, rows in ((0, 10), (501, 10), (10, 0), (10, 301)):
        await stage.refused("pty.resize", "invalid_request", cols=cols, rows=rows)
    for cols, rows in ((1, 1), (500, 300), (80, 24)):
        await stage.ok("pty.resize", cols=cols, rows=rows)
        assert (await stage.run("stty size"))["data"] == f"{rows} {cols}\n"
        assert len((await screen(stage))["rows"]) == rows


async def test_a_screen_is_the_same_whenever_it_is_first_looked_at(stage: Stage) -> None:
    begun = await stage.session(python(CURSES))
    await stage.wait("bottom", begun["resume_cursor"])
    await until(lambda: "日".encode() in stage.spool(), "all is drawn")
    late = (await screen(stage))["rows"]
    assert late[0] == "size 120x40 key 0" and late[39] == "bottom é日"
    await stage.leave()
    await stage.open()
    assert (await screen(stage))["rows"] == late
    await stage.send("q")
    await stage.prompt(begun["resume_cursor"])


# --- what a program asks its terminal ----------------------------------------

ANSWERED = {
    r"\033[c": rb"\x1b\[\?[\d;]+c",
    r"\033[0c": rb"\x1b\[\?[\d;]+c",
    r"\033[>c": rb"\x1b\[>[\d;]+c",
    r"\033[5n": rb"\x1b\[0n",
    r"\033[6n": rb"\x1b\[\d+;\d+R",
}
UNANSWERED = [
    r"\033[21t",
    r"\033[18t",
    r"\033[14t",
    r"\033[11t",
    r"\033]10;?\007",
    r"\033]11;?\007",
    r"\033]4;1;?\007",
    r"\033]52;c;?\007",
    r"\033P$qm\033\\",
    r"\033P+q544e\033\\",
    r"\033[?2004$p",
    r"\033[?1$p",
    r"\033[=c",
    r"\033[?6n",
    r"\033[>q",
    r"\033[?u",
    r"\033[?996n",
    r"\033]2;title\007\033[21t",
    r"\033[?1004h",
    r"\033[?1000h\033[?1006h",
    r"\005",
    r"\033_Gi=1,a=q;AAAA\033\\",
]
# What comes from the keyboard within the time in which an answer would have come, and a 'k'.
ASK = r"""
import os, sys, termios, tty
saved = termios.tcgetattr(0)
tty.setraw(0)
os.write(1, %r)
os.write(1, b'ASKED')
got = b''
while not got.endswith(b'k'):
    got += os.read(0, 1)
termios.tcsetattr(0, termios.TCSANOW, saved)
print(got)
"""


async def asked(stage: Stage, query: str) -> bytes:
    data = query.encode().decode("unicode_escape").encode("latin-1")
    begun = await stage.session(python(ASK % data))
    await stage.wait("ASKED", begun["resume_cursor"])
    await stage.send("k")
    await stage.prompt(begun["resume_cursor"])
    line = stage.output(begun["block_id"]).rstrip(b"\n").rpartition(b"ASKED")[2]
    return bytes(eval(line))


async def test_a_program_that_asks_is_answered_from_a_fixed_list(stage: Stage) -> None:

    for query, answer in ANSWERED.items():
        got = await asked(stage, query)
        assert re.fullmatch(answer + b"k", got), (query, got)
    for query in UNANSWERED:
        assert await asked(stage, query) == b"k", query
    assert await stage.exit_code("(exit 9)") == 9


async def test_a_question_is_answered_once_however_many_watch(stage: Stage) -> None:
    async def watch() -> None:
        async for _ in stage.desk.stream("c", 0):
            pass

    await stage.ok("pty.open")
    watching = [asyncio.create_task(watch()) for _ in range(3)]
    await stage.ok("pty.status")
    assert await asked(stage, r"\033[5n") == b"\x1b[0nk"
    await screen(stage)
    assert await asked(stage, r"\033[5n") == b"\x1b[0nk"
    for one in watching:
        one.cancel()
    await asyncio.gather(*watching, return_exceptions=True)


async def test_a_question_cut_in_two_is_answered(stage: Stage) -> None:
    code = ASK.replace(
        "os.write(1, b'ASKED')", "import time\ntime.sleep(0.05)\nos.write(1, b'5nASKED')"
    )
    begun = await stage.session(python(code % b"\x1b["))
    await stage.wait("ASKED", begun["resume_cursor"])
    await stage.send("k")
    await stage.prompt(begun["resume_cursor"])
    assert b"x1b[0nk" in stage.output(begun["block_id"])


async def test_old_questions_are_not_answered_to_a_later_program(stage: Stage) -> None:
    await asked(stage, r"\033[6n")
    await stage.leave()
    await stage.open()
    await screen(stage)
    begun = await stage.session("stty -echo; echo READY; head -c1 | od -c")
    await stage.wait("READY", begun["resume_cursor"])
    await stage.send("z\r")
    await stage.prompt(begun["resume_cursor"])
    assert b"   z" in stage.output(begun["block_id"])


@pytest.mark.parametrize("seed", range(4))
async def test_any_bytes_leave_screen_and_terminal_usable(stage: Stage, seed: int) -> None:
    code = (
        f"import os,random\nr=random.Random({seed})\n"
        "s=[b'\\x1b[',b'\\x1b]',b'\\x1bP',b'\\x1b_',b'\\x1b\\\\',b'\\x07',b'\\x9b',b'?',b';',b'1',"
        "b'99999',b'h',b'l',b'm',b'J',b'r',b'n',b'c',b't',b'q',b'\\xff',b'\\xf0\\x9d',b'\\r',b'\\n']\n"
        "p=lambda: r.choice(s) if r.random() < .8 else r.randbytes(3)\n"
        "os.write(1, b''.join(p() for _ in range(20000)))"
    )
    answer = await stage.run(f"stty -opost -echo; {python(code)}; stty sane", max_bytes=4)
    assert answer["block"]["exit_code"] == 0
    await screen(stage)
    await stage.send("\x15\x03")
    assert await stage.exit_code("(exit 9)") == 9
    assert stage.reasons() == []
