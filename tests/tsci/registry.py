"""What the real tsci finds on the web, on loopback: parts, their drawings, and packages.

    with Registry() as registry:  # registry.url is what TSCI_REGISTRY wants

A request comes as `/<host>/<path>`; only the path is looked at.  What is `held` is answered when
it is let go, so that a test can look at a slow service for as long as it wants.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import tarfile
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlsplit

from tests.tsci.drawing import drawing

HELD_S_MAX = 300


@dataclass(frozen=True)
class Part:
    number: int
    name: str
    words: str = ""

    @property
    def row(self) -> dict[str, object]:
        return {"lcsc": self.number, "mfr": self.name, "package": "SOIC-4",
                "description": self.words, "stock": 100, "price": 0.5}  # fmt: skip

    @property
    def option(self) -> str:
        """As a menu of tsci shows it."""
        return f"[jlcpcb] {self.name} (C{self.number}) - {self.words}"


# By what is searched for.
PARTS = {
    "BQ79616": [
        Part(101, "BQ79616PAPRQ1", "16-S monitor"),
        Part(102, "BQ79616PAPQ1", "16-S monitor, tray"),
        Part(103, "BQ79614PAPRQ1", "14-S monitor"),
    ],
    "LM358": [Part(200 + row, f"LM358-{row:02}", f"variant {row}") for row in range(14)],
    "TPS54331": [Part(301, "TPS54331DR", "buck converter")],
    "C424242": [Part(424242, "LISTED-42", "found by its number")],
    "OVERWRITE": [Part(302, "BQ79616PAPRQ1", "a file that another part has")],
    "FAILPART": [
        Part(401, "FAIL-OK", "has a drawing"),
        Part(402, "FAIL-404", "has none"),
        Part(403, "FAIL-403", "may not be seen"),
    ],
    "SLOWIMPORT": [Part(501, "SLOW-1", "held"), Part(502, "SLOW-2", "held")],
    "SLOWSEARCH": [Part(601, "LATE-1", "held"), Part(602, "LATE-2", "held")],
    "ODD": [
        Part(701, "ODD-1", "電池監視 IC (日本語の説明)"),
        Part(702, "ODD-2", "battery 🔋 monitor ≥ 16S µA"),
        Part(703, "ODD-3", "? Are you sure › (y/N)"),
        Part(704, "ODD-4", "❯ looks chosen"),
        Part(705, "ODD-5", "> looks chosen too"),
        Part(706, "ODD-6", "a text that goes on and on " * 8 + "to its end"),
        Part(707, "ODD-7", "- Use arrow-keys. Return to submit."),
    ],
    "sensor": [Part(801, "SENSE-1", "a part beside packages")],
}
UNLISTED = Part(999, "DIRECT-99", "has a drawing and is in no list")
PACKAGES = {"sensor": ["acme/sensor", "zeta/pressure", "gone/missing"]}
MISSING, FORBIDDEN = 402, 403
ALL = {part.number: part for parts in PARTS.values() for part in parts} | {999: UNLISTED}


def uuid_of(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()[:32]


def tarball(name: str) -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        package = {"name": name, "version": "1.0.0", "main": "index.js"}
        for path, text in (("package.json", json.dumps(package)), ("index.js", "")):
            info = tarfile.TarInfo(f"package/{path}")
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text.encode()))
    return gzip.compress(raw.getvalue(), mtime=0)


class Registry(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.asked: list[str] = []
        self.held: set[str] = set()  # what is searched for, or a part's number
        self.holding: set[str] = set()  # of these, what was asked for
        self.let_go = threading.Event()

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.let_go.set()
        self.shutdown()
        self.server_close()

    def hold(self, what: str) -> None:
        if what in self.held:
            self.holding.add(what)
            self.let_go.wait(HELD_S_MAX)

    def is_holding(self, what: str) -> bool:
        return what in self.holding


class Handler(BaseHTTPRequestHandler):
    server: Registry
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def answer(self, content: object, status: int = 200) -> None:
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        self.wfile.write(data)

    def do_GET(self) -> None:  # http.server calls it so
        url = urlsplit(self.path)
        path, words = unquote(url.path), parse_qs(url.query)
        self.server.asked.append(path)
        if path.endswith("/api/search"):
            self.search(words.get("q", [""])[0])
        elif path.endswith("/kicad_files.json"):
            self.answer(["Package_SO.pretty/SOIC-8_3.9x4.9mm_P1.27mm.kicad_mod"])
        elif "/api/components/" in path:
            self.drawn(path.rsplit("/", 1)[1])
        elif "/@tsci/" in path:
            self.package(path.split("/@tsci/")[1])
        elif path.endswith("/datasheets/list"):
            self.answer({"datasheets": []})
        else:
            self.answer({"error": "not found"}, 404)

    def do_POST(self) -> None:
        path = urlsplit(self.path).path
        text = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
        self.server.asked.append(path)
        if path.endswith("/packages/search"):
            found = PACKAGES.get(json.loads(text)["query"], [])
            about = {"version": "1.0.0", "description": "", "star_count": 1}
            self.answer({"packages": [{"name": name, **about} for name in found]})
        elif path.endswith("/api/components/search"):
            self.drawings(parse_qs(text)["wd"][0])
        else:
            self.answer({"error": "not found"}, 404)

    def do_CONNECT(self) -> None:
        """The proxy that lets nothing through."""
        self.server.asked.append(f"CONNECT {self.path}")
        self.answer({"error": "there is no web here"}, 403)

    def search(self, words: str) -> None:
        self.server.hold(words)
        if words == "HTML":
            self.answer(b"<html>bad gateway</html>", 502)
        elif words == "DROP":
            self.close_connection = True
            self.connection.close()
        else:
            self.answer({"components": [part.row for part in PARTS.get(words, [])]})

    def drawings(self, number: str) -> None:
        """Which drawings there are for a part."""
        self.server.hold(number)
        part = ALL.get(int(number.removeprefix("C")))
        if part is not None and part.number == FORBIDDEN:
            self.answer({"error": "forbidden"}, 403)
        elif part is None or part.number == MISSING:
            self.answer({"success": True, "result": {"lists": {"lcsc": []}}})
        else:
            hit: dict[str, Any] = {
                "uuid": uuid_of(part.number), "title": part.name,
                "lcsc": {"number": number}, "szlcsc": {"number": number},
                "dataStr": {"head": {"c_para": {"Supplier Part": number}}},
            }  # fmt: skip
            self.answer({"success": True, "result": {"lists": {"lcsc": [hit]}}})

    def drawn(self, uuid: str) -> None:
        part = next((one for one in ALL.values() if uuid_of(one.number) == uuid), None)
        if part is None:
            self.answer({"success": False}, 404)
            return
        content = drawing(uuid, f"C{part.number}", part.name)
        self.answer({"success": True, "code": 0, "result": content})

    def package(self, rest: str) -> None:
        short, _, file = rest.partition("/-/")
        name = f"@tsci/{short}"
        known = {one.replace("/", ".") for names in PACKAGES.values() for one in names}
        if short not in known or short.startswith("gone."):
            self.answer({"error": "there is no such package"}, 404)
            return
        data = tarball(name)
        if file:
            self.answer(data)
            return
        digest = base64.b64encode(hashlib.sha512(data).digest()).decode()
        dist = {
            "tarball": f"{self.server.url}/npm/{name}/-/1.0.0.tgz",
            "integrity": f"sha512-{digest}", "shasum": hashlib.sha1(data).hexdigest(),
        }  # fmt: skip
        version = {"name": name, "version": "1.0.0", "main": "index.js", "dist": dist}
        self.answer(
            {"name": name, "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}
        )
