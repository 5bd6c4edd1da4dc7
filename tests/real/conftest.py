"""Tests with real shells: each has a stage of its own, and one event loop."""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path

import pytest

from tests.real.stage import Stage

# No test here needs so long, on a slow machine that does other things too.
TEST_S_MAX = 900


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.slow)


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path / "state")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """An asynchronous test runs in a loop of its own, on an open stage if it asks for one."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    wanted = inspect.signature(pyfuncitem.obj).parameters
    given = {name: pyfuncitem.funcargs[name] for name in wanted}

    async def play() -> None:
        async with asyncio.timeout(TEST_S_MAX):
            stage = given.get("stage")
            if isinstance(stage, Stage):
                async with stage:
                    await pyfuncitem.obj(**given)
            else:
                await pyfuncitem.obj(**given)

    asyncio.run(play())
    return True
