"""The HTTP door: a route for each operation, and what a server owes its neighbours.

Routes come from METHODS.  Every answer of an operation is 200, a malformed request 422, unless
its contract gives refusals statuses of their own; other statuses say that there was no request
at all.  What may come in is http_security's question, what is in it http_body's.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from antiphon.adapters import bridge, http_events, http_export, metrics, openapi, reconcile
from antiphon.adapters.chat import Chat
from antiphon.adapters.chat_http import ChatEndpoint
from antiphon.adapters.front import Front, Reply, our_mistake, outcome
from antiphon.adapters.http_body import Gone, arguments_of, until_gone, whole_numbers
from antiphon.adapters.http_security import (
    Guard,
    Keys,
    NoRequest,
    own_hosts,
    send_json,
    send_refusal,
)
from antiphon.adapters.known_routes import KnownRoutes
from antiphon.adapters.mcp_http import McpDoor
from antiphon.adapters.mcp_rooms import Room
from antiphon.adapters.page import VIEWS, Page
from antiphon.adapters.websocket import Viewer
from antiphon.base.errors import Code, Refused
from antiphon.wire import codec
from antiphon.wire.methods import METHODS, Method

CODE_IS_OLD = "the code was used already, or is too old; `antiphon browse` prints a new one"
CODE_IS_OLD_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Antiphon: no way in</title>
<h1>This address does not work any more</h1>
<p>Its code was used already, or is too old. On the server's machine, this prints a new one:</p>
<pre>antiphon browse</pre>
</html>
"""
NOTHING_HERE_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Antiphon: nothing here</title>
<main>
<h1>There is nothing at this address</h1>
<p><a href="/">The page of Antiphon</a> is at the beginning of it.</p>
</main>
</html>
"""
Ask = Callable[[dict[str, object]], Awaitable[Reply]]

STATUS = {
    "invalid_request": HTTPStatus.UNPROCESSABLE_ENTITY,
    "host_unavailable": HTTPStatus.INTERNAL_SERVER_ERROR,
}
# Where a refusal has a status of its own: operations whose contract says so.
STATUSES = {
    **STATUS,
    **dict.fromkeys(
        ("not_found", "session_not_found", "ref_not_found", "entity_not_found", "option_not_found"),
        HTTPStatus.NOT_FOUND,
    ),
    **dict.fromkeys(("entity_type_mismatch", "not_offered"), HTTPStatus.UNPROCESSABLE_ENTITY),
    **dict.fromkeys(
        (
            "invalid_event", "not_ready", "busy", "session_terminal", "plan_consumed",
            "plan_stale", "stale_rev", "no_history", "ref_already_resolved", "stale_response",
        ),
        HTTPStatus.CONFLICT,
    ),
    "limit_reached": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "storage_full": HTTPStatus.INSUFFICIENT_STORAGE,
    "model_failed": HTTPStatus.BAD_GATEWAY,
    "source_failed": HTTPStatus.BAD_GATEWAY,
    "model_timeout": HTTPStatus.GATEWAY_TIMEOUT,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Address:
    """Where the server listens, as clients must name it."""

    host: str
    port: int
    others: tuple[str, ...] = ()

    @property
    def cookie(self) -> str:
        # A cookie belongs to every port of a host; two servers must not take each other's.
        return f"antiphon_{self.port}"


def application(front: Front, keys: Keys, address: Address, rooms: Sequence[Room] = ()) -> ASGIApp:
    page = Page.built()
    mcp = McpDoor(front, rooms)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with mcp.open():
            yield

    app = Starlette(
        routes=routes(front, keys, address, page, mcp),
        exception_handlers={
            HTTPException: _no_route,
            Exception: _our_mistake,
        },
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.router.middleware_stack = KnownRoutes(app.router)
    return Guard(
        app,
        keys,
        own_hosts(address.host, address.port, address.others),
        address.cookie,
        lambda path: path in ("/healthz", "/login") or page.has(path),
        frozenset(address.others),
    )


def routes(front: Front, keys: Keys, address: Address, page: Page, mcp: McpDoor) -> list[BaseRoute]:
    """The whole table, the busiest first."""

    async def health(_: Request) -> Response:
        return _json({"ok": True})

    async def measures(_: Request) -> Response:
        return Response(metrics.text(front), media_type=metrics.MEDIA_TYPE)

    async def described(_: Request) -> Response:
        return Response(openapi.document(), media_type="application/json")

    async def login(request: Request) -> Response:
        session = keys.redeem(request.query_params.get("code", ""))
        if session is None:
            return _no_way_in(request)
        cookie = f"{address.cookie}={session}; Path=/; HttpOnly; SameSite=Strict"
        return Response(status_code=HTTPStatus.SEE_OTHER, headers={
            "location": "/", "set-cookie": cookie, "cache-control": "no-store",
        })  # fmt: skip

    async def told(request: Request) -> Response:
        return await http_events.respond(front, request)

    async def new_code(_: Request) -> Response:
        return _json({"ok": True, "code": keys.make_code()})

    chat = front.chat or Chat()
    table: list[BaseRoute] = [Route(Calls.PATH, Calls(front), methods=["POST"])]
    for method in METHODS.values():
        table.extend(_operation(front, method))
    for verb, ask in bridge.asks(front).items():
        verbs = ["GET", "POST"] if verb == "status" else ["POST"]
        table.append(Route(f"/api/mcp/agent-pty/{verb}", Endpoint(ask), methods=verbs))
    return [
        *table,
        WebSocketRoute("/api/pty/{conversation_id}/stream", Viewer(front, is_live=False)),
        WebSocketRoute("/api/pty/{conversation_id}/live", Viewer(front, is_live=True)),
        Route(http_events.PATH, told, methods=["GET"]),
        Route(http_export.PATH, http_export.Export(front).respond, methods=["GET"]),
        *reconcile.routes(front),
        Route("/api/login", new_code, methods=["POST"]),
        Route("/mcp", mcp, methods=["GET", "POST", "DELETE"]),
        Route("/v1/chat/completions", ChatEndpoint(chat.answer), methods=["POST"]),
        Route("/v1/models", ChatEndpoint(chat.models), methods=["GET"]),
        Route("/openapi.json", described),
        Route("/metrics", measures),
        Route("/healthz", health),
        Route("/login", login),
        *(Route(path, page.respond) for path in page.files),
        *(Route(path, page.respond) for path in VIEWS),
    ]


def _operation(front: Front, method: Method) -> list[Route]:
    endpoint = _endpoint(front, method)
    # An entity's id is what its table says, and may have a slash.
    path = re.sub(r"{entity_id}$", "{entity_id:path}", method.path)
    found = [Route(path, endpoint, methods=[method.http_verb])]
    found[0].path = method.path  # as it is told
    if method.listing:
        found.append(Route(method.listing, endpoint, methods=["GET"]))
    return found


def _endpoint(front: Front, method: Method) -> Endpoint:
    async def ask(arguments: dict[str, object]) -> Reply:
        return await front.answer(method.name, arguments)

    return Endpoint(ask, Expected.of(method))


class Calls:
    """Any operation by its name, all its fields in the body: nothing has to fit into a path."""

    PATH = "/api/call/{operation}"

    def __init__(self, front: Front) -> None:
        self.endpoints = {name: _endpoint(front, method) for name, method in METHODS.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name: str = scope["path_params"].pop("operation")
        if name in self.endpoints:
            await self.endpoints[name](scope, receive, send)
            return
        message = f"no operation is named {name[:80]!r}; there are: {', '.join(METHODS)}"
        refused = NoRequest(HTTPStatus.NOT_FOUND, Code.NOT_FOUND, message)
        await send_refusal(scope, send, refused)


@dataclass(frozen=True, slots=True)
class Expected:
    """What a route takes and how it answers."""

    waits: bool = False
    numbers: frozenset[str] = frozenset()  # fields that are numbers, also in a query
    status: HTTPStatus = HTTPStatus.OK
    statuses: Mapping[str, HTTPStatus] = field(default_factory=lambda: STATUS)
    malformed: HTTPStatus = HTTPStatus.BAD_REQUEST

    @classmethod
    def of(cls, method: Method) -> Expected:
        return cls(
            "timeout_ms" in method.fields,
            whole_numbers(method.request),
            HTTPStatus.CREATED if method.makes else HTTPStatus.OK,
            STATUSES if method.has_statuses else STATUS,
            HTTPStatus.UNPROCESSABLE_ENTITY if method.has_statuses else HTTPStatus.BAD_REQUEST,
        )


class Endpoint:
    """JSON in, one question to the service, JSON out."""

    def __init__(self, ask: Ask, expected: Expected = Expected()) -> None:
        self.ask = ask
        self.expected = expected

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            arguments = await arguments_of(
                scope, receive, self.expected.numbers, self.expected.malformed
            )
        except NoRequest as refused:
            await send_refusal(scope, send, refused, receive)
            return
        except Gone:
            return
        try:
            reply = await self._reply(arguments, receive)
        except Gone:
            return
        except asyncio.CancelledError:  # the server stops, and has waited long enough
            stopping = (
                "the server is stopping, and does not know how this ends; look, then ask again"
            )
            reply = codec.refusal(Refused(Code.HOST_UNAVAILABLE, stopping))
        said = outcome(reply)
        default = self.expected.status if said == "ok" else HTTPStatus.OK
        status = self.expected.statuses.get(said, default)
        await send_json(send, status, codec.encoded(reply))

    async def _reply(self, arguments: dict[str, object], receive: Receive) -> Reply:
        if not self.expected.waits:
            return await self.ask(arguments)
        return await until_gone(_coroutine(self.ask(arguments)), receive)


async def _coroutine(ask: Awaitable[Reply]) -> Reply:
    return await ask


def _no_way_in(request: Request) -> Response:
    """For people a page; for programs a refusal as everywhere."""
    if not _takes_html(request):
        refused = Refused(Code.UNAUTHORIZED, CODE_IS_OLD)
        return _json(codec.refusal(refused), HTTPStatus.UNAUTHORIZED)
    return _for_people(CODE_IS_OLD_PAGE, HTTPStatus.UNAUTHORIZED)


def _for_people(text: str, status: int) -> Response:
    headers = {
        "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'",
        "cache-control": "no-store",
    }  # fmt: skip
    return Response(text, status, headers, "text/html")


def _takes_html(request: Request) -> bool:
    """It says so itself: whoever takes just anything is no browser."""
    taken = ",".join(request.headers.getlist("accept")).lower().split(",")
    return any(one.partition(";")[0].strip() == "text/html" for one in taken)


def _json(body: dict[str, object], status: int = HTTPStatus.OK) -> Response:
    return Response(codec.encoded(body), status, {"cache-control": "no-store"}, "application/json")


async def _no_route(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == HTTPStatus.NOT_FOUND and _takes_html(request):
        return _for_people(NOTHING_HERE_PAGE, HTTPStatus.NOT_FOUND)
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        accepted = (error.headers or {}).get("Allow", "another method")
        message = f"{request.method} is not accepted here; {accepted} is"
        refused = Refused(Code.INVALID_REQUEST, message)
    else:
        refused = Refused(
            Code.NOT_FOUND, f"there is nothing at {request.url.path[:200]!r}; see /openapi.json"
        )
    answer = _json(codec.refusal(refused), error.status_code)
    answer.headers.update(error.headers or {})
    return answer


async def _our_mistake(_: Request, __: Exception) -> Response:
    return _json(our_mistake(), HTTPStatus.INTERNAL_SERVER_ERROR)
