from __future__ import annotations

import itertools
import re

import pytest
from starlette.routing import Route, WebSocketRoute

from antiphon.adapters import http, settings
from antiphon.adapters.http_security import Keys, own_hosts
from antiphon.adapters.limits import LOGIN_CODE_S_MAX, SESSION_S_MAX
from antiphon.adapters.mcp_http import McpDoor
from antiphon.adapters.page import VIEWS, Page
from antiphon.base.errors import Refused
from tests.clauses import clause
from tests.doors.running import BEARER, HOST, JSON, PORT, TOKEN, Clock, Inside, awaited

ORIGIN = f"http://{HOST}"
STREAM = "/api/pty/c/stream"
STATUS = "/api/pty/c/status"


def table() -> list[tuple[str, str]]:
    """Every route as (method, path), so that a new one cannot be forgotten here."""
    inside = Inside()
    page = Page.built()
    routes = http.routes(inside.front, inside.keys, inside.address, page, McpDoor(inside.front))
    found: list[tuple[str, str]] = []
    for route in routes:
        assert isinstance(route, Route | WebSocketRoute)
        path = re.sub(r"{.*?}", "c", route.path.replace("{operation}", "pty.list"))
        if isinstance(route, WebSocketRoute):
            found.append(("WEBSOCKET", path))
        else:
            found += [(method, path) for method in sorted(route.methods or {"GET"})]
    return found


SHOWN = {re.sub(r"{.*?}", "c", view) for view in VIEWS}
PUBLIC = {*Page.built().files, "/healthz", "/login", *SHOWN}
LOCKED = [row for row in table() if row[1] not in PUBLIC]
BAD_KEYS: dict[str, tuple[tuple[str, str], ...]] = {
    "none": (),
    "wrong": (("authorization", "Bearer nonsense"),),
    "empty": (("authorization", "Bearer "),),
    "prefix": (("authorization", f"Bearer {TOKEN[:-1]}"),),
    "longer": (("authorization", f"Bearer {TOKEN}x"),),
    "other scheme": (("authorization", f"Basic {TOKEN}"),),
    "bare": (("authorization", TOKEN),),
    "twice": (BEARER, BEARER),
    "unknown cookie": (("cookie", f"antiphon_{PORT}={TOKEN}"), ("origin", ORIGIN)),
    "not ascii": (("authorization", "Bearer \xff\xfe"),),
}


@clause("doors 11")
@pytest.mark.parametrize("key", BAD_KEYS)
@awaited
async def test_without_its_key_no_route_does_anything(key: str) -> None:
    inside = Inside()
    for method, path in LOCKED:
        for query in ("", f"?token={TOKEN}&access_token={TOKEN}"):
            headers = (*BAD_KEYS[key], JSON)
            if method == "WEBSOCKET":
                answer = await inside.knock(path + query, headers)
            else:
                answer = await inside.ask(method, path + query, headers, b"{}")
            assert answer.status in {401, 403}, (method, path, answer)
            assert answer.json["error"] == "unauthorized"
            assert TOKEN not in answer.body.decode()
    assert inside.desk.asked == []


@awaited
async def test_every_locked_route_opens_with_the_token() -> None:
    """The other half of the test above: what refuses everybody would pass it too."""
    inside = Inside()
    assert len(LOCKED) > 25
    for method, path in LOCKED:
        if path == "/mcp":
            continue  # tests of the MCP door
        if method == "WEBSOCKET":
            assert (await inside.knock(path, [BEARER])).status == 101
        else:
            asked = len(inside.desk.asked)
            answer = await inside.ask(method, path, body=b"{}")
            is_let_in = answer.status in {200, 422} or len(inside.desk.asked) > asked
            # A fake has neither files nor sessions.
            is_absent = answer.status == {"export": 500, "events": 404}.get(path.split("/")[-1])
            assert is_let_in or is_absent, (method, path, answer)


@awaited
async def test_a_route_that_is_not_there_says_so_only_to_those_who_may_come_in() -> None:
    inside = Inside()
    assert (await inside.ask("GET", "/nowhere", [])).status == 401
    answer = await inside.ask("GET", "/nowhere")
    assert (answer.status, answer.json["error"]) == (404, "not_found")


FOREIGN_HOSTS = [
    "127.0.0.1", "localhost", "[::1]", "evil.com", f"evil.com:{PORT}", "127.0.0.1:evil.com",
    f"127.0.0.1:{PORT}.evil.com", f"127.0.0.1.evil.com:{PORT}", f"localhost.evil.com:{PORT}",
    f"127.0.0.1.nip.io:{PORT}", f"0.0.0.0:{PORT}", f"[::ffff:127.0.0.1]:{PORT}", f"[::]:{PORT}",
    f"LOCALHOST:{PORT}", f"Localhost:{PORT}", f"localhost.:{PORT}", f"127.0.0.1.:{PORT}",
    f"127.1:{PORT}", f"2130706433:{PORT}", f"0x7f.0.0.1:{PORT}", f"127.0.0.2:{PORT}",
    f"127.0.0.1:{PORT + 1}", f"127.0.0.1:0{PORT}", f"127.0.0.1:{PORT} ", f" 127.0.0.1:{PORT}",
    f"127.0.0.1:{PORT},evil.com", f"evil.com@127.0.0.1:{PORT}", f"127.0.0.1:{PORT}/",
    f"http://127.0.0.1:{PORT}", "", ":", f":{PORT}", f"::1:{PORT}", f"[::1%lo]:{PORT}",
]  # fmt: skip
FOREIGN_ORIGINS = [
    "null", "", "http://evil.com", f"http://evil.com:{PORT}", "http://127.0.0.1",
    f"https://127.0.0.1:{PORT}", f"http://localhost:{PORT}", f"http://[::1]:{PORT}",
    f"http://127.0.0.1:{PORT + 1}", f"http://127.0.0.1:{PORT}/", f"http://127.0.0.1:{PORT}.evil.com",
    f"HTTP://127.0.0.1:{PORT}", f"http://127.0.0.1.:{PORT}", f"http://127.0.0.1:{PORT} ",
    f"http://127.0.0.1:{PORT}, http://evil.com", "file://", "chrome-extension://abc",
    f"http://user@127.0.0.1:{PORT}", "http://127.0.0.1:evil.com", f"ws://127.0.0.1:{PORT}",
    f"//127.0.0.1:{PORT}", f"127.0.0.1:{PORT}", "http://", f"http://0.0.0.0:{PORT}",
]  # fmt: skip


def test_the_hosts_and_origins_are_sixty_cases_less_a_few() -> None:
    assert len(FOREIGN_HOSTS) + len(FOREIGN_ORIGINS) >= 56


@clause("doors 13")
@pytest.mark.parametrize("host", FOREIGN_HOSTS)
@awaited
async def test_a_foreign_host_is_refused_even_with_the_token(host: str) -> None:
    inside = Inside()
    for path in (STATUS, "/healthz", "/", "/login?code=x", "/mcp"):
        answer = await inside.ask("POST" if path == STATUS else "GET", path, host=host)
        assert answer.status == 403, path
    assert (await inside.knock(STREAM, [BEARER], host=host)).status == 403
    assert inside.desk.asked == []


@clause("doors 13", "terminal d11a")
@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
@awaited
async def test_a_foreign_origin_is_refused_even_with_the_token(origin: str) -> None:
    inside = Inside()
    headers = (BEARER, JSON, ("origin", origin))
    for path in (STATUS, "/mcp"):
        assert (await inside.ask("POST", path, headers, b"{}")).status == 403
    for path in ("/healthz", "/"):
        assert (await inside.ask("GET", path, headers)).status == 403
    assert (await inside.knock(STREAM, headers)).status == 403
    assert inside.desk.asked == []


@awaited
async def test_host_and_origin_come_once_or_not_at_all() -> None:
    inside = Inside()
    for twice in ([("host", HOST)], [("origin", ORIGIN), ("origin", ORIGIN)]):
        assert (await inside.ask("POST", STATUS, [BEARER, JSON, *twice])).status == 403
        assert (await inside.knock(STREAM, [BEARER, *twice])).status == 403
    assert (await inside.ask("POST", STATUS, host=None)).status == 403


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
@awaited
async def test_the_servers_own_names_and_their_own_origins_are_accepted(host: str) -> None:
    inside = Inside()
    own = f"{host}:{PORT}"
    headers = (BEARER, JSON, ("origin", f"http://{own}"))
    assert (await inside.ask("POST", STATUS, headers, b"{}", host=own)).status == 200
    assert (await inside.knock(STREAM, headers, host=own)).status == 101


@awaited
async def test_a_configured_name_may_stand_behind_tls() -> None:
    inside = Inside(hosts=("box.example",))
    for origin in ("http://box.example", "https://box.example"):
        headers = (BEARER, JSON, ("origin", origin))
        assert (await inside.ask("POST", STATUS, headers, b"{}", "box.example")).status == 200
        assert (await inside.ask("POST", STATUS, headers, b"{}", HOST)).status == 403


def test_only_port_eighty_goes_unsaid() -> None:
    assert "localhost" in own_hosts("127.0.0.1", 80)
    assert "localhost" not in own_hosts("127.0.0.1", 8080)
    assert "0.0.0.0:8080" not in own_hosts("0.0.0.0", 8080)


KINDS = [
    "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
    "application/jsonp", "application/json5", "text/json", "application/json; charset=latin-1",
    "application/json, text/plain", "application/xml", "",
]  # fmt: skip


@clause("doors 14")
@pytest.mark.parametrize("kind", KINDS)
@awaited
async def test_a_body_that_is_not_said_to_be_json_is_not_read(kind: str) -> None:
    inside = Inside()
    answer = await inside.ask("POST", STATUS, [BEARER, ("content-type", kind)], b"{}")
    assert (answer.status, answer.json["error"]) == (415, "invalid_request")
    assert (await inside.ask("POST", STATUS, [BEARER], b"{}")).status == 415
    assert inside.desk.asked == []


@pytest.mark.parametrize("kind", ["application/json", 'Application/JSON; Charset="UTF-8"'])
@awaited
async def test_json_is_json_with_its_only_charset(kind: str) -> None:
    answer = await Inside().ask("POST", STATUS, [BEARER, ("content-type", kind)], b"{}")
    assert answer.status == 200


@awaited
async def test_no_answer_ever_allows_another_origin() -> None:
    inside = Inside()
    for method, path in itertools.product(("GET", "POST", "OPTIONS"), ("/", STATUS, "/healthz")):
        answer = await inside.ask(method, path)
        assert not [name for name in answer.headers if name.startswith("access-control")]
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert (await inside.ask("OPTIONS", STATUS)).status == 405


@awaited
async def test_the_page_may_run_its_own_scripts_and_no_others() -> None:
    answer = await Inside().ask("GET", "/", [])
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy and answer.headers["x-frame-options"] == "DENY"


# --- one-time codes and the cookie ---------------------------------------------------


async def logged_in(inside: Inside) -> str:
    answer = await inside.ask("GET", f"/login?code={inside.keys.make_code()}", [])
    assert (answer.status, answer.headers["location"]) == (303, "/")
    return answer.headers["set-cookie"]


@clause("doors 20")
@awaited
async def test_a_code_becomes_a_cookie_that_scripts_and_other_sites_never_get() -> None:
    inside = Inside()
    cookie = await logged_in(inside)
    assert {"Path=/", "HttpOnly", "SameSite=Strict"} <= set(cookie.split("; "))
    assert TOKEN not in cookie
    headers = (("cookie", cookie.split(";")[0]), JSON, ("origin", ORIGIN))
    assert (await inside.ask("POST", STATUS, headers, b"{}")).status == 200
    assert (await inside.knock(STREAM, headers)).status == 101
    assert (await inside.ask("GET", "/api/pty", headers[:1])).status == 200


@awaited
async def test_a_cookie_alone_changes_nothing_without_the_pages_origin() -> None:
    inside = Inside()
    headers = (("cookie", (await logged_in(inside)).split(";")[0]), JSON)
    assert (await inside.ask("POST", STATUS, headers, b"{}")).status == 403
    assert (await inside.knock(STREAM, headers)).status == 403
    assert inside.desk.asked == []


@clause("doors 20")
@awaited
async def test_a_code_works_once() -> None:
    inside = Inside()
    code = inside.keys.make_code()
    assert (await inside.ask("GET", f"/login?code={code}", [])).status == 303
    assert (await inside.ask("GET", f"/login?code={code}", [])).status == 401


@clause("doors 20")
@awaited
async def test_a_browser_is_told_in_a_page_that_its_code_is_used() -> None:
    inside = Inside()
    takes = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    page = await inside.ask("GET", "/login?code=%3Cb%3E", [("accept", takes)])
    assert (page.status, page.headers["content-type"]) == (401, "text/html; charset=utf-8")
    assert b"antiphon browse" in page.body and b"<b>" not in page.body
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none';") and "unsafe" not in policy
    assert page.headers["cache-control"] == "no-store" and "set-cookie" not in page.headers
    for other in ([], [("accept", "*/*")], [("accept", "application/json")]):
        answer = await inside.ask("GET", "/login?code=x", other)
        assert (answer.status, answer.json["error"]) == (401, "unauthorized")


@awaited
async def test_a_code_dies_of_age() -> None:
    inside = Inside()
    code = inside.keys.make_code()
    inside.clock.seconds += LOGIN_CODE_S_MAX
    assert (await inside.ask("GET", f"/login?code={code}", [])).status == 401


@pytest.mark.parametrize("code", ["", "x", "%00", "%ff%fe", "é", TOKEN, "a" * 10_000])
@awaited
async def test_what_is_no_code_opens_nothing(code: str) -> None:
    inside = Inside()
    inside.keys.make_code()
    for path in ("/login", f"/login?code={code}"):
        answer = await inside.ask("GET", path, [])
        assert answer.status == 401 and "set-cookie" not in answer.headers


@awaited
async def test_a_second_cookie_of_the_name_spoils_both() -> None:
    inside = Inside()
    own = (await logged_in(inside)).split(";")[0]
    doubled = [("cookie", f"antiphon_{PORT}=other; {own}"), JSON, ("origin", ORIGIN)]
    assert (await inside.ask("POST", STATUS, doubled, b"{}")).status == 401


def test_codes_are_bounded_and_no_session_is_given_twice() -> None:
    inside = Inside()
    codes = [inside.keys.make_code() for _ in range(100)]
    assert inside.keys.redeem(codes[0]) is None and inside.keys.redeem(codes[-1])
    assert len({inside.keys.redeem(inside.keys.make_code()) for _ in range(100)}) == 100


def test_a_session_outlives_the_server_and_not_its_month() -> None:
    date = [1_000_000.0]
    keys = Keys((TOKEN,), Clock(), date=lambda: date[0], page_key=b"a key")
    session = keys.redeem(keys.make_code())
    assert session is not None and keys.has_session(session)
    later = Keys(("another token",), Clock(), date=lambda: date[0], page_key=b"a key")
    assert later.has_session(session)
    assert not Keys((TOKEN,), Clock(), date=lambda: date[0]).has_session(session)
    date[0] += SESSION_S_MAX
    assert not later.has_session(session)


def test_a_session_that_was_touched_is_none() -> None:
    keys = Keys((TOKEN,), Clock())
    session = keys.redeem(keys.make_code())
    assert session is not None
    for index, was in enumerate(session):
        touched = f"{session[:index]}{'1' if was != '1' else '2'}{session[index + 1 :]}"
        assert not keys.has_session(touched)
    until, rest = session.split(".", 1)
    for other in ("", ".", "..", f"{int(until) + 1}.{rest}", session[:-1], "\xff", TOKEN):
        assert not keys.has_session(other)


# --- reach ---------------------------------------------------------------------------


@clause("doors 15")
@pytest.mark.parametrize(
    ("host", "allow_remote", "token", "is_accepted"),
    [
        ("127.0.0.1", False, None, True),
        ("::1", False, None, True),
        ("localhost", False, None, True),
        ("0.0.0.0", False, None, False),
        ("0.0.0.0", True, None, False),
        ("0.0.0.0", False, "t", False),
        ("0.0.0.0", True, "t", True),
        ("192.0.2.1", True, "t", True),
        ("localhost.evil.com", False, None, False),
        ("127.0.0.1.evil.com", False, None, False),
    ],
)
def test_other_machines_come_in_only_on_the_operators_word(
    host: str, allow_remote: bool, token: str | None, is_accepted: bool
) -> None:
    chosen = settings.Settings(host=host, allow_remote=allow_remote)
    if is_accepted:
        settings.check_reach(chosen, token)
    else:
        with pytest.raises(Refused):
            settings.check_reach(chosen, token)
