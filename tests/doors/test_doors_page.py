from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from starlette.routing import Route, WebSocketRoute

from antiphon.adapters import http
from antiphon.adapters.mcp_http import McpDoor
from antiphon.adapters.page import Page
from tests.doors.running import Inside

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "DOORS.md").read_text()


def test_the_page_says_what_the_code_declares() -> None:
    command: list[str | Path] = [sys.executable, ROOT / "scripts" / "doors_page.py", "--check"]
    seen = subprocess.run(command, capture_output=True, text=True)
    assert seen.returncode == 0, seen.stderr or "run scripts/doors_page.py"


def test_every_route_is_on_the_page() -> None:
    inside = Inside()
    mcp = McpDoor(inside.front)
    missing = []
    for route in http.routes(inside.front, inside.keys, inside.address, Page({}), mcp):
        assert isinstance(route, Route | WebSocketRoute)
        if not re.search(rf"`[A-Z]+ {re.escape(route.path)}`", PAGE):
            missing.append(route.path)
    assert missing == []
