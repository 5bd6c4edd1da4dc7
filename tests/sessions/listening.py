"""A listener to a session's server-sent events, in a thread of its own."""

from __future__ import annotations

import http.client
import json
import queue
import socket
import threading
from dataclasses import dataclass
from typing import Any, Self

from tests.sessions.talking import Talk

WAIT_S_MAX = 120


@dataclass(frozen=True)
class Heard:
    id: int
    event: str
    data: dict[str, Any]


class Listener:
    """Connected, it hears what happens from then on, or from an event on."""

    def __init__(self, talk: Talk, last_event_id: str | None = None) -> None:
        serving = talk.serving
        self.connection = http.client.HTTPConnection(serving.host, timeout=WAIT_S_MAX)
        headers = {"Authorization": f"Bearer {serving.token}", "Accept": "text/event-stream"}
        if last_event_id is not None:
            headers["Last-Event-ID"] = last_event_id
        path = f"/api/session/{talk.session_id}/events"
        self.connection.request("GET", path, headers=headers)
        self.response = self.connection.getresponse()
        self.status = self.response.status
        self.type = self.response.getheader("content-type")
        self.events: queue.Queue[Heard] = queue.Queue()
        if self.status == 200:
            assert self.response.readline() == b": listening\n"
            self.thread = threading.Thread(target=self._listen, daemon=True)
            self.thread.start()

    def _listen(self) -> None:
        said: dict[str, str] = {}
        try:
            while line := self.response.readline().decode():
                if line == "\n":
                    if said:
                        heard = Heard(int(said["id"]), said["event"], json.loads(said["data"]))
                        self.events.put(heard)
                    said = {}
                elif not line.startswith(":"):
                    name, _, value = line.rstrip("\n").partition(": ")
                    said[name] = value
        except (OSError, ValueError, AttributeError):
            return  # the test has heard enough

    def until(self, state: str) -> list[Heard]:
        """All events up to the one of this state."""
        found = [self.events.get(timeout=WAIT_S_MAX)]
        while found[-1].data.get("state") != state:
            found.append(self.events.get(timeout=WAIT_S_MAX))
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.status == 200:
            # Whoever reads is woken: a close alone waits for the next line.
            self.connection.sock.shutdown(socket.SHUT_RDWR)
            self.thread.join()
        self.response.close()
        self.connection.close()
