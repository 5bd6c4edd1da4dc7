"""`antiphon lsp`, as a process: an editor of ours speaks the protocol over its pipes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import pytest

from antiphon.dsl.diagnostics import Edit
from antiphon.dsl.edits import applied
from antiphon.dsl.source import Source
from tests.clauses import clause
from tests.doors.doorways import COMMAND, environment

ALLIANZ_FUNDS = "fed371f6-471f-5090-a002-07961158a8ba"

Message = dict[str, Any]
APEX = "Apex Capital"


@dataclass
class Editor:
    """Requests go out with a number, and whatever comes back in between is kept."""

    state: Path
    encodings: list[str] | None = None
    has_snippets: bool = False
    arguments: tuple[str, ...] = ()
    told: dict[str, list[Message]] = field(default_factory=dict)  # diagnostics, by document
    number: int = 0

    def __enter__(self) -> Self:
        self.process = subprocess.Popen(
            [*COMMAND, "lsp", *self.arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=environment(self.state),
        )  # fmt: skip
        item = {"snippetSupport": self.has_snippets}
        capabilities: Message = {"textDocument": {"completion": {"completionItem": item}}}
        if self.encodings is not None:
            capabilities["general"] = {"positionEncodings": self.encodings}
        with self._ended_on_failure():
            self.server = self.ask(
                "initialize", processId=None, rootUri=None, capabilities=capabilities
            )
        self.note("initialized")
        return self

    @contextmanager
    def _ended_on_failure(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    # --- the protocol ---------------------------------------------------------

    def write(self, message: Message) -> None:
        assert self.process.stdin is not None
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self.process.stdin.flush()

    def read(self) -> Message:
        """The next message; anything else on stdout is a failure."""
        assert self.process.stdout is not None
        length = None
        while (line := self.process.stdout.readline()) != b"\r\n":
            assert line, "the server has ended"
            name, _, value = line.decode().partition(": ")
            assert name in ("Content-Length", "Content-Type"), line
            if name == "Content-Length":
                length = int(value)
        assert length is not None
        message: Message = json.loads(self.process.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            self.told.setdefault(params["uri"], []).append(params)
        return message

    def ask(self, method: str, **params: Any) -> Any:
        self.number += 1
        self.write({"id": self.number, "method": method, "params": params})
        while (message := self.read()).get("id") != self.number:
            pass
        assert "error" not in message, message
        return message["result"]

    def note(self, method: str, **params: Any) -> None:
        self.write({"method": method, "params": params})

    # --- documents ------------------------------------------------------------

    def open(self, text: str, uri: str = "file:///a.dsl") -> list[Message]:
        document = {"uri": uri, "languageId": "antiphon", "version": 1, "text": text}
        self.note("textDocument/didOpen", textDocument=document)
        return self.diagnostics(uri, 1)

    def change(self, *changes: Message, version: int = 2, uri: str = "file:///a.dsl") -> None:
        self.note("textDocument/didChange", textDocument={"uri": uri, "version": version},
                  contentChanges=list(changes))  # fmt: skip

    def diagnostics(self, uri: str, version: int | None) -> list[Message]:
        """Those of a version, once they are told."""
        while not self.told.get(uri) or self.told[uri][-1].get("version") != version:
            self.read()
        found: list[Message] = self.told[uri][-1]["diagnostics"]
        return found

    def at(self, method: str, line: int, character: int, uri: str = "file:///a.dsl",
           **params: Any) -> Any:  # fmt: skip
        position = {"line": line, "character": character}
        return self.ask(f"textDocument/{method}", textDocument={"uri": uri}, position=position,
                        **params)  # fmt: skip

    def complete(self, text: str, uri: str = "file:///b.dsl") -> list[Message]:
        """The completions where the `|` stands."""
        before = text[: text.index("|")]
        self.open(text.replace("|", "", 1), uri)
        found = self.at("completion", before.count("\n"), len(before.rpartition("\n")[2]), uri)
        items: list[Message] = found["items"]
        return items


def span(line: int, start: int, end: int) -> Message:
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}


def after(text: str, edits: list[Message]) -> str:
    """The text with these edits of the protocol, in code points of lines that end at newlines."""
    source = Source(text)

    def place(position: Message) -> int:
        line, character = int(position["line"]), int(position["character"])
        return source.lines[line] + character

    made = [
        Edit(source.span(place(one["range"]["start"]), place(one["range"]["end"])), one["newText"])
        for one in edits
    ]
    return applied(source, made)


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    with Editor(tmp_path / "state", encodings=["utf-32"]) as found:
        yield found


@clause("repl 2g")
def test_diagnostics_come_with_codes_and_ranges_for_each_version(editor: Editor) -> None:
    assert editor.server["capabilities"]["positionEncoding"] == "utf-32"
    found = editor.open('; é 世 😀\n(cbu.ensur :name "x")\n(cbu.ensure :name "😀" :jurisdiction 5)')
    assert [(one["code"], one["range"], one["severity"]) for one in found] == [
        ("E010", span(1, 1, 10), 1),
        ("E022", span(2, 36, 37), 1),
    ]
    assert found[0]["source"] == "antiphon" and "did you mean `cbu.ensure`?" in found[0]["message"]
    editor.change({"range": span(2, 36, 37), "text": '"LU"'}, version=2)
    editor.change({"range": span(1, 10, 10), "text": "e"}, version=3)
    assert [one["code"] for one in editor.diagnostics("file:///a.dsl", 3)] == ["E020"]
    editor.change({"text": "(cbu.show :cbu-id @a)\n(cbu.ensure :name @a :jurisdiction"}, version=4)
    assert [one["code"] for one in editor.diagnostics("file:///a.dsl", 4)] == ["E003"]
    editor.change({"text": ""}, version=5)
    assert [one["code"] for one in editor.diagnostics("file:///a.dsl", 5)] == ["W007"]
    editor.note("textDocument/didClose", textDocument={"uri": "file:///a.dsl"})
    assert editor.diagnostics("file:///a.dsl", None) == []


@clause("repl 2g")
@pytest.mark.parametrize(
    ("encodings", "agreed", "units"),
    [(None, "utf-16", 2), (["utf-8", "utf-16"], "utf-8", 4), (["utf-32"], "utf-32", 1),
     (["utf-16"], "utf-16", 2)],
)  # fmt: skip
def test_columns_are_counted_as_it_was_agreed(
    tmp_path: Path, encodings: list[str] | None, agreed: str, units: int
) -> None:
    with Editor(tmp_path, encodings) as editor:
        assert editor.server["capabilities"].get("positionEncoding", "utf-16") == agreed
        # A line separator and a form feed end no line here, though they do for Python.
        (found,) = editor.open('; \u2028 \x0c\r\n(cbu.lst :x "😀")\r; x')
        assert found["range"] == span(1, 1, 8)
        column = len('(cbu.lst :x "') + units
        editor.change({"range": span(1, 1, 8), "text": "cbu.list"},
                      {"range": span(1, column + 1, column + 2), "text": '" @'})  # fmt: skip
        (found,) = editor.diagnostics("file:///a.dsl", 2)
        assert (found["code"], found["range"]) == ("E002", span(1, column + 3, column + 4))


@clause("repl 2g")
def test_two_documents_are_two(editor: Editor) -> None:
    assert [one["code"] for one in editor.open("(a.b", "file:///one.dsl")] == ["E003"]
    assert editor.open("(cbu.list)", "file:///two.dsl") == []
    editor.change({"text": "(cbu.lst)"}, uri="file:///two.dsl")
    assert [one["code"] for one in editor.diagnostics("file:///two.dsl", 2)] == ["E010"]
    editor.change({"text": "(cbu.list)"}, uri="file:///one.dsl")
    assert editor.diagnostics("file:///one.dsl", 2) == []


@clause("repl 2g")
def test_verbs_arguments_values_and_symbols_are_completed(editor: Editor) -> None:
    verbs = {one["label"]: one for one in editor.complete("(cbu.en|)")}
    assert verbs["cbu.ensure"]["textEdit"] == {"range": span(0, 1, 7), "newText": "cbu.ensure"}
    assert "entity.list" in verbs and verbs["cbu.ensure"]["documentation"]
    keys = [one["label"] for one in editor.complete('(cbu.ensure :name "x" |)')]
    assert keys == [":jurisdiction", ":client-type", ":manco-name", ":as"]
    codes = editor.complete('(cbu.ensure :name "x" :jurisdiction "lux|")')
    assert [(one["label"], one["textEdit"]["newText"]) for one in codes] == [("LU", '"LU"')]
    values = editor.complete('(kyc-case.set-status :case-id @c :status "a|")')
    assert [one["label"] for one in values] == ["ASSESSMENT", "APPROVED"]
    symbols = editor.complete(
        '(cbu.ensure :name "F" :jurisdiction "LU" :as @f)\n'
        '(entity.create-proper-person :first-name "A" :last-name "B" :as @p)\n'
        "(cbu.assign-role :cbu-id |)"
    )
    assert "@f" in [one["label"] for one in symbols]
    assert "@p" not in [one["label"] for one in symbols]
    assert [one["label"] for one in editor.complete("(terminal.run :check |)")] == ["true", "false"]
    assert editor.complete("; (cbu.|") == []
    near = editor.complete("(cbu.esnu|)")[0]  # the editor is told that it fits what is written
    assert (near["label"], near["filterText"]) == ("cbu.ensure", "cbu.esnu")
    whole = {one["label"]: one for one in editor.complete("|")}
    assert whole["cbu.list"]["textEdit"]["newText"] == "(cbu.list)"


@clause("repl 2g")
def test_a_client_that_knows_snippets_gets_the_required_arguments(tmp_path: Path) -> None:
    with Editor(tmp_path, has_snippets=True) as editor:
        verbs = {one["label"]: one for one in editor.complete("(cbu.|)")}
        assert verbs["cbu.ensure"]["textEdit"]["newText"] == (
            'cbu.ensure :name "$1" :jurisdiction "$2"'
        )
        assert verbs["cbu.ensure"]["insertTextFormat"] == 2


@clause("repl 2g")
def test_an_entity_is_completed_by_its_name_and_written_with_its_id(editor: Editor) -> None:
    text = '(session.set-cbu :cbu-id "alianz fun")'
    found = editor.complete(text.replace('")', '|")'))
    first = found[0]
    assert first["label"] == "ALLIANZ FUNDS" and first["detail"].startswith("cbu")
    new = after(text, [first["textEdit"], *first["additionalTextEdits"]])
    assert new.endswith('") ; ALLIANZ FUNDS')
    assert editor.open(new, "file:///c.dsl") == []
    assert not (editor.state / "antiphon.db").exists()


@clause("repl 2g")
def test_an_open_reference_is_told_and_has_its_candidates_as_fixes(editor: Editor) -> None:
    text = '(session.set-cbu :cbu-id "allianz") ; mine'
    (found,) = editor.open(text)
    assert found["severity"] == 3 and "code" not in found and found["range"] == span(0, 25, 34)
    actions = editor.ask("textDocument/codeAction", textDocument={"uri": "file:///a.dsl"},
                         range=span(0, 28, 28), context={"diagnostics": [found]})  # fmt: skip
    titles = [one["title"] for one in actions]
    assert titles[0].startswith("ALLIANZ FUNDS (cbu") and len(titles) >= 2
    new = after(text, actions[0]["edit"]["changes"]["file:///a.dsl"])
    assert new.endswith('") ; mine')  # what stands behind the statement stays
    editor.change({"text": new})
    assert editor.diagnostics("file:///a.dsl", 2) == []


@clause("repl 2g")
def test_fixes_are_actions_and_certain_ones_are_preferred(editor: Editor) -> None:
    text = '(cbu.ensur :name "x")\n(terminal.run :cmd 5)'
    editor.open(text)
    everywhere = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    actions = editor.ask("textDocument/codeAction", textDocument={"uri": "file:///a.dsl"},
                         range=everywhere, context={"diagnostics": []})  # fmt: skip
    assert [(one["title"], one["isPreferred"]) for one in actions] == [
        ("write `cbu.ensure`", False), ('write `"5"`', True),
    ]  # fmt: skip
    assert all(one["kind"] == "quickfix" and one["diagnostics"] for one in actions)
    edits = [edit for one in actions for edit in one["edit"]["changes"]["file:///a.dsl"]]
    assert after(text, edits) == '(cbu.ensure :name "x")\n(terminal.run :cmd "5")'


@clause("repl 2g")
def test_a_similar_entity_is_warned_of(editor: Editor) -> None:
    found = editor.open('(cbu.ensure :name "Apex Capitol" :jurisdiction "IE")')
    assert [one["code"] for one in found] == ["W003"] and APEX in found[0]["message"]


@clause("repl 2g", "repl d19a")
def test_hover_layout_and_outline(editor: Editor) -> None:
    text = '; c\n(cbu.ensure   :name\n "x" :jurisdiction "LU" :as @f)\n\n\n(cbu.show :cbu-id @f)'
    editor.open(text)
    said = editor.at("hover", 1, 4)
    assert said["contents"]["value"].startswith('```\n(cbu.ensure :name "…" :jurisdiction "…" [')
    assert said["range"] == span(1, 1, 11)
    assert "required" in editor.at("hover", 1, 15)["contents"]["value"]
    assert editor.at("hover", 5, 20)["contents"]["value"] == "`@f` is a cbu"
    assert editor.at("hover", 0, 1) is None
    options = {"tabSize": 4, "insertSpaces": True}
    edits = editor.ask("textDocument/formatting", textDocument={"uri": "file:///a.dsl"},
                       options=options)  # fmt: skip
    new = after(text, edits)
    assert new == (
        '; c\n(cbu.ensure :name "x" :jurisdiction "LU" :as @f)\n\n(cbu.show :cbu-id @f)\n'
    )
    editor.open(new, "file:///b.dsl")
    assert editor.ask("textDocument/formatting", textDocument={"uri": "file:///b.dsl"},
                      options=options) == []  # fmt: skip
    outline = editor.ask("textDocument/documentSymbol", textDocument={"uri": "file:///b.dsl"})
    assert [(one["name"], one.get("detail")) for one in outline] == [
        ("cbu.ensure", "@f"), ("cbu.show", None),
    ]  # fmt: skip


@clause("repl 2g")
def test_hover_tells_what_an_id_a_code_and_words_stand_for(editor: Editor) -> None:
    lines = [
        f'(cbu.show :cbu-id "{ALLIANZ_FUNDS}")', '(cbu.show :cbu-id "allianz")',
        '(cbu.list :jurisdiction "LU")', '(cbu.show :cbu-id "zzzzzz")', '(cbu.rename :name "LU")',
    ]  # fmt: skip
    editor.open("\n".join(lines))
    known = editor.at("hover", 0, 30)
    assert known["contents"]["value"].startswith("**ALLIANZ FUNDS**, a cbu\n\n- jurisdiction: LU")
    assert known["range"] == span(0, 18, 56)
    words = editor.at("hover", 1, 20)["contents"]["value"]
    assert words.splitlines() == [
        "- ALLIANZ FUNDS (cbu · Allianz Global Investors)",
        "- Allianz Thematica (cbu · Allianz Global Investors)",
    ]
    assert editor.at("hover", 2, 26)["contents"]["value"].startswith("**Luxembourg**")
    assert editor.at("hover", 3, 20) is None and editor.at("hover", 4, 20) is None


@clause("repl 2g")
def test_a_large_broken_text_is_answered_and_the_newest_version_wins(editor: Editor) -> None:
    found = editor.open('(a.b :x "foo)\n' * 20_000)
    assert len(found) == 21 and found[-1]["message"] == "and 19,980 more"
    for version in range(2, 40):
        editor.change({"range": span(0, 0, 0), "text": ";"}, version=version)
    assert len(editor.diagnostics("file:///a.dsl", 39)) == 21
    (found_of_large,) = editor.open("x" * ((1 << 20) + 1), "file:///large.dsl")
    assert "1048576 bytes" in found_of_large["message"]


@clause("repl 2g")
def test_nonsense_is_refused_and_the_server_stays(editor: Editor) -> None:
    editor.note("textDocument/didChange", textDocument={"uri": "file:///never"}, contentChanges=[])
    editor.note("textDocument/didSave", textDocument={"uri": "file:///never"})
    assert editor.at("completion", 5, 5, "file:///never")["items"] == []
    assert editor.at("hover", 5, 5, "file:///never") is None
    editor.number += 1
    editor.write({"id": editor.number, "method": "no/such", "params": {}})
    while (message := editor.read()).get("id") != editor.number:
        pass
    assert message["error"]["code"] == -32601
    editor.open("(cbu.list)")
    assert editor.at("hover", 99, 99) is None
    editor.ask("shutdown")
    editor.note("exit")
    out, _ = editor.process.communicate(timeout=120)
    assert (out, editor.process.returncode) == (b"", 0)


@clause("repl 2g", "repl 5a")
def test_a_pack_that_cannot_be_loaded_ends_the_server_with_its_problems(tmp_path: Path) -> None:
    (tmp_path / "verbs").mkdir()
    (tmp_path / "verbs" / "a.yaml").write_text("a.b: {x: 1}\n")
    done = subprocess.run(
        [*COMMAND, "lsp", "--pack", str(tmp_path)], input=b"", capture_output=True,
        env=environment(tmp_path), timeout=300,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, b"")
    assert f"{tmp_path}/verbs/a.yaml:1:".encode() in done.stderr
