"""Blocks: what each tells, how they are listed, read and searched, and commands of any kind."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import time
from pathlib import Path

import pytest

from tests.clauses import clause
from tests.real.programs import python
from tests.real.stage import Stage


@clause("terminal 2.1", "terminal blocks.get", "terminal d3b")
async def test_a_block_tells_what_it_was(stage: Stage, tmp_path: Path) -> None:
    before = time.time_ns() // 1_000_000
    answer = await stage.run("printf hello; cd /; (exit 3)", cwd=str(tmp_path))
    after = time.time_ns() // 1_000_000
    block = answer["block"]
    assert set(block) == {
        "block_id",
        "conversation_id",
        "seq",
        "cmd",
        "cwd",
        "ts_begin",
        "ts_end",
        "status",
        "exit_code",
        "output_path",
        "output_bytes",
    }
    assert before <= block["ts_begin"] <= block["ts_end"] <= after
    assert (block["cmd"], block["cwd"]) == ("printf hello; cd /; (exit 3)", str(tmp_path))
    assert (block["seq"], block["conversation_id"]) == (1, "c")
    assert (block["status"], block["exit_code"], block["output_bytes"]) == ("completed", 3, 5)
    assert Path(block["output_path"]).read_bytes() == b"hello"
    assert await stage.get(block["block_id"]) == block
    assert stage.blocks() == [block]
    ends = [one["block"] for one in stage.events() if one["type"] == "agent_block_end"]
    assert ends == [block]


@clause("terminal 5.1", "terminal pty.exec_block")
async def test_a_block_answers_when_it_has_begun(stage: Stage) -> None:
    begun = await stage.block("cat; echo after")
    assert set(begun) == {"ok", "block_id", "seq", "ts", "resume_cursor"}
    running = await stage.get(begun["block_id"])
    assert (running["status"], running["exit_code"], running["ts_end"]) == ("running", None, None)
    assert (running["seq"], running["ts_begin"]) == (begun["seq"], begun["ts"])
    assert begun["resume_cursor"] == len(stage.spool())
    read = await stage.ok("blocks.read", block_id=begun["block_id"])
    assert (read["data"], read["resume_cursor"]) == ("", 0)
    await stage.send("x\r")
    await stage.wait("x\nx\n", begun["resume_cursor"])
    read = await stage.ok("blocks.read", block_id=begun["block_id"])
    assert read["data"] == "x\nx\n"
    assert (await stage.get(begun["block_id"]))["output_bytes"] == 4
    await stage.send("\x04")
    await stage.prompt(begun["resume_cursor"])
    assert (await stage.ok("blocks.read", block_id=begun["block_id"], from_cursor=4))[
        "data"
    ] == "after\n"


@clause("terminal 2.1a")
async def test_no_two_blocks_share_an_id(stage: Stage) -> None:
    names = ["a", "a.1", "a-1", "A", "a.1.1", "1", "x" * 128]
    blocks = set()
    for name in names:
        for _ in range(3):
            answer = await stage.run("true", conversation_id=name)
            blocks.add(answer["block"]["block_id"])
    assert len(blocks) == 3 * len(names)
    await stage.ok("pty.reset", conversation_id="a")
    await stage.ok("pty.close", conversation_id="A")
    for name in ("a", "A"):
        answer = await stage.run("true", conversation_id=name)
        assert answer["block"]["seq"] == 4 and answer["block"]["block_id"] not in blocks


@clause("terminal blocks.since")
async def test_ended_blocks_are_paged_by_bytes(stage: Stage) -> None:
    for number in range(12):
        await stage.run(f"echo {number} '{'é' * number}'")
    running = await stage.block("cat")
    cursor, items = 0, []
    for limit in (1, 4, 50, 50):
        page = await stage.ok("blocks.since", from_cursor=cursor, limit=limit)
        assert page["cursor"] == cursor and len(page["items"]) <= limit
        items += page["items"]
        cursor = page["resume_cursor"]
    assert items == stage.blocks() and len(items) == 12
    assert cursor == (stage.folder() / "blocks.jsonl").stat().st_size
    await stage.send("\x04")
    await stage.prompt(running["resume_cursor"])
    page = await stage.ok("blocks.since", from_cursor=cursor)
    assert [one["block_id"] for one in page["items"]] == [running["block_id"]]
    await stage.refused("blocks.since", "cursor_out_of_range", from_cursor=cursor + 1)
    await stage.refused("blocks.since", "invalid_request", limit=201)
    await stage.refused("blocks.since", "invalid_request", limit=0)


@clause("terminal blocks.read", "terminal 9.4")
async def test_a_block_is_read_by_its_own_bytes(stage: Stage) -> None:
    await stage.run("echo before")
    answer = await stage.run(r"printf 'aé\xff日b'")
    block_id = answer["block"]["block_id"]
    whole = stage.output(block_id)
    for max_bytes in (4, 5, 64):
        cursor, data, text = 0, b"", ""
        while cursor < len(whole):
            asked = {"block_id": block_id, "from_cursor": cursor, "max_bytes": max_bytes}
            read = await stage.ok("blocks.read", **asked)
            exact = await stage.ok("blocks.read", encoding="base64", **asked)
            assert len(base64.b64decode(exact["data"])) <= max_bytes
            assert read["cursor"] == cursor < read["resume_cursor"] <= cursor + max_bytes
            text += read["data"]
            data += base64.b64decode(exact["data"])[: read["resume_cursor"] - cursor]
            cursor = read["resume_cursor"]
        assert (data, text) == (whole, whole.decode(errors="replace"))
    size = len(whole)
    for wrong in (-1, size + 1):
        refused = await stage.refused(
            "blocks.read", "cursor_out_of_range", block_id=block_id, from_cursor=wrong
        )
        assert refused["resume_cursor"] == size
    too_much = {"block_id": block_id, "max_bytes": 1 << 40}
    await stage.refused("blocks.read", "invalid_request", **too_much)
    await stage.refused("pty.read_spool", "invalid_request", max_bytes=1 << 40)


@pytest.mark.parametrize("block_id", ["no", "", "../c.1", "c.0", "c.99", "c.1\0", "/etc/passwd"])
@pytest.mark.parametrize("name", ["blocks.get", "blocks.read", "blocks.search"])
async def test_a_block_that_is_not_there_is_not_found(
    stage: Stage, name: str, block_id: str
) -> None:
    await stage.run("echo x")
    more = {"query": "x"} if name == "blocks.search" else {}
    await stage.refused(name, "not_found", block_id=block_id, **more)


async def test_a_forged_line_of_blocks_reads_no_other_file(stage: Stage) -> None:
    answer = await stage.run("echo x")
    path = stage.folder() / "blocks.jsonl"
    await stage.leave()
    true, place = path.read_bytes(), answer["block"]["output_path"].encode()
    path.write_bytes(true.replace(place, b"/etc/passwd".rjust(len(place), b"/")))
    await stage.open()
    read = await stage.ok("blocks.read", block_id=answer["block"]["block_id"])
    assert read["data"] == "x\n"
    hits = await stage.ok("blocks.search", query="x")
    assert [one["text"] for one in hits["hits"]] == ["x"]
    path.write_bytes(true)


@clause("terminal blocks.search", "terminal d4")
async def test_search_finds_lines_newest_block_first(stage: Stage) -> None:
    first = await stage.run("printf 'one needle\\ntwo\\nthree Needle\\n'")
    second = await stage.run("printf 'é needle needle\\nnee\\ndle'")
    running = await stage.block("echo needle runs; cat")
    await stage.wait("needle runs", running["resume_cursor"])
    found = await stage.ok("blocks.search", query="needle")
    ids = [one["block_id"] for one in found["hits"]]
    old, new = first["block"]["block_id"], second["block"]["block_id"]
    assert ids == [running["block_id"], new, old] and not found["truncated"]
    for hit in found["hits"]:
        output = stage.output(hit["block_id"])
        assert output[hit["cursor"] :].startswith(hit["text"].encode())
        assert output[: hit["cursor"]].count(b"\n") == hit["line"] - 1
    assert [one["text"] for one in found["hits"]][1:] == ["é needle needle", "one needle"]
    some = await stage.ok("blocks.search", query="NEEDLE", ignore_case=True, block_id=old)
    assert [(one["line"], one["text"]) for one in some["hits"]] == [
        (1, "one needle"),
        (3, "three Needle"),
    ]
    some = await stage.ok("blocks.search", query="^t.*o n", match_type="regex", block_id=old)
    assert some["hits"] == []
    some = await stage.ok("blocks.search", query="^t", match_type="regex")
    assert [one["text"] for one in some["hits"]] == ["two", "three Needle"]
    some = await stage.ok("blocks.search", query="needle", limit=2)
    assert len(some["hits"]) == 2 and some["truncated"]
    for wrong in ("", "("):
        await stage.refused("blocks.search", "invalid_pattern", query=wrong, match_type="regex")
    await stage.send("\x04")
    await stage.prompt(running["resume_cursor"])


# --- commands ----------------------------------------------------------------

COMMANDS = [
    ("cat <<'E'\nline1 $X `q`\n  line2 \"x\"\nE", 'line1 $X `q`\n  line2 "x"\n', 0),
    ("cat <<'E'\na\tb\tc\nE\n", "a\tb\tc\n", 0),
    ("cat 2>/dev/null <<E\nnever ended", None, 0),
    ("echo a # c", "a\n", 0),
    ("# only", "", 0),
    ("", "", 0),
    ("\n\n", "", 0),
    ("   ", "", 0),
    ("echo 1\necho 2\n(exit 3)", "1\n2\n", 3),
    ("echo \\\n a", "a\n", 0),
    ("echo 'wow!bang' \"!x\"", "wow!bang !x\n", 0),
    ("echo '\u2028|\u0085|\ufeff|日𝄞'", "\u2028|\u0085|\ufeff|日𝄞\n", 0),
    ("echo '\r|\x07|\x1b[1m|\x7f|\x01'", "\r|\x07|\x1b[1m|\x7f|\x01\n", 0),
    ("echo $'\\x03\\x04'", "\x03\x04\n", 0),
    ("printf '\x03\x04\x11\x13\x1a\x1c'", "\x03\x04\x11\x13\x1a\x1c", 0),
    ("echo -n", "", 0),
    ("-n", None, 127),
    ("echo '${__fws_a[4]}' $#", "${__fws_a[4]} 0\n", 0),
    ("exec 3<<<x; cat <&3", "x\n", 0),
    ("f() { return 7; }\nf", "", 7),
    ("case x in x) (exit 6);; esac", "", 6),
    ("for i in 1 2; do echo $i; done; [[ a == b ]]", "1\n2\n", 1),
    ("echo a |& cat; ! true", "a\n", 1),
    ("time -p true 2>/dev/null; false | true", None, 0),
    ("set -o pipefail; false | true", "", 1),
    ("echo a; echo b >&2", "a\nb\n", 0),
    ("echo $BASH_SUBSHELL $SHLVL", "0 1\n", 0),
    ("declare x=5; local y 2>/dev/null; echo $x", "5\n", 0),
    ("stty size; tput cols; echo $LINES $COLUMNS", "40 120\n120\n40 120\n", 0),
    ("test -t 0 && test -t 1 && test -t 2", "", 0),
    ("cat /dev/null/x", None, 1),
]


@clause("terminal D12")
@pytest.mark.parametrize(("cmd", "output", "code"), COMMANDS)
async def test_a_command_of_any_kind_runs_as_given(
    stage: Stage, cmd: str, output: str | None, code: int
) -> None:
    answer = await stage.run(cmd)
    block = answer["block"]
    assert (block["cmd"], block["exit_code"], block["status"]) == (cmd, code, "completed")
    if output is not None:
        assert answer["data"] == output
    assert stage.blocks()[0]["cmd"] == cmd
    assert await stage.exit_code("(exit 9)") == 9


@clause("terminal D12")
@pytest.mark.parametrize("size", [1, 4094, 4096, 5000, 65_536, 200_000, (1 << 20) - 100])
async def test_a_command_of_any_size_runs_as_given(stage: Stage, size: int) -> None:
    wanted = ("é'\t!$" * (size // 6 + 1)).encode()[:size].decode(errors="ignore")
    cmd = f"md5sum <<'END_OF_IT'\n{wanted}\nEND_OF_IT"
    answer = await stage.run(cmd)
    digest = hashlib.md5(f"{wanted}\n".encode()).hexdigest()
    assert answer["data"].startswith(digest)
    assert stage.blocks()[0]["cmd"] == cmd
    page = await stage.ok("blocks.since")
    assert page["items"][0]["cmd"] == cmd


async def test_what_no_shell_takes_is_refused(stage: Stage) -> None:
    await stage.refused("pty.exec_block", "invalid_request", cmd="echo a\0b")
    await stage.refused("pty.exec_block", "invalid_request", cmd="echo \ud800")
    refused = await stage.refused("pty.exec_block", "limit_reached", cmd="x" * ((1 << 20) + 1))
    assert "COMMAND_BYTES_MAX" in refused["message"]
    assert await stage.exit_code("(exit 9)") == 9


async def test_every_byte_but_nul_comes_through_a_command(stage: Stage) -> None:
    text = "".join(map(chr, range(1, 0x250))) + "".join(map(chr, range(0xFFF0, 0x10010)))
    quoted = "'" + text.replace("'", "'\\''") + "'"
    answer = await stage.run(f"printf %s {quoted} | md5sum")
    assert answer["data"].startswith(hashlib.md5(text.encode()).hexdigest())


# --- what the shell remembers, and what comes late ----------------------------


async def test_a_shell_keeps_its_state_from_block_to_block(stage: Stage) -> None:
    await stage.run("cd /usr; export FOO=bar; x=1; f() { echo f; }; alias l='echo l'")
    answer = await stage.run("echo $PWD:$FOO:$x; f; l")
    assert answer["data"] == "/usr:bar:1\nf\nl\n"


async def test_a_hundred_quick_commands_each_have_output_and_exit_code(stage: Stage) -> None:
    for number in range(100):
        answer = await stage.run(f"echo Q{number}; (exit {number % 5})")
        assert answer["data"] == f"Q{number}\n"
        assert answer["block"]["exit_code"] == number % 5


async def test_output_before_a_clear_or_reset_stays(stage: Stage) -> None:
    answer = await stage.run(
        "echo BEFORE; printf '\\033c\\033[2J\\033[3J\\033[H'; clear; echo AFTER"
    )
    assert answer["data"].startswith("BEFORE\n") and answer["data"].endswith("AFTER\n")


async def test_ten_thousand_lines_and_one_long_line_come_whole(stage: Stage) -> None:
    answer = await stage.run("seq 1 10000")
    assert answer["data"] == "".join(f"{number}\n" for number in range(1, 10001))
    answer = await stage.run(python("print('x' * 100000)"), max_bytes=200_000)
    assert answer["data"] == "x" * 100_000 + "\n"
    answer = await stage.run(
        python("for i in range(3000): print(f'{i:04d} €😀漢字 é')"), max_bytes=1 << 20
    )
    assert answer["data"] == "".join(f"{i:04d} €😀漢字 é\n" for i in range(3000))


async def test_a_long_command_holds_up_no_other_conversation(stage: Stage) -> None:
    await stage.ok("pty.open", conversation_id="other")
    begun = await stage.block("sleep 1000")
    flood = await stage.block("yes", conversation_id="flood")
    for _ in range(20):
        await stage.run("true", conversation_id="other")
    for name, running in (("flood", flood), ("c", begun)):
        status = await stage.ok("pty.status", conversation_id=name)
        assert status["active_block_id"] == running["block_id"], "they run all the while"
        await stage.ok("pty.end_session", conversation_id=name)


async def test_conversations_side_by_side_are_apart(stage: Stage) -> None:
    names = [f"c{number}" for number in range(8)]

    async def talk(name: str) -> None:
        for number in range(10):
            answer = await stage.run(f"echo {name} {number}; sleep 0.01", conversation_id=name)
            assert answer["data"] == f"{name} {number}\n"

    await asyncio.gather(*map(talk, names))
    for name in names:
        assert [one["cmd"] for one in stage.blocks(name)] == [
            f"echo {name} {number}; sleep 0.01" for number in range(10)
        ]
