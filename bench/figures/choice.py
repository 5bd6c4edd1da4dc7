"""Choice blocks: how fast an input is read, a dialogue goes on, and a door answers."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import urlsplit

from antiphon.choice import dialogue, loading
from antiphon.choice.answer import answer_in
from antiphon.choice.dialogue import Said
from bench.rows import Ratio, Row, Stage, merged, p50, spread
from bench.servers import Serving

CLASSIFIED_MIN = 100_000
ADVANCED_MIN = 20_000
RATIO_MAX = 1.3
FLOW = {
    "flow": "deploy",
    "steps": [
        {"key": "env", "ask": "Which one?", "select": "one", "options": ["dev", "staging", "prod"]},
        {"key": "region", "ask": "Which ones?", "select": "many", "options": ["eu", "us", "ap"]},
    ],
}
KEYS = frozenset(("env", "region"))
INPUTS = (
    "1", "4", "1,3", "option 2", "feat/release-v0.2.9", "env=2 region=1,3", "cancel.", "",
    "Выполнить коммит и push 8080", "选1", "listen on port 8080",
)  # fmt: skip


def measure(stage: Stage) -> Iterator[Row]:
    rounds, count = stage.size.pick(1, 7, 15), stage.size.pick(100, 5_000, 20_000)
    yield _rate("inputs classified", [_classified(count) for _ in range(rounds)], CLASSIFIED_MIN)
    yield _rate(
        "`advance`, with its block", [_advanced(count) for _ in range(rounds)], ADVANCED_MIN
    )
    yield from _over_http(stage)


def _rate(what: str, rates: Sequence[float], least: int) -> Row:
    rate = p50(rates)
    return Row(
        f"{what} a second, one core",
        f"{rate:,.0f}",
        f"{min(rates):,.0f} to {max(rates):,.0f}",
        None,
        f"≥ {least:,}",
        rate >= least,
    )


def _classified(count: int) -> float:
    started = time.perf_counter()
    for _ in range(count):
        for text in INPUTS:
            answer_in(text, 3, is_many=False, keys=KEYS)
    return count * len(INPUTS) / (time.perf_counter() - started)


def _advanced(count: int) -> float:
    """A whole dialogue, again and again: two answers, a wrong one, free text, compact input."""
    flow = loading.from_object(FLOW)
    first = dialogue.started(flow).state
    inputs = [Said(text) for text in ("2", "option 2", "use blue-green", "1,3", "2", "env=1")]
    started = time.perf_counter()
    for _ in range(count):
        state = first
        for said in inputs:
            state = dialogue.advance(flow, state, said).state
    return count * len(inputs) / (time.perf_counter() - started)


def _over_http(stage: Stage) -> Iterator[Row]:
    """The empty route is an operation with nothing to do, called in the same way."""
    rounds, count = stage.size.pick(1, 15, 40), stage.size.pick(3, 300, 500)
    answers: list[list[float]] = []
    empty: list[list[float]] = []
    health: list[list[float]] = []
    with Serving(stage.folder / "choice") as serving:
        token = (serving.state_dir / "token").read_text().strip()
        client = _Client(serving.address, token)
        state = client.asked("/api/flow/start", flow=FLOW)["state"]
        body = json.dumps({"state": state, "input": "2"})
        for _ in range(rounds):
            health.append(_times(count, lambda: client.call("GET", "/healthz")))
            empty.append(_times(count, lambda: client.call("POST", "/api/pty/list", "{}")))
            answers.append(_times(count, lambda: client.call("POST", "/api/flow/answer", body)))
        client.connection.close()
    ratio = Ratio.of(answers, empty).middle
    yield Row(
        "`flow.answer` over HTTP, beside an operation that does nothing",
        spread(merged(answers)),
        f"`pty.list` of nothing {spread(merged(empty))}",
        ratio,
        f"≤ {RATIO_MAX}",
        ratio <= RATIO_MAX,
    )
    yield Row(
        "the same, beside a GET without body, token or operation",
        spread(merged(answers)),
        f"`/healthz` {spread(merged(health))}",
        Ratio.of(answers, health).middle,
    )


class _Client:
    def __init__(self, address: str, token: str) -> None:
        self.connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def call(self, verb: str, path: str, body: str | None = None) -> bytes:
        self.connection.request(verb, path, body, self.headers)
        return self.connection.getresponse().read()

    def asked(self, path: str, **fields: object) -> dict[str, str]:
        answer: dict[str, str] = json.loads(self.call("POST", path, json.dumps(fields)))
        return answer


def _times(count: int, call: Callable[[], object]) -> list[float]:
    found = []
    for _ in range(count):
        started = time.perf_counter()
        call()
        found.append(time.perf_counter() - started)
    return found
