"""The page in a real browser, against a real server with real shells."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

# A machine that does much else beside is slow, and not wrong.
expect.set_options(timeout=60_000)

SHOTS = Path(__file__).parent / "shots"
BROWSER = "/usr/bin/chromium"
# As root the browser has no sandbox of its own; the rest keeps it from calling home.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.slow)


@dataclass
class Server:
    """`antiphon serve` on a state directory; it can be killed and started again."""

    state: Path
    port: int = 0
    process: subprocess.Popen[str] | None = None
    login: str = ""

    def start(self) -> None:
        environment = {name: value for name, value in os.environ.items() if "ANTIPHON" not in name}
        command = [sys.executable, "-m", "antiphon", "serve", "--port", str(self.port)]
        self.process = subprocess.Popen(
            command,
            env={**environment, "ANTIPHON_STATE_DIR": str(self.state)},
            cwd=self.state.parent,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"(http://127\.0\.0\.1:(\d+)/login\?code=\S+)", line)
        assert found, line
        self.login, self.port = found[1], int(found[2])

    def kill(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def command(self, *arguments: str) -> str:
        """The command line's door to the same server."""
        done = subprocess.run(
            [sys.executable, "-m", "antiphon", *arguments],
            env={**os.environ, "ANTIPHON_STATE_DIR": str(self.state)},
            capture_output=True,
            text=True,
            timeout=300,
        )
        return done.stdout

    def stop(self) -> None:
        for line in self.command("ls").splitlines():
            name = line.split("\t")[0]
            self.command("call", "pty.close", f'{{"conversation_id": "{name}"}}')
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.communicate()


@dataclass
class Visitor:
    """A signed-in browser, and what went wrong in it."""

    context: BrowserContext
    server: Server
    faults: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)

    def open(self, path: str = "/") -> Page:
        page = self.context.new_page()
        page.on("console", lambda said: self.faults.append(said.text) if _is_bad(said) else None)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", lambda request: self.hosts.add(request.url.split("/")[2]))
        page.goto(self.server.address + path)
        return page


def _is_bad(said: object) -> bool:
    kind, text = getattr(said, "type", ""), getattr(said, "text", "")
    # A server that is gone is said by the browser itself.
    is_of_the_server = "ERR_CONNECTION_REFUSED" in text or "ERR_INCOMPLETE_CHUNKED" in text
    return kind == "error" and not is_of_the_server


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Of one module: while it is there, its loop runs, and nobody else can start one."""
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=BROWSER, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path / "state")
    running.start()
    yield running
    running.stop()


@pytest.fixture(params=["light"])
def theme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def visitor(browser: Browser, server: Server, theme: str) -> Iterator[Visitor]:
    context = browser.new_context(
        viewport={"width": 1280, "height": 800},
        color_scheme="dark" if theme == "dark" else "light",
        permissions=["clipboard-read", "clipboard-write"],
    )
    context.set_default_timeout(60_000)
    opened = Visitor(context, server)
    login = context.new_page()
    login.goto(server.login)
    login.close()
    yield opened
    context.close()
    assert opened.faults == []
    assert opened.hosts == {f"127.0.0.1:{server.port}"}, "the page asks nobody but its server"


def shot(page: Page, name: str) -> None:
    """A picture of what was seen, to be looked at."""
    SHOTS.mkdir(exist_ok=True)
    page.screenshot(path=SHOTS / f"{name}.png")
