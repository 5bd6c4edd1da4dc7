"""A session's answer as a person reads it: what is said, the program, faults, results, the block.

Text in, text out; nothing of a program or a result can move the cursor.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from antiphon.service.plain import plain
from antiphon.wire import codec
from antiphon.wire import sessions as s
from antiphon.wire.language import Diagnostic

ROWS_MAX, CELL_MAX = 50, 40  # of a table that a statement shows


def shown(before: s.ChatResponse | None, now: s.ChatResponse) -> str:
    """What is new: the program where it has changed, and what the answer says."""
    parts = [now.message]
    old = before.dsl_source if before else None
    if now.dsl_source and now.dsl_source != old:
        parts.append(indented(now.dsl_source))
    parts += [one.rendered.rstrip() for one in now.errors or ()]
    more = _hidden(now)
    if more:
        parts.append(f"and {more:,} more")
    told = before.dsl_status.warnings if before and before.dsl_status else []
    parts += [one.rendered.rstrip() for one in warnings(now) if one not in told and not now.results]
    if now.results:
        parts.append("\n".join(results(now.results)))
    if now.callout is not None:
        parts.append(now.callout.block)
    return plain("\n\n".join(part for part in parts if part))


def warnings(now: s.ChatResponse) -> Sequence[Diagnostic]:
    return now.dsl_status.warnings if now.dsl_status else ()


def _hidden(now: s.ChatResponse) -> int:
    count = now.session_state.errors_count
    return count - len(now.errors) if now.errors and isinstance(count, int) else 0


def indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


# --- a run --------------------------------------------------------------------


def results(found: Sequence[s.Result]) -> Iterator[str]:
    """One line for each statement, and what it has shown."""
    for one in found:
        yield f"{one.status:7} {one.statement_index + 1} {one.verb}{_more(one)}"
        if isinstance(one.value, list) or (isinstance(one.value, dict) and one.value):
            yield from _table(one.value)


def _more(one: s.Result) -> str:
    more = ""
    if isinstance(one.bound, s.BoundAs):
        more += f"  @{one.bound.name} = {one.bound.id}"
    if isinstance(one.error, str):
        said = one.message if isinstance(one.message, str) else ""
        more += f"  {one.error}" + (f": {said}" if said else "")
    if one.rolled_back is True:
        more += "  rolled back"
    if isinstance(one.blocked_by, int):
        more += f"  because of statement {one.blocked_by + 1}"
    if isinstance(one.exit_code, int):
        more += f"  exit {one.exit_code}"
    return more


def _table(value: Sequence[object] | Mapping[str, object]) -> Iterator[str]:
    """Rows under their columns; anything else as one line of JSON."""
    if isinstance(value, dict) and "rows" not in value:
        lines = (f"        {name}  {_cell(one, CELL_MAX * 2)}" for name, one in value.items())
        yield from map(str.rstrip, lines)
        return
    rows = value["rows"] if isinstance(value, dict) else value
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        yield f"        {_cell(value, CELL_MAX * 4)}"
        return
    if not rows:
        yield "        nothing"
        return
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [[_cell(row.get(name), CELL_MAX) for name in names] for row in rows[:ROWS_MAX]]
    widths = [max(len(name), *(len(row[at]) for row in cells)) for at, name in enumerate(names)]
    for line in (names, *cells):
        padded = (text.ljust(width) for text, width in zip(line, widths, strict=True))
        yield f"        {'  '.join(padded)}".rstrip()
    total = value.get("total") if isinstance(value, dict) else None
    count = total if isinstance(total, int) else len(rows)
    if count > len(cells):
        yield f"        … {count:,} rows"


def _cell(value: object, chars_max: int) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else codec.encoded({"": value}).decode()[4:-1]
    text = " ".join(text.split())
    return text if len(text) <= chars_max else f"{text[: chars_max - 1]}…"


# --- a plan -------------------------------------------------------------------


def plan(found: s.Plan) -> Iterator[str]:
    """The phases in their order; statements of one phase need nothing of each other."""
    by_index = {one.statement_index: one for one in found.statements}
    for number, phase in enumerate(found.phases, 1):
        yield f"phase {number}"
        for index in phase:
            one = by_index[index]
            text = " ".join(one.text.split())
            yield f"  {index + 1}. {one.effect:8} {text}"
    yield found.plan_id


def open_refs(now: s.ChatResponse, name: str) -> Iterator[str]:
    """What must be chosen before the program can run, and from what."""
    for ref in now.unresolved_refs or ():
        if ref.status.state != "pending":
            continue
        place = f"{name}:{ref.location.span.line}:{ref.location.span.column}"
        kinds = " or ".join(ref.entity_types)
        yield f"{place}: open: which {kinds} «{ref.search_value}» is"
        for match in ref.initial_matches:
            facts = ", ".join(fact for fact in match.differs.values() if fact)
            yield f"    {match.id}  {match.display}" + (f" ({facts})" if facts else "")
