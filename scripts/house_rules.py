"""A package as a house: its modules, rooms, floors and stairs, and what is out of place.

A module is a file, a room a folder, a floor a layer, a stair an import.  Every stair goes
down.  This module reads source text and never runs it; house_picture.py draws the result.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

# What a room may not import, or call, and still be called quiet: each of these
# lets the outside (its time, its chance, its failures) into the code.
# fmt: off
NOISY_IMPORTS = {
    "anyio", "asyncio", "concurrent", "fcntl", "http.client", "http.server", "mcp",
    "multiprocessing", "os", "pty", "random", "secrets", "select", "selectors", "shutil",
    "signal", "socket", "sqlite3", "ssl", "starlette", "subprocess", "tempfile", "termios",
    "threading", "time", "tty", "urllib.request", "uuid", "uvicorn", "websockets",
}
# fmt: on
NOISY_CALLS = {"open", "print", "input"}
NOISY_METHODS = {"now", "utcnow", "today", "read_text", "read_bytes", "write_text", "write_bytes"}

FUNCTION_LINES_MAX = 70

DOOR = "__init__"  # the name given here to the root package's own __init__.py


# --- What a house is made of ------------------------------------------------


@dataclass(frozen=True)
class Module:
    name: str  # dotted, without the root package: "core.dsl.read"
    room: str
    path: Path
    lines: int
    function_lines_max: int
    noise: tuple[str, ...]


@dataclass(frozen=True)
class Stair:
    """One import statement, from the module that has it to the module it names."""

    source: str
    target: str
    line: int
    kind: str  # "run", "late" (inside a function) or "typing" (under TYPE_CHECKING)


@dataclass
class House:
    name: str
    modules: dict[str, Module]
    stairs: list[Stair]
    floor_of: dict[str, int] = field(default_factory=dict)  # room -> floor, 0 the lowest

    def room(self, module: str) -> str:
        return self.modules[module].room

    def floor(self, module: str) -> int:
        return self.floor_of[self.room(module)]

    def walked(self) -> list[Stair]:
        """The stairs that exist while the program runs."""
        return [stair for stair in self.stairs if stair.kind != "typing"]

    def rooms(self) -> dict[str, list[Module]]:
        rooms: dict[str, list[Module]] = defaultdict(list)
        for module in self.modules.values():
            rooms[module.room].append(module)
        return dict(rooms)

    def lines(self) -> int:
        return sum(module.lines for module in self.modules.values())

    def label(self, module: Module) -> str:
        """The name to write on a box: the room's name is left out where it stands above."""
        if sum(other.room == module.room for other in self.modules.values()) == 1:
            return module.name
        return (
            DOOR
            if module.path.name == "__init__.py"
            else module.name.removeprefix(module.room + ".")
        )


# --- Reading ----------------------------------------------------------------


def scan(root: Path, room_of: Callable[[str], str]) -> House:
    """Read every module under *root*; a file that does not parse is an error."""
    trees: dict[str, tuple[Path, ast.Module, int]] = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == DOOR else parts) or DOOR
        text = path.read_text(encoding="utf-8")
        trees[name] = path, ast.parse(text, str(path)), len(text.splitlines())

    prefix = root.name + "."
    house = House(root.name, {}, [])
    for name, (path, tree, lines) in trees.items():
        noise = set(outside_calls(tree))
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for line, kind, wanted in imports(tree, prefix + ("" if package == DOOR else package)):
            if not f"{wanted}.".startswith(prefix):
                noise |= {nearest(wanted, NOISY_IMPORTS)} if kind != "typing" else set()
                continue
            inside = f"{wanted}."[len(prefix) :].rstrip(".")
            target = nearest(inside, trees)
            if not target and "." not in inside:  # a name of the root package itself
                target = DOOR
            if not target:  # a module that is not Python
                noise.add(nearest(wanted, NOISY_IMPORTS))
            elif (
                target != name
                and (stair := Stair(name, target, line, kind)) not in house.stairs[-1:]
            ):
                house.stairs.append(stair)
        noise.discard("")
        house.modules[name] = Module(
            name, room_of(name), path, lines, function_lines_max(tree), tuple(sorted(noise))
        )
    return house


def outside_calls(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in NOISY_CALLS:
                yield f"{name}()"
            case ast.Call(func=ast.Attribute(attr=name)) if name in NOISY_METHODS:
                yield f".{name}()"
            case ast.Await() | ast.AsyncFor() | ast.AsyncWith() | ast.AsyncFunctionDef():
                yield "await"


def function_lines_max(tree: ast.AST) -> int:
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    nodes = (n for n in ast.walk(tree) if isinstance(n, kinds))
    return max(((n.end_lineno or n.lineno) - n.lineno + 1 for n in nodes), default=0)


def imports(node: ast.AST, package: str, kind: str = "run") -> Iterator[tuple[int, str, str]]:
    """Yield (line, kind, full dotted name) for each imported name; *package* resolves dots."""
    for child in ast.iter_child_nodes(node):
        inner = kind
        match child:
            case ast.FunctionDef() | ast.AsyncFunctionDef() if kind == "run":
                inner = "late"
            case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
                inner = "typing"
            case ast.Import(names=names):
                yield from ((child.lineno, kind, alias.name) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                above = package.rstrip(".").split(".")
                base = [*above[: len(above) - level + 1], module] if level else [module]
                for alias in names:
                    yield child.lineno, kind, ".".join(filter(None, [*base, alias.name]))
        yield from imports(child, package, inner)


def nearest(wanted: str, known: Collection[str]) -> str:
    """The longest prefix of the dotted name *wanted* that is known, or ''."""
    while wanted and wanted not in known:
        wanted = wanted.rpartition(".")[0]
    return wanted


def rings(house: House) -> list[list[str]]:
    """Groups of modules that import each other in a circle (Tarjan, without recursion)."""
    below: dict[str, list[str]] = {name: [] for name in house.modules}
    for stair in house.walked():
        below[stair.source].append(stair.target)
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found = []
    for start, first in below.items():
        work = [] if start in index else [(start, iter(first))]
        while work:
            node, targets = work[-1]
            if node not in index:
                index[node] = low[node] = len(index)
                stack.append(node)
            fresh = next((t for t in targets if t not in index), None)
            if fresh is not None:
                work.append((fresh, iter(below[fresh])))
                continue
            for target in below[node]:
                if target in stack:
                    low[node] = min(low[node], low[target])
            work.pop()
            if low[node] == index[node]:
                ring, stack = stack[stack.index(node) :], stack[: stack.index(node)]
                if len(ring) > 1:
                    found.append(sorted(ring))
    return found


# --- Judging ----------------------------------------------------------------

UP_STAIRS, NEIGHBOURS, PAIRS = "stairs going up", "stairs to a neighbour", "rooms back and forth"
RINGS, NOISE, UNUSED = "rings of modules", "noise in quiet rooms", "modules nothing inside imports"
LONG_MODULES, LONG_FUNCTIONS = "modules too long", "modules with a function too long"
BREAKING = (UP_STAIRS, NEIGHBOURS, RINGS, NOISE, LONG_MODULES, LONG_FUNCTIONS)


def judge(house: House, quiet: Iterable[str], lines_max: int) -> dict[str, list[str]]:
    """What is out of place, as printable facts under the titles above."""
    walked = sorted(house.walked(), key=lambda s: (s.source, s.line))
    rise = {s: house.floor(s.target) - house.floor(s.source) for s in walked}
    across = [s for s in walked if house.room(s.source) != house.room(s.target)]
    between = Counter((house.room(s.source), house.room(s.target)) for s in across)
    imported = {s.target for s in house.stairs}
    modules = sorted(house.modules.values(), key=lambda m: -m.lines)

    def place(s: Stair) -> str:
        late = " (inside a function)" if s.kind == "late" else ""
        return f"{house.modules[s.source].path}:{s.line}: {s.source} -> {s.target}{late}"

    return {
        UP_STAIRS: [place(s) for s in walked if rise[s] > 0],
        NEIGHBOURS: [place(s) for s in across if rise[s] == 0],
        PAIRS: [
            f"{a} -> {b} {between[a, b]}x, back {between[b, a]}x"
            for a, b in sorted(between)
            if a < b and (b, a) in between
        ],
        RINGS: [" <-> ".join(ring) for ring in rings(house)],
        NOISE: [
            f"{m.name}: {', '.join(m.noise)}"
            for m in modules
            if m.noise and any(f"{m.name}.".startswith(f"{room}.") for room in quiet)
        ],
        LONG_MODULES: [
            f"{m.name}: {m.lines} lines of {lines_max}" for m in modules if m.lines > lines_max
        ],
        LONG_FUNCTIONS: [
            f"{m.name}: {m.function_lines_max} lines of {FUNCTION_LINES_MAX}"
            for m in modules
            if m.function_lines_max > FUNCTION_LINES_MAX
        ],
        UNUSED: [
            m.name
            for m in modules
            if m.name not in imported and m.path.stem not in (DOOR, "__main__")
        ],
    }


def report(house: House, facts: dict[str, list[str]]) -> str:
    """The house floor by floor, then one line per fact, and an explicit «none»."""
    floors = 1 + max(house.floor_of.values())
    silent = sum(not m.noise for m in house.modules.values())
    pairs = {(s.source, s.target) for s in house.walked()}
    size = f"{len(house.modules)} modules ({silent} quiet), {house.lines()} lines"
    out = [f"house {house.name}: {size}, {floors} floors, {len(pairs)} stairs"]
    for level in reversed(range(floors)):
        here = [(r, ms) for r, ms in sorted(house.rooms().items()) if house.floor_of[r] == level]
        out.append(
            f"  floor {level}: " + ", ".join(f"{r} {sum(m.lines for m in ms)}" for r, ms in here)
        )
    for title, lines in facts.items():
        out.append(f"{title}: {len(lines) or 'none'}")
        out.extend(f"  {line}" for line in lines)
    return "\n".join(out)


def rooms_by(floors: list[list[str]]) -> Callable[[str], str]:
    """How a module gets its room: the longest declared prefix, else its first folder."""
    declared = sorted((room for floor in floors for room in floor), key=len, reverse=True)

    def room_of(name: str) -> str:
        prefixes = (room for room in declared if f"{name}.".startswith(f"{room}."))
        return next(prefixes, name.partition(".")[0])

    return room_of
