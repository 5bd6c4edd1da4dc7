"""A session over HTTP as a small class, and a server that the tests of a module share."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from tests.doors.doorways import Serving

Answer = dict[str, Any]


@dataclass
class Talk:
    """One session: each method asks and keeps what was answered."""

    serving: Serving
    session_id: str = ""
    status: int = 0
    answer: Answer = field(default_factory=dict)

    @classmethod
    def begin(cls, serving: Serving) -> Talk:
        talk = cls(serving)
        talk.ask("POST", "/api/session")
        assert talk.status == 201, talk.answer
        talk.session_id = talk.answer["session_id"]
        return talk

    def ask(self, verb: str, path: str, /, **body: object) -> Answer:
        self.status, self.answer = self.serving.exchange(verb, path, json.dumps(body).encode())
        return self.answer

    def to(self, verb: str, rest: str = "", /, **body: object) -> Answer:
        return self.ask(verb, f"/api/session/{self.session_id}{rest}", **body)

    # --- what is asked ------------------------------------------------------------

    def get(self) -> Answer:
        return self.to("GET")

    def say(self, *messages: str, **more: object) -> Answer:
        for message in messages:
            self.to("POST", "/chat", message=message, **more)
            assert self.status == 200, (message, self.answer)
        return self.answer

    def edit(self, source: str, **more: object) -> Answer:
        return self.to("PUT", "/dsl", source=source, **more)

    def act(self, action: str, **more: object) -> Answer:
        return self.to("POST", "/action", action=action, **more)

    def resolve(self, ref_id: str, entity_id: str, **more: object) -> Answer:
        return self.to("POST", "/resolve", ref_id=ref_id, entity_id=entity_id, **more)

    def pick(self, display: str, at: int = 0) -> Answer:
        """Resolve a pending reference with the candidate of this name."""
        ref = self.refs[at]
        found = next(one for one in ref["initial_matches"] if one["display"] == display)
        return self.resolve(ref["ref_id"], found["id"])

    def execute(self, **more: object) -> Answer:
        return self.to("POST", "/execute", **more)

    def run(self, source: str) -> Answer:
        """The program, written and run to its end."""
        self.edit(source)
        assert self.state == "ready_to_run", self.answer
        self.executed()
        assert self.state == "executed", self.answer
        return self.answer

    def executed(self) -> Answer:
        """A run to its end, which may take longer than an answer waits for it."""
        self.execute()
        while self.state == "executing":
            self.get()
        return self.answer

    def until_it_waits(self, conversation: str) -> None:
        """The command of a run is there to be typed to."""
        mode = None
        while mode != "block_running":
            mode = self.serving.post(f"/api/pty/{conversation}/status", b"{}")[1].get("mode")

    # --- what was answered --------------------------------------------------------

    @property
    def state(self) -> str:
        found: str = self.answer["session_state"]["state"]
        return found

    @property
    def refs(self) -> list[Answer]:
        found: list[Answer] = self.answer["unresolved_refs"]
        return found

    @property
    def source(self) -> str:
        found: str = self.answer["dsl_source"]
        return found

    @property
    def rev(self) -> int:
        found: int = self.answer["rev"]
        return found

    def refused(self, status: int, code: str) -> Answer:
        assert (self.status, self.answer.get("error")) == (status, code), self.answer
        return self.answer

    def code_of(self) -> str:
        return str(self.answer.get("error", "ok"))
