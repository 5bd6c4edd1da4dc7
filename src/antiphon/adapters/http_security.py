"""Who may come in: exact hosts, exact origins, a token or the page's cookie.  For every route.

`Guard` stands in front of everything that HTTP and WebSocket can reach, and refuses before
anything behind it sees a byte.  It compares whole names: prefixes let `127.0.0.1:evil.com` in.
It does not know what the routes do.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import get_args

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from antiphon.adapters import limits
from antiphon.base.errors import Code, Refused
from antiphon.service.principal import LOCAL, calling, hand
from antiphon.wire import codec
from antiphon.wire.inputs import By

# Where a request's scope says who sent it, for doors that answer in another task.
PRINCIPAL = "antiphon.principal"
# In which a client with a token says what kind of caller it is.
HAND_HEADER = "antiphon-by"
_HANDS: tuple[By, ...] = get_args(By)
SAFE_METHODS = frozenset({"GET", "HEAD"})
# A viewer's page gets its code and its data from us alone.  Styles may be inline: terminals
# and editors set them element by element, and a style cannot run anything.
PAGE_POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    b"img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; "
    b"form-action 'none'; frame-ancestors 'none'"
)
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
NO_STORE = (b"cache-control", b"no-store")


class NoRequest(Refused):
    """What came is no request at all; it has an HTTP status of its own."""

    def __init__(self, status: HTTPStatus, code: Code, message: str) -> None:
        super().__init__(code, message)
        self.status = status


class Stopping(NoRequest):
    """The server stops before it has the answer."""

    def __init__(self) -> None:
        super().__init__(
            HTTPStatus.INTERNAL_SERVER_ERROR, Code.HOST_UNAVAILABLE, "the server stops"
        )


@dataclass(slots=True)
class Keys:
    """What opens the door: tokens, one-time codes, and the sessions got with them."""

    tokens: tuple[str, ...]
    now: Callable[[], float]
    codes: dict[str, float] = field(default_factory=dict)
    date: Callable[[], float] = time.time
    page_key: bytes = field(default_factory=lambda: secrets.token_bytes(32))

    def opens(self, token: str) -> bool:
        given = token.encode()
        return any(secrets.compare_digest(given, kept.encode()) for kept in self.tokens)

    def principal(self, token: str) -> str:
        """Whose token it is.  The first is the one in the state directory's own file, which only
        its user can read; an operator's token is a caller of its own.
        """
        if secrets.compare_digest(token.encode(), self.tokens[0].encode()):
            return LOCAL
        return "token:" + hashlib.sha256(token.encode()).hexdigest()

    def make_code(self) -> str:
        self._drop_old_codes()
        while len(self.codes) >= limits.LOGIN_CODES_MAX:
            del self.codes[next(iter(self.codes))]
        code = secrets.token_urlsafe(24)
        self.codes[code] = self.now() + limits.LOGIN_CODE_S_MAX
        return code

    def redeem(self, code: str) -> str | None:
        """A session for a code that was never used and is not old.

        The session is no token: a cookie reaches every port of its host.  It is signed with a
        key of the state directory, so that it lasts when the server is started again.
        """
        self._drop_old_codes()
        given = code.encode()
        found = [kept for kept in self.codes if secrets.compare_digest(given, kept.encode())]
        if not found:
            return None
        del self.codes[found[0]]
        until = int(self.date()) + limits.SESSION_S_MAX
        return self._signed(f"{until}.{secrets.token_urlsafe(24)}")

    def has_session(self, session: str) -> bool:
        said, _, _ = session.rpartition(".")
        until, _, _ = said.partition(".")
        if not secrets.compare_digest(self._signed(said).encode(), session.encode()):
            return False
        return int(until) > self.date()

    def _signed(self, said: str) -> str:
        return f"{said}.{hmac.new(self.page_key, said.encode(), hashlib.sha256).hexdigest()}"

    def _drop_old_codes(self) -> None:
        now = self.now()
        self.codes = {code: until for code, until in self.codes.items() if until > now}


def own_hosts(host: str, port: int, others: Iterable[str] = ()) -> frozenset[str]:
    """Every Host header that names this server."""
    names = {"127.0.0.1", "localhost", "[::1]"}
    if host not in {"0.0.0.0", "::", ""}:  # noqa: S104 - a wildcard is no name
        names.add(f"[{host}]" if ":" in host else host)
    bare = names if port == 80 else set()  # the only port a browser leaves out
    return frozenset({f"{name}:{port}" for name in names} | bare | set(others))


def own_origins(host: str, others: frozenset[str]) -> set[str]:
    """The origins of a page that this host served; a configured name may stand behind TLS."""
    return {f"http://{host}", f"https://{host}"} if host in others else {f"http://{host}"}


@dataclass(frozen=True, slots=True)
class Guard:
    app: ASGIApp
    keys: Keys
    hosts: frozenset[str]
    cookie: str
    is_public: Callable[[str], bool]
    named_hosts: frozenset[str] = frozenset()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            await self.app(scope, receive, send)
            return
        try:
            who = self._check(scope)
            by = _hand(scope)
        except NoRequest as refused:
            await send_refusal(scope, send, refused)
            return
        scope[PRINCIPAL] = who
        before = calling.set(who), hand.set(by)
        try:
            await self._pass(scope, receive, send)
        finally:
            calling.reset(before[0])
            hand.reset(before[1])

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self.app(scope, receive, send)
            return

        last: Message | None = None

        async def send_hardened(message: Message) -> None:
            nonlocal last
            last = message
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            await send(message)

        try:
            await self.app(scope, receive, send_hardened)
        except asyncio.CancelledError:
            # The server stops, and has waited long enough: who asks is told, and a stream ends.
            if last is None:
                await send_refusal(scope, send_hardened, Stopping())
            elif last["type"] == "http.response.start" or last.get("more_body"):
                await send({"type": "http.response.body", "body": b""})

    def _check(self, scope: Scope) -> str:
        """Who it is; what everybody may see is asked for by nobody in particular."""
        headers = scope["headers"]
        host = _only(headers, b"host")
        if host not in self.hosts:
            raise NoRequest(
                HTTPStatus.FORBIDDEN,
                Code.UNAUTHORIZED,
                f"Host {(host or '')[:80]!r} is not this server",
            )
        origin = _only(headers, b"origin")
        if origin is not None and origin not in own_origins(host, self.named_hosts):
            raise NoRequest(
                HTTPStatus.FORBIDDEN,
                Code.UNAUTHORIZED,
                f"Origin {origin[:80]!r} is not this server's own",
            )
        if scope["type"] == "http" and self.is_public(scope["path"]):
            return ""
        return self._check_key(scope, origin)

    def _check_key(self, scope: Scope, origin: str | None) -> str:
        given = _only(scope["headers"], b"authorization")
        if given is not None:
            scheme, _, token = given.partition(" ")
            if scheme.lower() == "bearer" and self.keys.opens(token.strip()):
                return self.keys.principal(token.strip())
            raise NoRequest(HTTPStatus.UNAUTHORIZED, Code.UNAUTHORIZED, "the token is not valid")
        session = _cookie(scope["headers"], self.cookie)
        if session is None or not self.keys.has_session(session):
            raise NoRequest(
                HTTPStatus.UNAUTHORIZED,
                Code.UNAUTHORIZED,
                "a token is needed: Authorization: Bearer, or the page's cookie",
            )
        is_safe = scope["type"] == "http" and scope["method"] in SAFE_METHODS
        if not is_safe and origin is None:
            raise NoRequest(
                HTTPStatus.FORBIDDEN,
                Code.UNAUTHORIZED,
                "with a cookie this needs the page's Origin header",
            )
        return LOCAL


async def send_json(
    send: Send, status: int, body: bytes, *headers: tuple[bytes, bytes], more: bool = False
) -> None:
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [
                (b"content-type", b"application/json"),
                (b"content-length", b"%d" % len(body)),
                NO_STORE,
                *headers,
            ],
        }
    )
    await send({"type": "http.response.body", "body": body, "more_body": more})


async def hear_out(receive: Receive) -> None:
    """What a client that was refused sends all the same.

    Most clients read no answer before they have sent everything, and a connection that is closed
    meanwhile takes the answer with it.
    """
    heard_bytes = 0
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(limits.HEAR_OUT_S_MAX):
            while heard_bytes < limits.HEAR_OUT_BYTES_MAX:
                message = await receive()
                heard_bytes += len(message.get("body", b""))
                if not message.get("more_body"):
                    return


async def send_refusal(
    scope: Scope, send: Send, refused: NoRequest, receive: Receive | None = None
) -> None:
    """The refusal over HTTP, also to a client that wanted a WebSocket: before the upgrade."""
    body = codec.encoded(codec.refusal(refused))
    extra = list(HEADERS) if scope["type"] == "websocket" else []
    match refused.status:
        case HTTPStatus.UNAUTHORIZED:
            extra.append((b"www-authenticate", b"Bearer"))
        case HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            # The rest of the body is not worth keeping.
            extra.append((b"connection", b"close"))
    if scope["type"] == "http":
        is_sending = refused.status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        if receive is None or not is_sending:
            await send_json(send, refused.status, body, *extra)
            return
        await send_json(send, refused.status, body, *extra, more=True)
        await hear_out(receive)
        await send({"type": "http.response.body", "body": b""})
    elif "websocket.http.response" in scope.get("extensions", {}):

        async def send_instead(message: Message) -> None:
            await send({**message, "type": f"websocket.{message['type']}"})

        await send_json(send_instead, refused.status, body, *extra)
    else:
        await send({"type": "websocket.close", "code": 1008})


def _hand(scope: Scope) -> By:
    """What kind of caller: a browser that is signed in has a person before it."""
    if _only(scope["headers"], b"authorization") is None:
        return "person"
    said = _only(scope["headers"], HAND_HEADER.encode())
    if said is None:
        return "program"
    for one in _HANDS:
        if said == one:
            return one
    raise NoRequest(
        HTTPStatus.BAD_REQUEST,
        Code.INVALID_REQUEST,
        f"{HAND_HEADER} is {said[:80]!r}; it is one of {', '.join(_HANDS)}, or left out",
    )


def _only(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> str | None:
    """The header's one value; two of a kind are an attack on whoever reads the other one."""
    found = [value for key, value in headers if key == name]
    if len(found) > 1:
        raise NoRequest(
            HTTPStatus.FORBIDDEN, Code.UNAUTHORIZED, f"{name.decode()} appears more than once"
        )
    return found[0].decode("latin-1") if found else None


def _cookie(headers: Iterable[tuple[bytes, bytes]], name: str) -> str | None:
    pairs = [
        pair.strip().partition("=")
        for key, value in headers
        if key == b"cookie"
        for pair in value.decode("latin-1").split(";")
    ]
    found = [value for key, _, value in pairs if key == name]
    return found[0] if len(found) == 1 else None
