"""The real tsci, offline: what it finds comes from a registry on loopback."""

from __future__ import annotations

import asyncio
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clauses import clause
from tests.real.stage import until
from tests.real.workbench import Bench
from tests.tsci.registry import PARTS, Registry

pytestmark = pytest.mark.usefixtures("installed")

ROOT = Path(__file__).parent.parent.parent
TSCI = ROOT / "tests" / "tsci" / "tsci"
PROMPT = "? Select a part to import › - Use arrow-keys. Return to submit."


@pytest.fixture(scope="module")
def installed() -> None:
    subprocess.run([ROOT / "scripts" / "programs", "tsci"], check=True)


@pytest.fixture
def registry() -> Iterator[Registry]:
    with Registry() as registry:
        yield registry


def tsci(root: Path, registry: Registry, *flags: str) -> Bench:
    """A library, and the tsci for it; `flags` follow what it is asked."""
    command = root / "tsci"
    home = root / "home"
    home.mkdir()
    said = f"TSCI_REGISTRY={registry.url} TSCI_HOME={shlex.quote(str(home))}"
    more = shlex.join(flags)
    command.write_text(f'#!/bin/sh\n{said} exec {shlex.quote(str(TSCI))} "$@" {more}\n')
    command.chmod(0o755)
    return Bench(root, str(command))


def options(name: str) -> list[str]:
    return [part.option for part in PARTS[name]]


async def calls(bench: Bench, task_id: str = "rc-001") -> list[str]:
    """What was started, by the record."""
    items = (await bench.ask("blocks.since", conversation_id=task_id))["items"]
    return [" ".join(shlex.split(item["cmd"])[-2:]) for item in items]


@clause("components V03", "components 2.12a", "components 2.11")
async def test_of_many_matches_one_is_chosen_and_then_found_in_the_library(
    tmp_path: Path, registry: Registry
) -> None:
    async with tsci(tmp_path, registry) as bench:
        task = await bench.resolved("BQ79616")
        assert task["selection"] == {
            "selection_id": "sel-001", "prompt": PROMPT, "input": "menu",
            "options": options("BQ79616"),
        }  # fmt: skip
        done = await bench.chosen(task, "BQ79616PAPQ1")
        location = bench.library / "imports" / "BQ79616PAPQ1.tsx"
        assert done == {
            "ok": True, "task_id": "rc-001", "state": "finished", "location": str(location),
            "source": "global", "transcript_cursor": done["transcript_cursor"],
        }  # fmt: skip
        assert "BQ79616PAPQ1" in location.read_text()
        assert await calls(bench) == ["search BQ79616", "import BQ79616"]
        await bench.ask("component.close", task_id="rc-001")

        asked = len(registry.asked)
        again = await bench.resolved("bq79616papq1")
        assert (again["state"], again["location"], again["source"]) == (
            "finished", str(location), "local",
        )  # fmt: skip
        assert len(registry.asked) == asked


@clause("components 2.4", "components 2.5")
async def test_all_rows_of_a_paged_menu_are_options(tmp_path: Path, registry: Registry) -> None:
    async with tsci(tmp_path, registry) as bench:
        task = await bench.resolved("LM358")
        assert task["selection"]["options"] == options("LM358")
        done = await bench.chosen(task, "LM358-12")
        assert Path(done["location"]).name == "LM358_12.tsx"


@clause("components V20")
async def test_odd_texts_are_shown_as_they_are(tmp_path: Path, registry: Registry) -> None:
    async with tsci(tmp_path, registry) as bench:
        task = await bench.resolved("ODD")
        assert task["selection"]["options"] == options("ODD")
        done = await bench.chosen(task, "ODD-5")
        assert Path(done["location"]).name == "ODD_5.tsx"


@clause("components 2.12")
@pytest.mark.parametrize(
    ("name", "file"), [("TPS54331", "TPS54331DR.tsx"), ("C424242", "LISTED_42.tsx")]
)
async def test_a_single_match_is_imported_unasked(
    tmp_path: Path, registry: Registry, name: str, file: str
) -> None:
    async with tsci(tmp_path, registry) as bench:
        task = await bench.resolved(name)
        assert (task["state"], Path(task["location"]).name) == ("finished", file)


@clause("components 2.12", "components V15", "components 2.8")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("NOPE", ""),
        ("C999", ""),  # it could be imported, and is in no list
        ("HTML", "HTTP 502"),
        ("DROP", "ECONNRESET"),
    ],
)
async def test_nothing_found_and_a_broken_service_are_failures_with_exit_code_0(
    tmp_path: Path, registry: Registry, name: str, said: str
) -> None:
    async with tsci(tmp_path, registry) as bench:
        task = await bench.resolved(name)
        assert (task["state"], task["exit_code"]) == ("failed", 0)
        assert f'No results found for "{name}"' in task["reason"]
        assert said in task["reason"]
        assert not any(call.startswith("import") for call in await calls(bench))
        assert not (bench.library / "imports").exists()


@clause("components V16", "components 2.9")
async def test_a_failed_import_asks_the_same_again_and_the_next_choice_is_carried_out(
    tmp_path: Path, registry: Registry
) -> None:
    async with tsci(tmp_path, registry) as bench:
        first = await bench.resolved("FAILPART")
        again = await bench.chosen(first, "FAIL-404")
        assert again["state"] == "selection_required"
        assert "Failed to import part" in again["error"] and "C402" in again["error"]
        assert again["selection"] == {**first["selection"], "selection_id": "sel-002"}
        assert await calls(bench) == ["search FAILPART", "import FAILPART"]
        third = await bench.chosen(again, "FAIL-403")
        assert third["selection"]["selection_id"] == "sel-003"
        done = await bench.chosen(third, "FAIL-OK")
        assert (done["state"], "error" in done) == ("finished", False)
        assert await calls(bench) == ["search FAILPART"] + ["import FAILPART"] * 3


@clause("components V06", "components V13", "components 2.7")
async def test_a_yes_or_no_in_the_middle_of_an_import_is_asked_too(
    tmp_path: Path, registry: Registry
) -> None:
    async with tsci(tmp_path, registry, "--tscircuit") as bench:
        first = await bench.resolved("sensor")
        assert "zeta/pressure" in first["selection"]["options"]
        second = await bench.chosen(first, "zeta/pressure")
        assert (second["selection"]["input"], second["selection"]["options"]) == ("text", [])
        assert "No .npmrc entry for @tsci packages was found" in second["selection"]["prompt"]
        assert not (bench.library / ".npmrc").exists()
        third = await bench.chosen(second, "y")
        assert (bench.library / ".npmrc").exists()
        # It now asks the public registry, which is not there.
        assert third["state"] == "selection_required" and third["error"]


@clause("components 2.12a", "components 2.9")
async def test_a_package_of_the_registry_is_installed(tmp_path: Path, registry: Registry) -> None:
    async with tsci(tmp_path, registry, "--tscircuit") as bench:
        bench.file(".npmrc").write_text(f"@tsci:registry={registry.url}/npm/\n")
        first = await bench.resolved("sensor")
        again = await bench.chosen(first, "gone/missing")
        assert again["state"] == "selection_required" and "404" in again["error"]
        done = await bench.chosen(again, "acme/sensor")
        package = bench.library / "node_modules" / "@tsci" / "acme.sensor"
        assert (done["state"], done["location"]) == ("finished", str(package))


@clause("components V07", "components 2.3", "components V17", "components V19")
async def test_a_slow_import_is_waited_for_and_a_second_task_is_not_begun(
    tmp_path: Path, registry: Registry
) -> None:
    registry.held.add("C502")
    async with tsci(tmp_path, registry) as bench:
        task = await bench.resolved("SLOWIMPORT")
        assert (await bench.select(task, "SLOW-2"))["state"] == "trying_import"
        await until(lambda: registry.is_holding("C502"), "the drawing is asked for")
        for _ in range(60):
            assert (await bench.status("rc-001"))["state"] == "trying_import"
            await asyncio.sleep(0.02)
        await bench.refused("busy", "component.start", component_name="TPS54331")
        registry.let_go.set()
        assert Path((await bench.rested("rc-001"))["location"]).name == "SLOW_2.tsx"


@clause("components 2.3", "components 2.10")
async def test_a_slow_search_is_waited_for_and_can_be_closed(
    tmp_path: Path, registry: Registry
) -> None:
    registry.held.add("SLOWSEARCH")
    async with tsci(tmp_path, registry) as bench:
        await bench.start("SLOWSEARCH")
        await until(lambda: registry.is_holding("SLOWSEARCH"), "it searches")
        for _ in range(60):
            assert (await bench.status("rc-001"))["state"] == "checking_global"
            await asyncio.sleep(0.02)
        assert running(tmp_path)
        await bench.ask("component.close", task_id="rc-001")
        await until(lambda: not running(tmp_path), "all that it started is gone")
        registry.let_go.set()
        assert (await bench.resolved("SLOWSEARCH"))["state"] == "selection_required"


@clause("components V17", "components 2.10")
async def test_a_task_that_is_closed_at_its_menu_imports_nothing(
    tmp_path: Path, registry: Registry
) -> None:
    async with tsci(tmp_path, registry) as bench:
        await bench.resolved("BQ79616")
        assert running(tmp_path)
        await bench.ask("component.close", task_id="rc-001")
        await until(lambda: not running(tmp_path), "all that it started is gone")
        assert not (bench.library / "imports").exists()
        await bench.refused("not_found", "component.status", task_id="rc-001")


@clause("components 2.12a")
async def test_a_file_that_is_written_again_is_a_success(
    tmp_path: Path, registry: Registry
) -> None:
    async with tsci(tmp_path, registry) as bench:
        old = bench.file("imports/BQ79616PAPRQ1.tsx")
        task = await bench.resolved("OVERWRITE")
        assert (task["state"], task["location"], task["source"]) == ("finished", str(old), "global")
        assert "C302" in old.read_text()


def running(root: Path) -> list[int]:
    """Processes of this test's tsci: its home is in their environment."""
    wanted = f"TSCI_HOME={root / 'home'}\0".encode()
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and wanted in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found
