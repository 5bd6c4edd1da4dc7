"""A page on each code: what it means, a program that shows it, and one that does not."""

from __future__ import annotations

from dataclasses import dataclass

from antiphon.dsl.diagnostics import Code


@dataclass(frozen=True, slots=True)
class Page:
    title: str
    text: str
    wrong: str
    right: str | None = None


_SMITH = '(entity.create-proper-person :first-name "Ann" :last-name "Lee"'

# fmt: off
PAGES: dict[Code, Page] = {
    Code.ESCAPE: Page(
        "an escape or a number that cannot be read",
        'The escapes of a string are \\n \\r \\t \\\\ \\" and \\uXXXX; two \\u of a pair make one\n'
        "character. A number has at most 100 digits.",
        '(cbu.ensure :name "C:\\q" :jurisdiction "LU")',
        '(cbu.ensure :name "C:\\\\q" :jurisdiction "LU")',
    ),
    Code.UNEXPECTED: Page(
        "something stands where it does not belong",
        "A program is a row of calls, `(domain.verb :key value … :as @name)`. Values are strings,\n"
        "numbers, true, false, nil, @symbols, [lists], {:key maps} and calls. White space alone\n"
        "stands between them; a comment goes from `;` to the end of its line.",
        '(cbu.ensure name "Test" :jurisdiction "LU")',
        '(cbu.ensure :name "Test" :jurisdiction "LU")',
    ),
    Code.UNCLOSED: Page(
        "a bracket is not closed",
        "The text ended, another bracket closed, or a `(` stood in the first column where a key\n"
        "was expected, which begins the next statement.",
        '(cbu.ensure :name "Test" :jurisdiction "LU"',
        '(cbu.ensure :name "Test" :jurisdiction "LU")',
    ),
    Code.UNCLOSED_TEXT: Page(
        "a string is not closed",
        "The closing quote is missing. A string may go over several lines, but not over one that\n"
        "begins with `(`; a line break can always be written \\n.",
        '(cbu.ensure :name "Test :jurisdiction LU)',
        '(cbu.ensure :name "Test" :jurisdiction "LU")',
    ),
    Code.NESTING: Page(
        "brackets stand too deep within brackets",
        "256 levels are read. Bind an inner call with `:as @name` in a statement of its own.",
        "(cbu.tag :tags " + "[" * 256 + "]" * 256 + ")",
    ),
    Code.UNKNOWN_VERB: Page(
        "there is no such verb",
        "Verbs come from the packs that are loaded; the message names the nearest one.",
        '(cbu.ensur :name "Test" :jurisdiction "LU")',
        '(cbu.ensure :name "Test" :jurisdiction "LU")',
    ),
    Code.MISSING_ARGUMENT: Page(
        "an argument is missing",
        "The verb requires it, and nil is as if it were not given.",
        '(cbu.ensure :name "Test")',
        '(cbu.ensure :name "Test" :jurisdiction "LU")',
    ),
    Code.UNKNOWN_ARGUMENT: Page(
        "the verb takes no such argument, or takes it once",
        "The message lists what the verb takes.",
        '(cbu.ensure :name "Test" :jurisdiction "LU" :colour "red")',
        '(cbu.ensure :name "Test" :jurisdiction "LU")',
    ),
    Code.TYPE: Page(
        "a value of another type",
        "A literal has the type that the verb declares. A symbol stands for what its call makes,\n"
        "and a reference takes entities of its own type only; any symbol may stand for a string.",
        '(cbu.ensure :name "Test" :jurisdiction 5)',
        '(cbu.ensure :name "Test" :jurisdiction "LU")',
    ),
    Code.VALUE: Page(
        "a value that is not accepted",
        "The type is right, and the value is not among those declared, out of bounds, or no date.",
        f'{_SMITH} :date-of-birth "1965-13-01")',
        f'{_SMITH} :date-of-birth "1965-12-01")',
    ),
    Code.NO_ENTITY: Page(
        "there is no entity with this id",
        "The string has the form of an id, so it is not searched for as a name is.",
        '(cbu.show :cbu-id "00000000-0000-4000-8000-000000000000")',
        '(cbu.show :cbu-id "Apex Capital")',
    ),
    Code.OTHER_ENTITY: Page(
        "this id is an entity's of another type",
        "The verb's argument says of which type an entity is.",
        '(cbu.show :cbu-id "00000000-0000-4000-8000-000000000001")',
        '(cbu.show :cbu-id "Apex Capital")',
    ),
    Code.DUPLICATE_BINDING: Page(
        "a name is bound twice",
        "Within one program a symbol stands for one thing. A later program may bind it anew.",
        f"{_SMITH} :as @one)\n{_SMITH} :as @one)",
        f"{_SMITH} :as @one)\n{_SMITH} :as @two)",
    ),
    Code.UNKNOWN_SYMBOL: Page(
        "nothing is bound to this symbol",
        "A symbol is bound with `:as` in this program, before or after, or in one that was run\n"
        "in this session.",
        "(cbu.show :cbu-id @fund)",
        '(cbu.ensure :name "Test" :jurisdiction "LU" :as @fund)\n(cbu.show :cbu-id @fund)',
    ),
    Code.CYCLE: Page(
        "statements wait for one another",
        "Each needs what the next one makes, so none can be first.",
        '(cbu.ensure :name @b :jurisdiction "LU" :as @a)\n'
        '(cbu.ensure :name @a :jurisdiction "LU" :as @b)',
        '(cbu.ensure :name "B" :jurisdiction "LU" :as @a)\n'
        '(cbu.ensure :name @a :jurisdiction "LU" :as @b)',
    ),
    Code.UNUSED_BINDING: Page(
        "a binding is not used",
        "The program runs. The name stays known in the session, for later programs.",
        '(cbu.ensure :name "Test" :jurisdiction "LU" :as @fund)',
        '(cbu.ensure :name "Test" :jurisdiction "LU")',
    ),
    Code.SIMILAR_ENTITY: Page(
        "a similar entity exists",
        "The program runs. Look whether the entity that it makes is there already.",
        '(cbu.ensure :name "Alianz Funds" :jurisdiction "LU")',
    ),
    Code.SKIPPED: Page(
        "a reference was skipped",
        "The program can be run, and the statement fails before anything of it is done.",
        '(cbu.show :cbu-id "somebody")',
        '(cbu.show :cbu-id "Apex Capital")',
    ),
    Code.REORDERED: Page(
        "a statement runs later than it is written",
        "It uses what a statement below it makes. The plan shows the order.",
        '(cbu.show :cbu-id @fund)\n(cbu.ensure :name "Test" :jurisdiction "LU" :as @fund)',
        '(cbu.ensure :name "Test" :jurisdiction "LU" :as @fund)\n(cbu.show :cbu-id @fund)',
    ),
    Code.EMPTY: Page(
        "the program is empty",
        "It has no statement, so there is nothing to run.",
        "; only a comment",
        "(cbu.list)",
    ),
    Code.NOT_ATOMIC: Page(
        "a statement cannot be rolled back",
        "It acts outside the database: in a terminal, or on a component. What ran before it is\n"
        "committed first; if it fails, what it did stays done.",
        '(terminal.run :cmd "make")',
        "(cbu.list)",
    ),
}
# fmt: on


def explained(code: Code) -> str:
    page = PAGES[code]
    parts = [f"{code.value}: {page.title}", page.text, _example("For example:", page.wrong)]
    if page.right:
        parts.append(_example("Instead:", page.right))
    return "\n\n".join(parts) + "\n"


def _example(head: str, program: str) -> str:
    lines = (line if len(line) < 90 else f"{line[:88]}…" for line in program.splitlines())
    return "\n".join([head, *(f"    {line}" for line in lines)])
