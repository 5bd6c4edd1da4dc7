"""Waits: what they find, from where, who is told, and what they are atomic with."""

from __future__ import annotations

import asyncio
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.clauses import clause
from tests.real.programs import KEYS, python
from tests.real.stage import Answer, Stage, until


async def ready(stage: Stage, cmd: str = "stty -echo; echo READY; cat") -> int:
    """A program that says what it is told; where its output goes on."""
    begun = await stage.session(cmd)
    return int((await stage.wait("READY\n", begun["resume_cursor"]))["resume_cursor"])


async def done(stage: Stage, cursor: int) -> None:
    await stage.send("\x04")
    await stage.prompt(cursor)


def waiting(stage: Stage) -> int:
    return len(stage.desk.rooms.loaded["c"].conversation.waits)


# --- what is found -----------------------------------------------------------


@clause("terminal pty.wait_for", "terminal d6")
@pytest.mark.parametrize(
    ("match", "match_type", "found"),
    [
        ("needle", "substring", "needle"),
        ("ne+dle", "substring", None),
        ("a.c", "substring", None),
        ("ne+dle", "regex", "needle"),
        ("^second$", "regex", "second"),
        ("^econd", "regex", None),
        (r"(?i)SECOND", "regex", "second"),
        (r"t.t$", "regex", "tüt"),
        (r"t..t$", "regex", None),
        (r"\bfirst.second", "regex", None),
        (r"(?s)first.second", "regex", "first\nsecond"),
        (r"first\s+second", "regex", "first\nsecond"),
        (r"日{2,}", "regex", "日日"),
        (r"[^\x00-\x7f]", "regex", "ü"),
        ("日本", "substring", None),
    ],
)
async def test_a_wait_finds_text_or_a_pattern(
    stage: Stage, match: str, match_type: str, found: str | None
) -> None:
    begun = await stage.block("printf 'first\\nsecond\\nneedle tüt\\n日日\\n'")
    await stage.prompt(begun["resume_cursor"])
    asked = {"match": match, "match_type": match_type, "from_cursor": begun["resume_cursor"]}
    answer = await stage.ask("pty.wait_for", timeout_ms=5, **asked)
    if found is None:
        assert answer["error"] == "timeout"
        return
    assert (answer["match_text"], answer["matched"]) == (found, True)
    span = answer["match_span"]
    assert stage.spool()[span["start"] : span["end"]] == found.encode()


async def test_a_dot_is_a_byte_where_there_is_no_text(stage: Stage) -> None:
    begun = await stage.block(r"printf 'a\xff\xfeb\n'")
    found = await stage.wait("a..b", begun["resume_cursor"], match_type="regex")
    assert found["match_span"]["end"] - found["match_span"]["start"] == 4
    await stage.prompt(begun["resume_cursor"])


@clause("terminal d6b")
async def test_the_match_is_the_leftmost_of_the_shortest_beginning(stage: Stage) -> None:
    cursor = await ready(stage)
    for piece in ("a", "aa", "b", "c"):
        await stage.send(piece)
        await stage.keys("C-d")  # hands the piece over without a line end
    await stage.wait("aaabc", cursor)
    for match, text in (("a+", "a"), ("a+b", "aaab"), ("aa|b", "aa"), ("b|abc", "b"), ("c?b", "b")):
        found = await stage.wait(match, cursor, match_type="regex")
        assert found["match_text"] == text, match
    await stage.keys("C-d")
    await stage.prompt(cursor)


@clause("terminal D13", "terminal d6a")
@pytest.mark.parametrize(
    ("match", "match_type"),
    [
        ("", "substring"),
        ("", "regex"),
        ("x*", "regex"),
        ("^", "regex"),
        ("a|", "regex"),
        ("(", "regex"),
        ("(?=a)", "regex"),
        (r"(a)\1", "regex"),
        ("a{1001}", "regex"),
        ("x" * 5000, "substring"),
    ],
)
async def test_a_pattern_that_says_nothing_is_refused(
    stage: Stage, match: str, match_type: str
) -> None:
    await stage.run("echo x")
    refused = await stage.refused(
        "pty.wait_for", "invalid_pattern", match=match, match_type=match_type
    )
    assert refused["message"]
    await stage.refused(
        "pty.expect_send", "invalid_pattern", expect=match, expect_type=match_type, send="x"
    )


async def test_match_and_prompt_exclude_each_other(stage: Stage) -> None:
    await stage.run("echo x")
    await stage.refused("pty.wait_for", "invalid_request", match="x", match_type="prompt")
    await stage.refused("pty.wait_for", "invalid_request")
    await stage.refused("pty.wait_for", "invalid_request", match="x", match_type="eof")


@clause("terminal D2a", "terminal 3.1", "terminal 3.2", "terminal 3.7")
async def test_no_answer_goes_back_or_has_another_cursor(stage: Stage) -> None:
    allowed = {"resume_cursor", "cursor", "match_cursor", "match_span"}
    cursor, size = 0, 0
    for number in range(10):
        begun = await stage.block(f"printf 'x{number}\\ny'")
        answers = [
            begun,
            await stage.wait("x", cursor),
            await stage.prompt(begun["resume_cursor"]),
            await stage.ok("pty.read_spool", from_cursor=cursor),
            await stage.ask("pty.wait_for", match="absent", from_cursor=cursor, timeout_ms=0),
        ]
        for answer in answers:
            assert answer["resume_cursor"] >= cursor
            assert {key for key in answer if "cursor" in key or "offset" in key} <= allowed
        assert not {"next_cursor", "next_offset"} & {key for one in answers for key in one}
        cursor = answers[1]["resume_cursor"]
        status = await stage.ok("pty.status")
        assert status["resume_cursor"] >= size
        size = status["resume_cursor"]


@clause("terminal 2.2")
async def test_the_spool_only_grows(stage: Stage) -> None:
    seen = b""
    for cmd in ("echo x", "printf '\\033[2J\\033c\\r'", "printf y", "exit 3", "stty raw", "echo z"):
        await stage.run(cmd)
        now = stage.spool()
        assert now.startswith(seen) and len(now) >= len(seen)
        seen = now


@clause("terminal D13a")
@pytest.mark.parametrize("match", ["(a+)+~", "(a|aa)+~", "(a*)*~", ".*.*.*a.*~", "(a+a+)+~"])
async def test_no_pattern_holds_the_server_up(stage: Stage, match: str) -> None:
    """Where one that goes back over its steps would be at it for years."""
    begun = await stage.block("head -c 1000000 /dev/zero | tr '\\0' a")
    await stage.prompt(begun["resume_cursor"])
    wait = stage.ask(
        "pty.wait_for", match=match, match_type="regex", from_cursor=begun["resume_cursor"]
    )
    task = asyncio.create_task(wait)
    for _ in range(5):
        await stage.ok("pty.status")
    assert not task.done()
    await stage.run("echo aaaa~")
    assert (await task)["matched"]


@clause("terminal D13c")
async def test_a_waiter_reads_new_bytes_only(stage: Stage) -> None:
    await stage.run("head -c 3000000 /dev/zero | tr '\\0' a", max_bytes=4)
    conversation = (stage.desk.rooms.loaded["c"]).conversation
    read, reads = conversation.waits.read, []

    def counted(start: int, end: int) -> bytes:
        reads.append(end - start)
        return read(start, end)

    conversation.waits.read = counted
    cursor = await ready(stage)
    waits = [
        asyncio.create_task(
            stage.ask("pty.wait_for", match="needle", from_cursor=cursor, timeout_ms=20_000)
        )
        for _ in range(10)
    ]
    await until(lambda: waiting(stage) == 10, "ten wait")
    reads.clear()
    for number in range(50):
        await stage.send(f"line {number}\r")
    await stage.send("needle\r")
    assert {one["matched"] for one in await asyncio.gather(*waits)} == {True}
    assert sum(reads) < 10_000, "what is long past is not read again"
    await done(stage, cursor)


# --- who is told -------------------------------------------------------------


async def test_text_that_comes_while_a_wait_begins_is_found(stage: Stage) -> None:
    """However the two fall, the wait is told: 200 races."""
    cursor = await ready(stage)
    for number in range(200):
        if number % 2:
            wait = asyncio.create_task(stage.wait(f"<{number}>\n", cursor))
            await asyncio.sleep(0)
            await stage.send(f"<{number}>\r")
        else:
            await stage.send(f"<{number}>\r")
            wait = asyncio.create_task(stage.wait(f"<{number}>\n", cursor))
        cursor = (await wait)["resume_cursor"]
    await done(stage, cursor)


async def test_every_one_of_many_waits_is_told_once(stage: Stage) -> None:
    cursor = await ready(stage)
    words = [f"word{number % 100:02d};" for number in range(2000)]
    waits = [asyncio.create_task(stage.wait(word, cursor)) for word in words]
    prompts = [asyncio.create_task(stage.prompt(cursor)) for _ in range(50)]
    await until(lambda: waiting(stage) == 2050, "all wait")
    order = random.Random(7).sample(range(100), 100)
    for number in order:
        await stage.send(f"word{number:02d};\r")
    found = await asyncio.gather(*waits)
    spool = stage.spool()
    for word, one in zip(words, found, strict=True):
        assert one["match_cursor"] == spool.index(word.encode(), cursor)
    await stage.send("\x04")
    assert len({one["match_cursor"] for one in await asyncio.gather(*prompts)}) == 1
    assert waiting(stage) == 0


async def test_a_wait_that_its_caller_gives_up_leaves_nothing(stage: Stage) -> None:
    cursor = await ready(stage)
    waits = [asyncio.create_task(stage.wait("absent", cursor)) for _ in range(20)]
    waits += [asyncio.create_task(stage.prompt(cursor)) for _ in range(20)]
    await until(lambda: waiting(stage) == 40, "all wait")
    for one in waits:
        one.cancel()
    await asyncio.gather(*waits, return_exceptions=True)
    await stage.send("x\r")
    await stage.wait("x\n", cursor)
    await done(stage, cursor)
    assert waiting(stage) == 0


@clause("terminal d7")
@pytest.mark.parametrize("end", ["kill -9 $$", "exit 3", "reset", "close"])
async def test_a_wait_whose_shell_dies_is_told(stage: Stage, end: str) -> None:
    begun = await stage.block(f"echo READY; read x; {end}")
    cursor = (await stage.wait("READY\n", begun["resume_cursor"]))["resume_cursor"]
    text = asyncio.create_task(stage.ask("pty.wait_for", match="absent", from_cursor=cursor))
    prompt = asyncio.create_task(stage.ask("pty.wait_prompt", from_cursor=cursor))
    run = asyncio.create_task(
        stage.ask("pty.wait_for", match="rea+dy", match_type="regex", from_cursor=cursor)
    )
    await until(lambda: waiting(stage) == 3, "three wait")
    await (stage.ok(f"pty.{end}") if end in {"reset", "close"} else stage.send("\r"))
    for answer in await asyncio.gather(text, prompt, run):
        assert (answer["ok"], answer["matched"], answer["error"]) == (False, False, "shell_lost")
        assert answer["message"] and answer["resume_cursor"] >= cursor


async def test_a_wait_without_a_shell_is_lost_at_once_but_finds_what_was(stage: Stage) -> None:
    await stage.run("echo needle")
    await stage.ok("pty.close")
    assert (await stage.wait("needle"))["matched"]
    assert (await stage.prompt(0))["matched"]
    await stage.refused("pty.wait_for", "shell_lost", match="absent")


# --- wait and write ----------------------------------------------------------


@clause("terminal 4.6", "terminal 6.2", "terminal pty.expect_send", "terminal 6.1")
async def test_nothing_is_written_between_a_match_and_its_send(stage: Stage) -> None:
    code = (
        "import sys,time\n"
        "for word in ('a', 'b', 'READY'): print(word, end=' '); time.sleep(0.02)\n"
        "for _ in range(3): print('got', sys.stdin.readline().strip())"
    )
    begun = await stage.session(f"stty -echo; {python(code)}; stty echo")
    cursor = begun["resume_cursor"]
    first = asyncio.create_task(
        stage.ok("pty.expect_send", expect="READY", send="1\r", from_cursor=cursor)
    )
    await until(lambda: waiting(stage) == 1, "it waits")
    others = [asyncio.create_task(stage.send(f"{number}\r")) for number in (2, 3)]
    answer = await first
    assert answer["sent"] is True and answer["match_text"] == "READY"
    await asyncio.gather(*others)
    await stage.prompt(cursor)
    assert stage.output(begun["block_id"]).endswith(b"got 1\ngot 2\ngot 3\n")


@clause("terminal d7a")
@pytest.mark.parametrize("name", ["pty.end_session", "pty.reset", "pty.close"])
async def test_an_end_ends_an_expect_send_and_what_queues_behind(stage: Stage, name: str) -> None:
    cursor = await ready(stage)
    waits = asyncio.create_task(
        stage.ask("pty.expect_send", expect="absent", send="never\r", from_cursor=cursor)
    )
    await until(lambda: waiting(stage) == 1, "it waits")
    behind = asyncio.create_task(stage.ask("pty.send", data="behind\r"))
    await stage.ok("pty.status")
    await stage.ok(name)
    answer = await waits
    assert (answer["error"], answer["sent"], answer["matched"]) == ("cancelled", False, False)
    assert answer["message"]
    await behind
    assert b"never" not in stage.spool()


async def test_a_timeout_of_expect_send_has_written_nothing(stage: Stage) -> None:
    begun = await stage.session(KEYS)
    cursor = (await stage.wait("READY\n", begun["resume_cursor"]))["resume_cursor"]
    late = await stage.ask(
        "pty.expect_send", expect="absent", send="x", from_cursor=cursor, timeout_ms=20
    )
    assert (late["error"], late["sent"]) == ("timeout", False)
    await stage.send("q")
    await stage.prompt(cursor)
    assert b"78" not in stage.output(begun["block_id"])


async def test_two_expect_sends_take_turns(stage: Stage) -> None:
    code = "for n in range(2): print('ask', n); print('said', input())"
    begun = await stage.session(f"stty -echo; {python(code)}; stty echo")
    cursor = begun["resume_cursor"]
    both = [
        stage.ok("pty.expect_send", expect=f"ask {n}", send=f"{n}\r", from_cursor=cursor)
        for n in (0, 1)
    ]
    for answer in await asyncio.gather(*both):
        assert answer["sent"]
    await stage.prompt(cursor)
    assert stage.output(begun["block_id"]) == b"ask 0\nsaid 0\nask 1\nsaid 1\n"


# --- the law -----------------------------------------------------------------


@settings(max_examples=25)
@given(data=st.data())
def test_however_output_is_cut_a_wait_answers_the_same(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    alphabet = st.sampled_from(["~", "@", "é", "日", "\n", " ", "~@"])
    pieces = data.draw(st.lists(st.lists(alphabet, max_size=6).map("".join), max_size=6))
    match = data.draw(st.lists(st.sampled_from("~@é日"), min_size=1, max_size=3).map("".join))

    async def play() -> None:
        async with Stage(tmp_path_factory.mktemp("law") / "state") as stage:
            encoded = [piece.encode() for piece in pieces]
            code = f"import os\nfor p in {encoded!r}: os.write(1, p)"
            await stage.ok("pty.open")
            begun = await stage.block(python(code))
            cursor = begun["resume_cursor"]
            wait = asyncio.create_task(
                stage.ask("pty.wait_for", match=match, from_cursor=cursor, timeout_ms=9999)
            )
            end: Answer = await stage.prompt(cursor)
            late = "".join(pieces).find(match) < 0
            if late:
                wait.cancel()
                again = await stage.ask(
                    "pty.wait_for", match=match, from_cursor=cursor, timeout_ms=0
                )
                assert again["error"] == "timeout"
                return
            where = cursor + "".join(pieces).encode().find(match.encode())
            assert (await wait)["match_cursor"] == where < end["match_cursor"]
            assert await stage.wait(match, cursor) == await wait

    asyncio.run(play())
