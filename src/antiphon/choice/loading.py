"""A tree of texts as a flow, strictly: every problem at once, each with its line.

What is not written is not guessed: `select` has no default, an unknown key is a problem.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

from antiphon.base import ids
from antiphon.base.errors import Refused
from antiphon.base.limits import STEP_OPTIONS_MAX
from antiphon.choice import violations as v
from antiphon.choice.characters import DIGIT, LETTER
from antiphon.choice.flow import Action, Condition, Flow, OptionsBy, Step
from antiphon.choice.judge import judged
from antiphon.choice.nodes import Items, Node, Other, Problem, Table, Text, Truth, Unreadable
from antiphon.choice.nodes import from_object as tree_of_object
from antiphon.choice.nodes import from_yaml as tree_of_yaml
from antiphon.choice.question import NONE_LABEL, Block, shown
from antiphon.choice.reach import depends_on, is_reachable
from antiphon.choice.split import labels_of
from antiphon.choice.violations import Violation

# A person answers them one by one; a summary of more is not read.
STEPS_MAX = 64
NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}")
KEY = re.compile(f"[{LETTER}_][{LETTER}{DIGIT}_-]{{0,31}}")

FLOW_KEYS = ("flow", "steps", "on_confirm")
STEP_KEYS = ("key", "ask", "select", "options", "options_by", "when", "required")
ACTION_KEYS = ("run", "conversation")


class NoFlow(Exception):
    """The file or object is no flow; `problems` are all that is wrong, in the order of lines."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(set(problems))
        super().__init__("; ".join(problem.told() for problem in self.problems))


def from_yaml(text: str) -> Flow:
    try:
        return _read(tree_of_yaml(text))
    except Unreadable as error:
        raise NoFlow([error.problem]) from None


def from_object(value: object) -> Flow:
    try:
        return _read(tree_of_object(value))
    except Unreadable as error:
        raise NoFlow([error.problem]) from None


def _read(node: Node) -> Flow:
    reading = _Reading()
    flow = reading.flow(node)
    if reading.problems or flow is None:
        raise NoFlow(reading.problems)
    return flow


@dataclass(slots=True)
class _Reading:
    problems: list[Problem] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)  # those before the one being read
    sound: list[bool] = field(default_factory=list)  # which of them, and all they stand on

    def problem(self, node: Node, path: str, message: str, code: str = "") -> None:
        self.problems.append(Problem(node.line, path, code, message))

    def violations(self, node: Node, path: str, found: Iterable[Violation]) -> None:
        for one in found:
            self.problem(node, path, one.message, one.code)

    # --- shapes ------------------------------------------------------------------

    def table(self, node: Node | None, path: str, keys: Sequence[str]) -> dict[str, Node]:
        """The rows by key; unknown and repeated keys are problems."""
        if not isinstance(node, Table):
            if node is not None:
                self.problem(node, path, f"found {_what(node)}; expected a table of keys")
            return {}
        found: dict[str, Node] = {}
        for key, value in node.rows:
            if key.text not in keys:
                self.problem(
                    key, _below(path, key.text),
                    f"{key.text!r} is no key here; there are: {', '.join(keys)}",
                )  # fmt: skip
            elif key.text in found:
                self.problem(key, _below(path, key.text), f"{key.text!r} stands here twice")
            else:
                found[key.text] = value
        return found

    def text(self, node: Node | None, path: str) -> str | None:
        if isinstance(node, Text):
            return node.text
        if node is not None:
            hint = "; one with ': ' in it needs quotes" if isinstance(node, Table) else ""
            self.problem(node, path, f"found {_what(node)}; expected a text{hint}")
        return None

    def items(self, node: Node | None, path: str) -> tuple[Node, ...]:
        if isinstance(node, Items):
            return node.items
        if node is not None:
            like = f", like [{node.text[:40]}]" if isinstance(node, Text) and node.text else ""
            self.problem(node, path, f"found {_what(node)}; expected a list{like}")
        return ()

    def rows(self, node: Node | None, path: str) -> list[tuple[Text, Node]]:
        """The rows of a table whose keys are the author's; repeated ones are problems."""
        if not isinstance(node, Table):
            if node is not None:
                self.problem(node, path, f"found {_what(node)}; expected a table")
            return []
        seen: set[str] = set()
        for key, _ in node.rows:
            if key.text in seen:
                self.problem(key, _below(path, key.text), f"{key.text!r} stands here twice")
            seen.add(key.text)
        return list(node.rows)

    def required(self, node: Node, rows: dict[str, Node], path: str, *keys: str) -> None:
        for key in keys:
            if key not in rows:
                self.problem(node, path, f"{key!r} is missing")

    # --- the flow ----------------------------------------------------------------

    def flow(self, node: Node) -> Flow | None:
        rows = self.table(node, "", FLOW_KEYS)
        if isinstance(node, Table):
            self.required(node, rows, "", "flow", "steps")
        name = self.text(rows.get("flow"), "flow")
        if name is not None and not NAME.fullmatch(name):
            self.problem(
                rows["flow"], "flow", f"{name[:40]!r} is no name: A-Z a-z 0-9 . _ - and no space"
            )
        steps = self.items(rows.get("steps"), "steps")
        if isinstance(rows.get("steps"), Items) and not 1 <= len(steps) <= STEPS_MAX:
            self.problem(
                rows["steps"],
                "steps",
                f"there are {len(steps)} steps; 1 to {STEPS_MAX} are accepted",
            )
        for number, one in enumerate(steps[:STEPS_MAX]):
            self.step(one, f"steps[{number}]")
        action = self.action(rows.get("on_confirm"))
        return Flow(name or "", tuple(self.steps), action)

    def action(self, node: Node | None) -> Action | None:
        if node is None:
            return None
        rows = self.table(node, "on_confirm", ACTION_KEYS)
        if isinstance(node, Table):
            self.required(node, rows, "on_confirm", *ACTION_KEYS)
        run = self.text(rows.get("run"), "on_confirm.run")
        if run is not None and (not run.strip() or "\0" in run):
            self.problem(rows["run"], "on_confirm.run", "the command is empty, or holds a NUL")
        conversation = self.text(rows.get("conversation"), "on_confirm.conversation")
        if conversation is not None:
            try:
                ids.conversation(conversation)
            except Refused as refused:
                self.problem(rows["conversation"], "on_confirm.conversation", refused.message)
        self._variables(node)
        return Action(run or "", conversation or "")

    def _variables(self, node: Node) -> None:
        """Each key becomes FLOW_<KEY>, so it is ASCII, and no two become the same."""
        seen: dict[str, str] = {}
        for step in self.steps:
            name = variable(step.key)
            if not name.isascii():
                self.problem(node, "on_confirm", f"{step.key!r} is no name of a variable")
            elif seen.setdefault(name, step.key) != step.key:
                self.problem(node, "on_confirm", f"{step.key!r} and {seen[name]!r} are both {name}")

    # --- a step ------------------------------------------------------------------

    def step(self, node: Node, path: str) -> None:
        before = len(self.problems)
        rows = self.table(node, path, STEP_KEYS)
        if not isinstance(node, Table):
            return
        self.required(node, rows, path, "key", "ask", "select")
        key = self.key(rows.get("key"), f"{path}.key")
        ask = self.text(rows.get("ask"), f"{path}.ask") or ""
        if "ask" in rows:
            self.instruction(rows["ask"], ask, f"{path}.ask")
        select = self.text(rows.get("select"), f"{path}.select")
        if select not in {None, "one", "many"}:
            self.problem(rows["select"], f"{path}.select", f"found {select!r}; one or many")
        is_many = select == "many"
        is_required = self.flag(rows.get("required"), f"{path}.required")
        if not is_required and not is_many:
            self.problem(
                rows["required"], f"{path}.required", "only a step that takes many can be left out"
            )
        options = self.options_or_table(node, rows, path, is_many=is_many)
        when = self.when(rows.get("when"), f"{path}.when")
        step = Step(key or "", ask, is_many, options, when, is_required)
        is_sound = len(self.problems) == before
        self.steps.append(step)
        self.sound.append(is_sound and all(self.sound[number] for number in depends_on(step)))
        if not self.sound[-1]:
            return  # nothing more can be said of it that another mistake does not explain
        if when and not is_reachable(self.steps, len(self.steps) - 1):
            self.problem(rows["when"], f"{path}.when", "no answers lead here: it never holds")
        self._whole(rows["ask"], f"{path}.ask", step)

    def _whole(self, node: Node, path: str, step: Step) -> None:
        """What is wrong with the parts together, and with no part alone."""
        options = step.options
        for one in [options] if isinstance(options, tuple) else options.options.values():
            block = Block(step.ask, labels_of((0, len(one)), one))
            if found := judged(shown(block)):
                said = f"with its options it reads as something else: {found[0].message}"
                self.problem(node, path, said, found[0].code)
                return

    def key(self, node: Node | None, path: str) -> str | None:
        key = self.text(node, path)
        if key is None or node is None:
            return None
        if not KEY.fullmatch(key):
            self.problem(
                node,
                path,
                f"{key[:40]!r} is no key: 1 to 32 letters, digits, _ and -, no digit first",
            )
            return key
        # It is a label of «Which step should change?».
        self.violations(node, path, v.of_label(key))
        for other in [step.key for step in self.steps if v.alike(step.key) == v.alike(key)]:
            said = "is the key of" if other == key else f"reads like {other!r}, the key of"
            self.problem(node, path, f"{key!r} {said} an earlier step")
            break
        return key

    def flag(self, node: Node | None, path: str) -> bool:
        match node.text if isinstance(node, Truth) else self.text(node, path):
            case None | "true":
                return True
            case "false":
                return False
            case found:
                assert node is not None
                self.problem(node, path, f"found {found!r}; true or false")
                return True

    def instruction(self, node: Node, ask: str, path: str) -> None:
        self.violations(node, path, chain(_of_line(ask), v.of_instruction(ask)))

    def options_or_table(
        self, node: Node, rows: dict[str, Node], path: str, *, is_many: bool
    ) -> tuple[str, ...] | OptionsBy:
        if ("options" in rows) is ("options_by" in rows):
            self.problem(node, path, "either 'options' or 'options_by' is expected")
            return ()
        if "options" in rows:
            return self.options(rows["options"], f"{path}.options", is_many=is_many)
        return self.options_by(rows["options_by"], f"{path}.options_by", is_many=is_many)

    def options(self, node: Node, path: str, *, is_many: bool) -> tuple[str, ...]:
        items = self.items(node, path)
        if isinstance(node, Items) and not 1 <= len(items) <= STEP_OPTIONS_MAX:
            self.problem(
                node,
                path,
                f"there are {len(items)} options; 1 to {STEP_OPTIONS_MAX} are accepted",
                v.Code.OPTION_COUNT.value,
            )
        found: list[str] = []
        seen: dict[str, str] = {v.alike(NONE_LABEL): NONE_LABEL} if is_many else {}
        for number, item in enumerate(items[:STEP_OPTIONS_MAX]):
            place = f"{path}[{number}]"
            label = self.text(item, place)
            if label is None:
                continue
            self.violations(item, place, chain(_of_line(label), v.of_label(label)))
            if not label.strip():
                self.problem(item, place, "the label is empty", v.Code.OPTION_LINE.value)
            other = seen.get(v.alike(label))
            if other is not None:
                said = f"{label!r} reads like {other!r}"
                self.problem(item, place, said, v.Code.LABELS_ALIKE.value)
            seen.setdefault(v.alike(label), label)
            found.append(label)
        return tuple(found)

    def options_by(self, node: Node, path: str, *, is_many: bool) -> tuple[str, ...] | OptionsBy:
        rows = self.rows(node, path)
        if len(rows) != 1:
            if isinstance(node, Table):
                self.problem(node, path, "exactly one key of an earlier step is expected")
            return ()
        key, table = rows[0]
        number = self.earlier(key, path)
        below = _below(path, key.text)
        found = {
            label.text: self.options(options, _below(below, label.text), is_many=is_many)
            for label, options in self.rows(table, below)
        }
        if number is None:
            return ()
        step = self.steps[number]
        if step.is_many:
            self.problem(key, below, f"{key.text!r} takes many; options depend on a step of one")
        possible = labels_of_step(step)
        for label, _ in self.rows(table, below):
            if label.text not in possible:
                self.problem(label, below, f"{key.text!r} has no option {label.text!r}")
        for label_text in possible:
            if label_text not in found and isinstance(table, Table):
                self.problem(key, below, f"the options for {label_text!r} are missing")
        return OptionsBy(number, found)

    def when(self, node: Node | None, path: str) -> tuple[Condition, ...]:
        found: list[Condition] = []
        rows = self.rows(node, path)
        if isinstance(node, Table) and not rows:
            self.problem(node, path, "at least one key of an earlier step is expected")
        for key, value in rows:
            number = self.earlier(key, path)
            below = _below(path, key.text)
            items = self.items(value, below)
            if isinstance(value, Items) and not items:
                self.problem(value, below, "at least one label is expected")
            labels = [(item, self.text(item, below)) for item in items]
            if number is None:
                continue
            possible = labels_of_step(self.steps[number])
            for item, label in labels:
                if label is not None and label not in possible:
                    self.problem(item, below, f"{key.text!r} has no option {label!r}")
            listed = frozenset(label for _, label in labels if label is not None)
            found.append(Condition(number, listed))
        return tuple(found)

    def earlier(self, key: Text, path: str) -> int | None:
        for number, step in enumerate(self.steps):
            if step.key == key.text:
                return number
        self.problem(key, _below(path, key.text), f"{key.text!r} is no key of an earlier step")
        return None


def labels_of_step(step: Step) -> list[str]:
    """Every label the step may offer, whatever it depends on."""
    if isinstance(step.options, tuple):
        return list(step.options)
    return list(dict.fromkeys(chain.from_iterable(step.options.options.values())))


def variable(key: str) -> str:
    """The name under which a command finds the field's value."""
    return "FLOW_" + key.upper().replace("-", "_")


def _of_line(text: str) -> Iterable[Violation]:
    yield from v.of_hidden(text)
    yield from v.of_edges(text)
    if "\n" in text.strip():
        yield v.violation(v.Code.PROSE, text.index("\n"), "one line is accepted")


def _what(node: Node) -> str:
    match node:
        case Text(_, text):
            return repr(text[:40]) if text else "nothing"
        case Truth(_, text):
            return text
        case Items():
            return "a list"
        case Table():
            return "a table"
        case Other(_, what):
            return what


def _below(path: str, key: str) -> str:
    return f"{path}.{key[:40]}" if path else key[:40]
