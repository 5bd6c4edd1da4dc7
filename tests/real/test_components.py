from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import pytest

from antiphon.wire import codec
from tests.clauses import clause
from tests.real.stage import until
from tests.real.workbench import Bench

FAKE = Path(__file__).parent.parent / "fixtures" / "tsci.py"
MENU = ["[jlcpcb] {}-A (C1) - first", "[jlcpcb] {}-B (C2) - second", "[jlcpcb] {}-FAIL (C3)"]
PROMPT = "? Select a part to import › - Return to submit."


def faked(root: Path) -> Bench:
    return Bench(root, sys.executable, str(FAKE))


@clause("components V01", "components 2.11", "resolve 5")
async def test_a_local_file_is_found_and_the_tool_is_not_started(tmp_path: Path) -> None:
    async with faked(tmp_path) as bench:
        path = bench.file("BQ79616.tsx")
        task = await bench.resolved("bq79616")
        assert task == {
            "ok": True, "task_id": "rc-001", "state": "finished", "location": str(path),
            "source": "local", "transcript_cursor": 0,
        }  # fmt: skip
        assert bench.calls() == []


@clause("components V02", "components 2.11a", "components 3.5")
async def test_a_folder_of_the_path_is_no_match_and_bad_names_are_refused(tmp_path: Path) -> None:
    async with faked(tmp_path) as bench:
        bench.file("OTHER.tsx")
        for name in ("", ".", "..", "../x", "/etc/passwd", "a\0b", "-x", "--help", "a/b"):
            await bench.refused("invalid_request", "component.start", component_name=name)
        task = await bench.resolved("lib")
        assert task["state"] == "selection_required"  # it went on to the tool
        assert bench.calls() == [["search", "lib"], ["import", "lib"]]


@clause("components 2.11")
async def test_several_local_files_are_asked_for_by_their_paths(tmp_path: Path) -> None:
    async with faked(tmp_path) as bench:
        paths = [str(bench.file(name)) for name in ("A-1.kicad_mod", "imports/a_1.tsx")]
        task = await bench.resolved("a-1")
        assert task["selection"]["options"] == sorted(paths)
        assert task["selection"]["input"] == "menu"
        answer = await bench.select(task, "imports")
        assert (answer["state"], answer["location"], answer["source"]) == (
            "finished", paths[1], "local",
        )  # fmt: skip
        assert bench.calls() == []


@clause("components V03", "components 1a", "resolve 7.4")
async def test_the_menu_of_an_import_is_the_selection(tmp_path: Path) -> None:
    async with faked(tmp_path) as bench:
        task = await bench.resolved("MANY")
        assert task["state"] == "selection_required"
        assert task["selection"] == {
            "selection_id": "sel-001", "prompt": PROMPT, "input": "menu",
            "options": [option.format("MANY") for option in MENU],
        }  # fmt: skip
        done = await bench.chosen(task, "MANY-B")
        assert done == {
            "ok": True, "task_id": "rc-001", "state": "finished", "source": "global",
            "location": str(bench.library / "imports" / "MANY_B.tsx"),
            "transcript_cursor": done["transcript_cursor"],
        }  # fmt: skip


@clause("components V04", "components V05")
async def test_a_spinner_before_the_menu_and_its_redraws_are_no_part_of_it(tmp_path: Path) -> None:
    async with faked(tmp_path) as bench:
        task = await bench.resolved("SPINNER")
        assert task["selection"]["prompt"] == PROMPT
        assert task["selection"]["options"] == [option.format("SPINNER") for option in MENU]
        done = await bench.chosen(task, "SPINNER-B")
        assert Path(done["location"]).name == "SPINNER_B.tsx"


@clause("components V19", "components 1")
async def test_every_call_is_answered_while_the_tool_hangs(tmp_path: Path) -> None:
    async with faked(tmp_path) as bench:
        task_id = await bench.start("HANG")
        await until(lambda: ["import", "HANG"] in bench.calls(), "the import runs")
        answers = await asyncio.gather(*(bench.status(task_id) for _ in range(50)))
        assert {answer["state"] for answer in answers} == {"trying_import"}
        stale = {"selection_id": "sel-001", "selected_option": "x"}
        await bench.refused("stale_selection", "component.select", task_id=task_id, **stale)


@clause("components V06", "components V13", "components 2.7")
async def test_a_second_question_of_one_line_is_a_selection_of_its_own(tmp_path: Path) -> None:
    async with faked(tmp_path) as bench:
        first = await bench.resolved("TWICE")
        second = await bench.chosen(first, "TWICE-A")
        assert second["selection"]["selection_id"] == "sel-002"
        assert second["selection"]["options"] == []
        assert second["selection"]["input"] == "text"
        assert "Continue?" in second["selection"]["prompt"]
        done = await bench.chosen(second, "y")
        assert (done["state"], Path(done["location"]).name) == ("finished", "TWICE_A.tsx")


@clause("components V07", "components 2.3")
async def test_silence_is_no_question(tmp_path: Path) -> None:
    async with faked(tmp_path) as bench:
        task_id = await bench.start("SLOW")
        await bench.until(task_id, "trying_import")
        await until(lambda: ["import", "SLOW"] in bench.calls(), "the import runs")
        assert await bench.ask("menu.screen", task_id=task_id) is not None
        for _ in range(60):
            assert (await bench.status(task_id))["state"] == "trying_import"
            await asyncio.sleep(0.02)


@clause("components V09", "components 2.1")
async def test_the_tool_has_a_terminal_and_a_clean_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CI", "NODE_ENV", "TSCIRCUIT_NON_INTERACTIVE"):
        monkeypatch.setenv(name, "1")
    async with faked(tmp_path) as bench:
        assert (await bench.resolved("STRICT"))["state"] == "selection_required"


@clause("components V10", "components V11", "components 2.5")
async def test_what_is_no_option_changes_nothing(tmp_path: Path) -> None:
    async with faked(tmp_path) as bench:
        task = await bench.resolved("MANY")
        for words in ("ZZZ", "", "many-a", "MANY-A (C1) - first "):
            refused = await bench.select(task, words)
            assert (refused["error"], refused["state"]) == ("no_match", "selection_required")
        assert await bench.status(task["task_id"]) == task
        done = await bench.chosen(task, "MANY")  # the first that contains it
        assert Path(done["location"]).name == "MANY_A.tsx"


async def test_an_index_says_which_of_several_that_contain_the_text(tmp_path: Path) -> None:
    async with faked(tmp_path) as bench:
        task = await bench.resolved("MANY")
        for index in (2, 3):
            refused = await bench.select(task, "MANY-B", index=index)
            assert refused["error"] == "no_match"
        assert (await bench.select(task, "MANY", index=1))["state"] == "trying_import"
        done = await bench.rested(task["task_id"])
        assert Path(done["location"]).name == "MANY_B.tsx"


@clause("components V12", "components 2.5", "components 3.1")
async def test_old_ids_are_refused_and_the_task_is_unharmed(tmp_path: Path) -> None:
    async with faked(tmp_path) as bench:
        task = await bench.resolved("TWICE")
        old = {"selection_id": "sel-001", "selected_option": "TWICE-A"}
        await bench.refused("not_found", "component.select", task_id="rc-999", **old)
        other = {**old, "selection_id": "sel-999"}
        await bench.refused("stale_selection", "component.select", task_id="rc-001", **other)
        assert await bench.status("rc-001") == task
        assert (await bench.select(task, "TWICE-A"))["state"] == "trying_import"
        await bench.refused("stale_selection", "component.select", task_id="rc-001", **old)
        second = await bench.rested("rc-001")
        await bench.refused("stale_selection", "component.select", task_id="rc-001", **old)
        assert await bench.status("rc-001") == second


@clause("components V14", "components 2.8", "resolve 9.2")
async def test_the_exit_code_decides_and_stderr_means_nothing(tmp_path: Path) -> None:
    async with faked(tmp_path) as bench:
        assert (await bench.resolved("ONE"))["state"] == "finished"  # it warned
        await bench.ask("component.close", task_id="rc-001")
        task = await bench.resolved("SILENT")
        assert (task["state"], task["exit_code"]) == ("failed", 3)
        assert task["reason"]
        await bench.ask("component.close", task_id="rc-002")
        task = await bench.resolved("DOWN")
        assert (task["state"], task["exit_code"]) == ("failed", 1)
        assert task["reason"] == "Failed to search: the service does not answer\n"


@clause("components V15", "components 2.12", "components 2.8")
@pytest.mark.parametrize(
    ("name", "reason"),
    [("NOPE", 'No results found for "NOPE" in JLCPCB.\n'), ("GHOST", "Aborted.\n")],
)
async def test_exit_code_0_without_a_file_is_no_success(
    tmp_path: Path, name: str, reason: str
) -> None:
    async with faked(tmp_path) as bench:
        task = await bench.resolved(name)
        assert (task["state"], task["exit_code"], task["reason"]) == ("failed", 0, reason)
        assert (["import", name] in bench.calls()) is (name == "GHOST")


@clause("components V16", "components 2.9", "resolve 9.3")
async def test_a_failure_after_a_selection_asks_again_and_retries_nothing(tmp_path: Path) -> None:
    async with faked(tmp_path) as bench:
        first = await bench.resolved("MANY")
        again = await bench.chosen(first, "MANY-FAIL")
        assert again["state"] == "selection_required"
        assert "Failed to import MANY-FAIL: its drawing is missing" in again["error"]
        assert again["selection"]["selection_id"] == "sel-002"
        assert again["selection"]["options"] == first["selection"]["options"]
        assert bench.calls() == [["search", "MANY"], ["import", "MANY"]]
        done = await bench.chosen(again, "MANY-B")
        assert (done["state"], "error" in done) == ("finished", False)
        assert bench.calls()[2:] == [["import", "MANY"]]


@clause("components V17", "components 2.10", "resolve 2")
async def test_one_task_at_a_time_until_it_is_closed(tmp_path: Path) -> None:
    async with faked(tmp_path) as bench:
        task_id = await bench.start("HANG")
        refused = await bench.refused("busy", "component.start", component_name="ONE")
        assert refused["task_id"] == task_id and refused["state"] in refused["message"]
        await until(lambda: ["import", "HANG"] in bench.calls(), "the import runs")
        await until(lambda: bool(living(tmp_path)), "it has a child")
        assert (await bench.ask("component.close", task_id=task_id)) == {"ok": True}
        await until(lambda: not living(tmp_path), "all that came from it is gone")
        await bench.refused("not_found", "component.status", task_id=task_id)
        await bench.refused("not_found", "component.close", task_id=task_id)
        done = await bench.resolved("ONE")
        assert (done["task_id"], done["state"]) == ("rc-002", "finished")
        await bench.refused("busy", "component.start", component_name="ONE")


def living(root: Path) -> list[int]:
    """The fake's children, which sleep in the library of this test."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            is_asleep = (entry / "cmdline").read_bytes().startswith(b"sleep\0")
            if is_asleep and (entry / "cwd").readlink().is_relative_to(root):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


@clause("components V18", "components 3.5", "components 2.8")
async def test_a_crash_and_a_missing_tool_fail_with_a_code(tmp_path: Path) -> None:
    async with faked(tmp_path) as bench:
        task = await bench.resolved("CRASH")
        assert (task["state"], task["exit_code"]) == ("failed", -signal.SIGSEGV)
    async with Bench(tmp_path, str(tmp_path / "nothing")) as bench:
        task = await bench.resolved("ONE")
        assert (task["state"], task["exit_code"]) == ("failed", 127)
        assert "nothing" in task["reason"]


@clause("components 2.12a")
async def test_a_package_and_a_file_written_again_are_success_too(tmp_path: Path) -> None:
    async with faked(tmp_path) as bench:
        task = await bench.resolved("PACKAGE")
        package = bench.library / "node_modules" / "@tsci" / "acme.sensor"
        assert (task["state"], task["location"]) == ("finished", str(package))
        await bench.ask("component.close", task_id="rc-001")
        old = bench.file("imports/ONE_A.tsx")
        os.utime(old, (1, 1))
        task = await bench.resolved("ONE")
        assert (task["state"], task["location"], task["source"]) == ("finished", str(old), "global")


@clause("components 2.13", "components 3.5")
async def test_what_was_said_can_be_read_again(tmp_path: Path) -> None:
    async with faked(tmp_path) as bench:
        task = await bench.resolved("ONE")
        await bench.ask("component.close", task_id="rc-001")
        blocks = await bench.ask("blocks.since", conversation_id="rc-001")
        assert [block["exit_code"] for block in blocks["items"]] == [0, 0]
        assert blocks["items"][1]["cmd"].endswith("import ONE")
        spool = await bench.ask("pty.read_spool", conversation_id="rc-001")
        assert f"Imported {task['location']}" in spool["data"]
        assert spool["resume_cursor"] >= task["transcript_cursor"]


@clause("components block", "components 1")
async def test_open_tasks_are_listed_with_a_block_whose_numbers_carry_indices(
    tmp_path: Path,
) -> None:
    async with faked(tmp_path) as bench:
        task = await bench.resolved("MANY")
        (listed,) = (await bench.ask("menu.list"))["tasks"]
        assert (listed["kind"], listed["title"], listed["state"]) == (
            "component", "MANY", "selection_required",
        )  # fmt: skip
        assert listed["selection"] == task["selection"]
        assert listed["block"]["text"].startswith(
            "Select a part to import › - Return to submit.\n\n1) [jlcpcb] MANY-A"
        )
        shown = await bench.ask("menu.block", task_id="rc-001")
        assert shown["block"] == listed["block"]
        choices = [(one["index"], one["option"]) for one in listed["block"]["choices"]]
        assert choices == list(enumerate(task["selection"]["options"]))


async def test_a_session_is_told_how_it_ended(tmp_path: Path) -> None:
    async with faked(tmp_path) as bench:
        assert bench._desk is not None
        components = bench._desk.components
        done = await components.resolved("ONE")
        assert (done.state, done.source) == ("finished", "global")
        asks = await components.resolved("MANY")  # the first one was closed
        assert asks.state == "selection_required"
        await bench.select(json.loads(codec.encoded(asks)), "MANY-A")
        assert (await components.rested(asks.task_id)).state == "finished"
