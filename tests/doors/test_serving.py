from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import stat
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

import pytest

import antiphon.sync
from antiphon.adapters import settings
from antiphon.base.errors import Broken, Code, Refused
from tests.clauses import clause
from tests.doors.doorways import (
    COMMAND,
    STOP_S_MAX,
    CliDoor,
    Serving,
    SyncDoor,
    environment,
    run_cli,
)

pytestmark = pytest.mark.slow


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CliDoor]:
    """A server, and commands beside it; `c` has one block that printed two lines."""
    with CliDoor(tmp_path_factory.mktemp("line") / "state") as door:
        door.ask("pty.run", conversation_id="c", cmd="printf 'one\\ntwo\\n'")
        yield door
        for one in door.ask("pty.list")["conversations"]:
            door.ask("pty.close", conversation_id=one["conversation_id"])


# --- serve ------------------------------------------------------------------------------


@clause("doors 5", "doors 10")
def test_a_server_says_where_it_is_and_lets_a_browser_in_once(state: Path) -> None:
    chosen = settings.read(state, {}, {})
    assert (chosen.host, chosen.port) == ("127.0.0.1", 8040)
    serving = Serving.begin(state)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", serving.address)
    assert stat.S_IMODE((state / "token").stat().st_mode) == 0o600
    path = serving.browser.removeprefix(serving.address)
    assert serving.token not in path
    statuses = []
    for _ in range(2):
        connection = http.client.HTTPConnection(serving.host)
        connection.request("GET", path)
        response = connection.getresponse()
        response.read()
        statuses.append(response.status)
        connection.close()
    assert statuses == [303, 401]
    assert serving.end() == 0
    assert not (state / "token").exists()


@clause("terminal D15b")
def test_a_second_server_says_which_process_owns_the_directory(state: Path) -> None:
    serving = Serving.begin(state)
    done = run_cli(state, "serve", "--port", "0")
    assert done.returncode == 1
    assert f"process {serving.process.pid} at {serving.address}" in done.stderr
    assert serving.end() == 0


@pytest.mark.parametrize("way", ["option", "variable", "file"])
def test_a_server_keeps_through_a_power_cut_what_it_tells(state: Path, way: str) -> None:
    given = ("--durability", "power") if way == "option" else ()
    told = "power" if way == "variable" else "process"
    if way == "file":
        state.mkdir(mode=0o700)
        (state / "antiphon.toml").write_text('durability = "power"\n')
        serving = Serving.begin(state)
    else:
        serving = Serving.begin(state, *given, ANTIPHON_DURABILITY=told)
    with antiphon.sync.open(state, durability="power") as terminals:
        assert terminals.pty.run("c", "echo kept; exit_with() { return 4; }; exit_with").data
        assert [one.exit_code for one in terminals.blocks.since("c").items] == [4]
        terminals.pty.close("c")
    assert serving.end() == 0
    assert run_cli(state, "fsck").returncode == 0


def test_who_needs_more_than_the_server_keeps_is_told(state: Path) -> None:
    serving = Serving.begin(state)
    with (
        pytest.raises(Broken, match=f"process {serving.process.pid}.*--durability power"),
        antiphon.sync.open(state, durability="power"),
    ):
        pass
    with antiphon.sync.open(state, durability="process") as terminals:
        assert terminals.pty.list().conversations == []
    assert serving.end() == 0


@pytest.mark.parametrize("wrong", ["both", "POWER", ""])
def test_an_unknown_durability_is_refused_with_those_there_are(state: Path, wrong: str) -> None:
    with pytest.raises(Refused, match=r"accepted is 'power' or 'process'") as refused:
        settings.read(state, {"ANTIPHON_DURABILITY": wrong}, {})
    assert refused.value.code is Code.INVALID_REQUEST


@clause("doors 19")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_stop_signal_ends_the_server_and_no_shell(state: Path, number: signal.Signals) -> None:
    serving = Serving.begin(state)
    serving.post("/api/pty/c/run", b'{"cmd":"mine=kept"}')
    begun = serving.post("/api/pty/d/exec_block", b'{"cmd":"echo begun; cat"}')[1]
    cursor = b"%d" % begun["resume_cursor"]
    with ThreadPoolExecutor() as beside:
        waiting = [
            beside.submit(serving.post, f"/api/pty/{path}", body)
            for path, body in [
                ("c/wait_for", b'{"match":"never","timeout_ms":600000}'),
                ("d/wait_prompt", b'{"from_cursor":%s,"timeout_ms":600000}' % cursor),
                ("d/expect_send", b'{"expect":"never","send":"x","timeout_ms":600000}'),
                ("e/run", b'{"cmd":"cat"}'),
            ]
        ]
        while b"antiphon_waits 3\n" not in metrics(serving):
            pass
        while serving.post("/api/pty/e/status", b"{}")[1].get("mode") != "block_running":
            pass
        serving.process.send_signal(number)
        assert serving.process.wait(STOP_S_MAX) == 0
        answers = [one.result() for one in waiting]
        assert [(status, answer["error"]) for status, answer in answers] == [
            (500, "host_unavailable")
        ] * len(waiting)
        assert all("the server is stopping" in answer["message"] for _, answer in answers)
    with CliDoor(state) as door:
        ran = door.ask("pty.run", conversation_id="c", cmd='echo "$mine"')
        assert ran["data"] == "kept\n" and ran["block"]["seq"] == 2
        for name in "cde":
            door.ask("pty.close", conversation_id=name)


def test_who_waits_through_a_server_that_stops_waits_on_at_the_next(state: Path) -> None:
    serving = Serving.begin(state)
    with SyncDoor(state) as door, ThreadPoolExecutor() as beside:
        begun = door.ask("pty.exec_interactive", conversation_id="c", cmd="cat; (exit 3)")
        waiting = beside.submit(
            door.ask, "pty.wait_prompt", conversation_id="c", from_cursor=begun["resume_cursor"]
        )
        while b"antiphon_waits 1\n" not in metrics(serving):
            pass
        assert serving.end() == 0
        assert door.ask("pty.send", conversation_id="c", keys=["C-d"])["ok"] is True
        assert waiting.result()["extra"]["exit_code"] == 3
        door.ask("pty.close", conversation_id="c")


@clause("doors 18", "doors 19")
def test_a_stream_that_is_open_at_the_stop_ends_and_the_log_has_no_traceback(state: Path) -> None:
    with state.with_name("log").open("w+") as log:
        serving = Serving.begin(state, log=log)
        session_id = serving.post("/api/session", b"{}")[1]["session_id"]
        connection = http.client.HTTPConnection(serving.host)
        connection.request("GET", f"/api/session/{session_id}/events", headers=serving.headers)
        stream = connection.getresponse()
        assert stream.status == 200
        assert serving.end() == 0
        stream.read()  # to its end, which is no break of the connection
        connection.close()
        log.seek(0)
        assert "Traceback" not in log.read()


def metrics(serving: Serving) -> bytes:
    connection = http.client.HTTPConnection(serving.host)
    connection.request("GET", "/metrics", headers=serving.headers)
    body = connection.getresponse().read()
    connection.close()
    return body


@clause("doors 12")
def test_no_token_is_where_others_could_read_it(state: Path) -> None:
    operators = "an-operators-own-token"
    log = state.with_name("log")
    with log.open("w") as errors:
        process = subprocess.Popen(
            [*COMMAND, "serve", "--json", "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**environment(state), "ANTIPHON_TOKEN": operators},
        )
        assert process.stdout is not None
        said = json.loads(process.stdout.readline())
        serving = Serving(process, said["address"], said["browser"], state)  # type: ignore[arg-type]
        secrets = [operators.encode(), serving.token.encode()]
        headers = {**serving.headers, "Authorization": f"Bearer {operators}"}
        _, ran = serving.post("/api/pty/c/run", b'{"cmd":"env; cat /proc/$$/environ"}', headers)
        assert ran["ok"] is True
        shown = [ran["data"].encode(), json.dumps(said).encode()]
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                shown.append((entry / "cmdline").read_bytes())
                if str(process.pid) in (entry / "status").read_text().split():
                    shown.append((entry / "environ").read_bytes())
            except OSError:
                continue
        status, _ = serving.post(f"/api/pty/c/status?token={operators}", b"{}", {})
        assert status == 401
        serving.post("/api/pty/c/close", b"{}", headers)
        process.stdout.close()
        assert serving.end() == 0
    shown.append(log.read_bytes())
    # The server's own first environment is its user's to read: it is what they set.
    own = f"ANTIPHON_TOKEN={operators}".encode()
    found = [text for text in shown for secret in secrets if secret in text and own not in text]
    assert found == []
    kept = [path for path in state.rglob("*") if path.is_file()]
    assert not [path for path in kept if operators.encode() in path.read_bytes()]


@clause("doors 9")
def test_the_command_line_wins_over_the_environment_and_that_over_the_file(state: Path) -> None:
    state.mkdir()
    (state / "antiphon.toml").write_text('port = 1\ntsci = "file"\nlibrary_dir = "file"\n')
    variables = {"ANTIPHON_PORT": "2", "ANTIPHON_TSCI": "variable"}
    chosen = settings.read(state, variables, {"port": 3})
    assert (chosen.port, chosen.tsci, chosen.library_dir) == (3, "variable", "file")
    for text in ('token = "x"', "prot = 1", "port = 99999", "port = [", 'port = "x"'):
        (state / "antiphon.toml").write_text(text)
        with pytest.raises(Refused, match=r"antiphon\.toml"):
            settings.read(state, {}, {})
    (state / "antiphon.toml").write_text("port = 99999")
    with pytest.raises(Refused, match=r"antiphon\.toml: port is 99999; .* from 0 to 65535"):
        settings.read(state, {"ANTIPHON_TSCI": "x"}, {"host": "::1"})
    with pytest.raises(Refused, match=r"ANTIPHON_ALLOW_REMOTE: allow_remote is 'perhaps'; .*true"):
        settings.read(state, {"ANTIPHON_ALLOW_REMOTE": "perhaps"}, {"port": 0})
    with pytest.raises(Refused, match="--port: port is -1; "):
        settings.read(state, {"ANTIPHON_PORT": "7"}, {"port": -1})
    assert settings.read(state, {"ANTIPHON_PORT": "7"}, {}).port == 7


# --- commands ---------------------------------------------------------------------------


@clause("doors 17")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("exec", "c", "--", "true"), 0),
        (("exec", "c", "--", "sh", "-c", "exit 42"), 42),
        (("exec", "c", "--", "kill -9 $$"), 137),
        (("exec", "c", "--json", "--", "(exit 3)"), 3),
        (("exec", "c", "--cwd", "/nowhere", "--", "true"), 1),
        (("exec", "../c", "--", "true"), 1),
        (("exec", "c"), 2),
        (("exec", "c", "--timeout-ms", "soon", "--", "true"), 2),
        (("blocks", "nobody"), 1),
        (("search", "c", "(", "--regex"), 1),
        (("call", "pty.nonsense"), 1),
        (("call", "pty.status", "{"), 1),
        (("call", "pty.wait_for", '{"conversation_id":"c","match":"never","timeout_ms":1}'), 1),
        (("nonsense",), 2),
        (("serve", "--host", "0.0.0.0", "--port", "0"), 1),
        (("ls", "--nonsense"), 2),
    ],
)
def test_a_command_ends_with_the_code_that_says_how(
    line: CliDoor, arguments: tuple[str, ...], code: int
) -> None:
    done = run_cli(line.state, *arguments)
    assert done.returncode == code, done
    has_failed = code in {1, 2}
    assert bool(done.stderr) is has_failed and "Traceback" not in done.stderr


def test_exec_shows_the_output_as_it_is_and_nothing_else(line: CliDoor) -> None:
    done = run_cli(line.state, "exec", "c", "--", r"printf 'a\377\n\303\251'; printf e >&2")
    assert (done.stdout.encode("utf-8", "surrogateescape"), done.stderr) == (
        b"a\xff\n\xc3\xa9e",
        "",
    )
    done = run_cli(line.state, "exec", "c", "--", "printf", "%s|", "a b", "$HOME", "x'y")
    assert done.stdout == "a b|$HOME|x'y|"
    done = run_cli(line.state, "exec", "c", "--timeout-ms", "1500", "--", "echo so far; read x")
    assert (done.returncode, done.stdout) == (1, "so far\n") and "goes on" in done.stderr
    done = run_cli(line.state, "exec", "c", "--", "echo no")
    assert done.returncode == 1 and "busy" not in done.stdout and "block" in done.stderr
    line.ask("pty.send", conversation_id="c", data="\r")


@clause("doors 7")
@pytest.mark.parametrize(
    "arguments",
    [
        ("exec", "c", "--", "true"),
        ("ls",),
        ("blocks", "c"),
        ("search", "c", "one"),
        ("tail", "c"),
        ("call", "pty.list"),
        ("doctor",),
        ("browse",),
        ("fsck",),
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_command_with_json_answers_in_json(line: CliDoor, arguments: tuple[str, ...]) -> None:
    command, *rest = arguments
    done = run_cli(line.state, command, "--json", *rest)
    assert done.returncode == 0, done
    answer = json.loads(done.stdout)
    assert answer["ok"] is True and done.stderr == ""


def test_options_may_stand_before_and_behind_the_words(line: CliDoor) -> None:
    fields = '{"conversation_id":"c"}'
    for given in (("--json", "pty.status", fields), ("pty.status", "--json", fields)):
        assert json.loads(run_cli(line.state, "call", *given).stdout)["mode"] == "idle"
    for wrong in (
        ("call", "pty.list", "--json", "{}", "{}"),
        ("ls", "--json", "c"),
        ("ls", "--no"),
    ):
        assert run_cli(line.state, *wrong).returncode == 2


def test_the_version_is_told() -> None:
    done = run_cli(Path(), "--version")
    assert (done.returncode, done.stdout) == (0, f"antiphon {version('antiphon')}\n")


def test_a_port_that_is_taken_is_named_with_the_way_out(state: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run_cli(state, "serve", "--port", str(port))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"antiphon: 127.0.0.1:{port}: cannot be listened at: Address already in use; "
        "--port chooses another, and 0 picks one\n"
    )


def test_files_that_agree_are_said_to(line: CliDoor) -> None:
    done = run_cli(line.state, "fsck", "c")
    said = "antiphon: 1 conversation looked at; its files agree\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, "", said)
    told = run_cli(line.state, "fsck", "c", "--json")
    assert (told.returncode, told.stderr) == (0, "")
    assert json.loads(told.stdout) == {"ok": True, "found": {"c": []}}
    count = len(json.loads(run_cli(line.state, "fsck", "--json").stdout)["found"])
    assert run_cli(line.state, "fsck").stderr.startswith(f"antiphon: {count} conversation")


def test_where_there_are_no_conversations_none_was_looked_at(state: Path) -> None:
    said = "antiphon: 0 conversations looked at; their files agree\n"
    done = run_cli(state, "fsck")
    assert (done.returncode, done.stderr) == (0, said)


@clause("doors 7", "doors 17")
@pytest.mark.parametrize(
    "arguments",
    [
        ("exec", "../c", "--", "true"),
        ("exec", "c", "--cwd", "/nowhere", "--", "true"),
        ("blocks", "nobody"),
        ("search", "c", "(", "--regex"),
        ("tail", "nobody"),
        ("tail", "nobody", "--follow"),
        ("export", "nobody", "--text"),
        ("export", "nobody", "--asciicast"),
        ("fsck", "nobody"),
        ("attach", "c"),
        ("serve", "--host", "0.0.0.0"),
        ("serve", "--port", "0"),
        ("call", "pty.nonsense"),
    ],
    ids="-".join,
)
def test_a_refusal_with_json_is_json_and_on_stderr_too(
    line: CliDoor, arguments: tuple[str, ...]
) -> None:
    command, *rest = arguments
    done = run_cli(line.state, command, "--json", *rest)
    answer = json.loads(done.stdout)
    assert answer["ok"] is False and answer["error"] in {code.value for code in Code}, answer
    assert (done.returncode, done.stderr) == (1, f"antiphon: {answer['message']}\n")


def test_the_exit_codes_are_on_the_page() -> None:
    page = (Path(__file__).parent.parent.parent / "docs" / "DOORS.md").read_text()
    assert re.findall(r"^\| `(\d+)` \|", page, re.MULTILINE) == ["0", "1", "2", "130"]


def test_reading_commands_show_what_a_person_asks_for(line: CliDoor) -> None:
    line.ask("pty.run", conversation_id="r", cmd="printf 'one\\ntwo\\n'")
    assert run_cli(line.state, "tail", "r").stdout == "one\ntwo\n"
    assert run_cli(line.state, "search", "r", "TW", "--ignore-case").stdout == "r.1:2:two\n"
    block = run_cli(line.state, "blocks", "r").stdout.split("\t")
    assert (block[0], block[1], block[2], block[4]) == (
        "r.1", "completed", "0", r"printf 'one\ntwo\n'" + "\n",
    )  # fmt: skip
    assert "r\tidle\t" in run_cli(line.state, "ls").stdout
    assert "owner" in run_cli(line.state, "doctor").stdout


@pytest.mark.parametrize("as_json", [False, True])
def test_a_follower_sees_output_as_it_comes(line: CliDoor, as_json: bool) -> None:
    line.ask("pty.run", conversation_id="f", cmd="echo before")
    flags = ["--json"] if as_json else []
    with subprocess.Popen(
        [*COMMAND, "tail", "-f", "f", *flags],
        stdout=subprocess.PIPE,
        env=environment(line.state),
        text=True,
    ) as following:
        assert following.stdout is not None
        lines = iter(following.stdout.readline, "")
        for text in ("before", "after"):
            if text == "after":
                line.ask("pty.run", conversation_id="f", cmd="echo after")
            assert next(one for one in lines if text in one and "agent_block" not in one)
        following.send_signal(signal.SIGINT)
        assert following.wait(STOP_S_MAX) == 130


def test_without_a_server_a_command_is_it_and_the_shell_lives_on(state: Path) -> None:
    assert run_cli(state, "exec", "c", "--", "mine=kept").returncode == 0
    assert run_cli(state, "exec", "c", "--", "echo $mine").stdout == "kept\n"
    assert "nobody; a command" in run_cli(state, "doctor").stdout
    assert run_cli(state, "call", "pty.close", '{"conversation_id":"c"}').returncode == 0
    assert [path.name for path in (state / "conversations").iterdir()] == ["c"]


def test_who_has_no_conversations_is_told_how_to_begin(state: Path) -> None:
    done = run_cli(state, "ls")
    assert (done.returncode, done.stdout) == (0, "") and "antiphon exec" in done.stderr
