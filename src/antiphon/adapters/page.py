"""The page's built files, read once; without them, a small page that says so.

Only paths that were files when the server began exist: no name from outside touches the disk.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from antiphon.adapters import limits
from antiphon.adapters.http_security import PAGE_POLICY

# Addresses of the page's views; the page itself reads them.
VIEWS = (
    "/t/{conversation_id}", "/questions", "/repl", "/r/{session_id}", "/tasks", "/tasks/{task_id}",
)  # fmt: skip
_VIEW = re.compile(r"/[tr]/[^/]+|/questions|/repl|/tasks(/[^/]+)?")
BUILT = Path(__file__).parent / "page"
ABSENT = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Antiphon</title>
<h1>Antiphon</h1>
<p>This server runs, and the page is not part of this build of it.</p>
<p>Its operations are described at <a href="/openapi.json">/openapi.json</a>.</p>
</html>
"""


@dataclass(frozen=True)
class File:
    body: bytes
    media_type: str
    etag: str

    @cached_property
    def packed(self) -> bytes | None:
        """The same in gzip, where that is worth it; made when first asked for."""
        packed = gzip.compress(self.body, compresslevel=6, mtime=0)
        return packed if len(packed) < len(self.body) * 0.9 else None


@dataclass(frozen=True, slots=True)
class Page:
    files: dict[str, File]  # path on the server -> file

    @classmethod
    def built(cls, folder: Path = BUILT) -> Page:
        found = {
            f"/{path.relative_to(folder).as_posix()}": _file(path)
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.stat().st_size <= limits.PAGE_FILE_BYTES_MAX
        }
        start = found.get("/index.html") or _made(ABSENT.encode(), "text/html")
        return cls({**found, "/": start})

    def has(self, path: str) -> bool:
        return path in self.files or _VIEW.fullmatch(path) is not None

    async def respond(self, request: Request) -> Response:
        path = request.url.path
        file = self.files.get(path, self.files["/"])
        headers = {"etag": file.etag, "cache-control": _kept(path)}
        if file.media_type == "text/html":
            headers["content-security-policy"] = PAGE_POLICY.decode()
        if request.headers.get("if-none-match") == file.etag:
            return Response(status_code=304, headers=headers)
        if file.packed is None:
            return Response(file.body, headers=headers, media_type=file.media_type)
        headers["vary"] = "accept-encoding"
        if not _takes_gzip(request.headers.get("accept-encoding", "")):
            return Response(file.body, headers=headers, media_type=file.media_type)
        headers["content-encoding"] = "gzip"
        return Response(file.packed, headers=headers, media_type=file.media_type)


def _kept(path: str) -> str:
    """What is named by its content stays; whatever names it is asked for again."""
    return "max-age=31536000, immutable" if path.startswith("/assets/") else "no-cache"


def _file(path: Path) -> File:
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return _made(path.read_bytes(), kind)


def _made(body: bytes, media_type: str) -> File:
    return File(body, media_type, f'"{hashlib.sha256(body).hexdigest()[:32]}"')


def _takes_gzip(accepted: str) -> bool:
    for one in accepted.split(","):
        name, _, quality = one.replace(" ", "").partition(";q=")
        if name in {"gzip", "*"}:
            return quality.strip("0.") != "" or quality == ""
    return False
