"""The picture of a house: where every box stands, which curves join them, and the SVG of it.

A box is a module, and its area grows with its lines.  This module judges nothing.
"""

from __future__ import annotations

import html
import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from house_rules import House, Module

STAIRS_DRAWN_MAX = 170  # above this, sound stairs between two rooms are drawn as one

# --- Placing ----------------------------------------------------------------

GAP, TITLE, FLOOR_WIDTH = 10, 14, 1500
AREA_PER_LINE, LETTER = 15, 6.4


@dataclass
class Frame:
    x: float
    y: float
    w: float
    h: float

    @property
    def middle(self) -> float:
        return self.x + self.w / 2


def shelve(
    sizes: list[tuple[str, float, float]], width: float
) -> tuple[dict[str, Frame], float, float]:
    """Put boxes on shelves from left to right, a new shelf when *width* is full."""
    placed, x, y, shelf, widest = {}, 0.0, 0.0, 0.0, 0.0
    for name, w, h in sizes:
        if x and x + w > width:
            x, y, shelf = 0.0, y + shelf + GAP, 0.0
        placed[name] = Frame(x, y, w, h)
        x, shelf = x + w + GAP, max(shelf, h)
        widest = max(widest, x - GAP)
    return placed, widest, y + shelf


def module_size(house: House, module: Module) -> tuple[str, float, float]:
    area = module.lines * AREA_PER_LINE
    width = max(len(house.label(module)) * LETTER + GAP, math.sqrt(area * 1.4))
    return module.name, width, max(24.0, area / width)


@dataclass
class Plan:
    modules: dict[str, Frame]
    rooms: dict[str, Frame]
    width: float
    height: float


def lay_out(house: House) -> Plan:
    """Where every module and room goes; the origin is the top left of the top floor."""
    insides: dict[str, dict[str, Frame]] = {}
    sizes: dict[str, tuple[float, float]] = {}
    for room, members in house.rooms().items():
        boxes = sorted((module_size(house, m) for m in members), key=lambda b: -b[1] * b[2])
        across = max(b[1] for b in boxes) + math.sqrt(sum(b[1] * b[2] for b in boxes)) * 0.9
        insides[room], w, h = shelve(boxes, across)
        if len(members) > 1:
            w = max(w, len(room) * LETTER) + 2 * GAP
            h += 2 * GAP + TITLE
        sizes[room] = w, h
    plan = Plan({}, {}, 0.0, 0.0)
    for level in sorted(set(house.floor_of.values()), reverse=True):
        here = [r for r in sizes if house.floor_of[r] == level]
        here.sort(key=lambda r: (middle_of_users(house, r, plan.rooms), r))
        frames, w, h = shelve([(r, *sizes[r]) for r in here], FLOOR_WIDTH)
        shift = -w / 2  # floors are centred on x = 0, and moved right at the end
        for room, f in frames.items():
            plan.rooms[room] = Frame(f.x + shift, f.y + plan.height, f.w, f.h)
        plan.width, plan.height = max(plan.width, w), plan.height + h + 5 * GAP
    for frame in plan.rooms.values():
        frame.x += plan.width / 2
    for room, inside in insides.items():
        f, pad = plan.rooms[room], GAP if len(inside) > 1 else 0
        for name, i in inside.items():
            plan.modules[name] = Frame(
                f.x + i.x + pad, f.y + i.y + pad + (TITLE if pad else 0), i.w, i.h
            )
    return plan


def middle_of_users(house: House, room: str, placed: dict[str, Frame]) -> float:
    """A room goes under the rooms that use it."""
    users = [house.room(s.source) for s in house.walked() if house.room(s.target) == room]
    middles = [placed[user].middle for user in users if user in placed]
    return sum(middles) / len(middles) if middles else 0.0


# --- Drawing ----------------------------------------------------------------

# A scene is a list of these three; the two writers below know nothing else.
Point = tuple[float, float]


@dataclass(frozen=True)
class Shape:
    points: tuple[Point, ...]  # a closed polygon
    fill: str
    stroke: str
    width: float = 1.0
    tip: str = ""


@dataclass(frozen=True)
class Label:
    x: float
    y: float
    text: str
    size: float = 10.0
    color: str = "#33312e"


@dataclass(frozen=True)
class Curve:
    points: tuple[Point, Point, Point, Point]  # a cubic Bezier
    color: str
    width: float
    dotted: bool = False
    tip: str = ""


Scene = list[Shape | Label | Curve]

INK, WALL, PAPER, SOIL = "#33312e", "#8d877c", "#fbf8f1", "#e9e2d3"
QUIET, NOISY, OVERSIZE = "#cfe3dc", "#f3dfb9", "#b3402e"
DOWN, UP, ALONG = "#7d8fa3", "#d0321e", "#d98a1f"
LEGEND = (
    "green: quiet, no IO · sand: does IO · red frame: too long",
    "stairs: grey go down · amber stay · red go up · dotted are for types only",
)


def box(f: Frame, fill: str, stroke: str = WALL, width: float = 1.0, tip: str = "") -> Shape:
    right, low = f.x + f.w, f.y + f.h
    return Shape(((f.x, f.y), (right, f.y), (right, low), (f.x, low)), fill, stroke, width, tip)


def draw(house: House, lines_max: int) -> tuple[Scene, float, float]:
    """The scene, its width and its height."""
    plan = lay_out(house)
    roof, edge, soil = 100.0, 34.0, 34.0
    wide = max(plan.width + 2 * edge, 520.0)
    tall = roof + edge + plan.height + soil
    left = (wide - plan.width) / 2
    for frame in [*plan.rooms.values(), *plan.modules.values()]:
        frame.x, frame.y = frame.x + left, frame.y + roof + edge

    scene: Scene = [
        Shape(((4, roof), (wide / 2, 6), (wide - 4, roof)), SOIL, WALL, 1.5),
        box(Frame(14, roof, wide - 28, tall - roof - soil), PAPER, width=1.5),
        box(Frame(0, tall - soil, wide, soil), SOIL),
        Label(wide / 2, roof - 36, house.name, 22),
        Label(
            wide / 2, roof - 15, f"{len(house.modules)} modules, {house.lines()} lines", 11, WALL
        ),
        *(Label(wide / 2, tall - soil + 14 + 12 * i, text, 9) for i, text in enumerate(LEGEND)),
    ]
    for level in set(house.floor_of.values()):
        frames = [f for r, f in plan.rooms.items() if house.floor_of[r] == level]
        ground = max(f.y + f.h for f in frames) + 2 * GAP
        scene.append(Label(24, ground - 4, str(level), 9, WALL))
        if level:
            scene.append(box(Frame(14, ground, wide - 28, 0.6), WALL))
    for room, members in house.rooms().items():
        if len(members) > 1:
            scene.append(box(plan.rooms[room], "#ffffff"))
            scene.append(Label(plan.rooms[room].middle, plan.rooms[room].y + 14, room, 11))
    scene += stairs(house, plan)
    for name, f in plan.modules.items():
        scene += furniture(house.modules[name], house.label(house.modules[name]), f, lines_max)
    return scene, wide, tall


def furniture(module: Module, label: str, f: Frame, lines_max: int) -> Iterator[Shape | Label]:
    large = module.lines > lines_max
    noise = ", ".join(module.noise) or "quiet"
    tip = f"{module.name}: {module.lines} lines, function {module.function_lines_max}, {noise}"
    fill = NOISY if module.noise else QUIET
    yield box(f, fill, OVERSIZE if large else INK, 2.0 if large else 0.8, tip)
    if f.h > 36:
        yield Label(f.middle, f.y + f.h / 2 - 1, label)
        yield Label(f.middle, f.y + f.h / 2 + 12, str(module.lines), 9, WALL)
    else:
        yield Label(f.middle, f.y + f.h / 2 + 3.5, label)


def stairs(house: House, plan: Plan) -> list[Curve]:
    """The stairs; when there are too many, sound ones are bundled from room to room."""
    kinds: dict[tuple[str, str], set[str]] = defaultdict(set)
    for stair in house.stairs:
        kinds[stair.source, stair.target].add(stair.kind)
    crowded = len(kinds) > STAIRS_DRAWN_MAX
    lines: list[tuple[Frame, Frame, str, float, bool, str]] = []
    bundles: Counter[tuple[str, str]] = Counter()
    for (source, target), seen in kinds.items():
        rise = house.floor(target) - house.floor(source)
        inside = house.room(source) == house.room(target)
        types_only = seen == {"typing"}
        if crowded and (rise <= 0 or types_only):
            bundles[house.room(source), house.room(target)] += not inside and not types_only
            continue
        color = DOWN if rise < 0 or inside or types_only else UP if rise else ALONG
        width = 0.7 if inside or types_only else 2.0 if rise > 0 else 1.0
        tip = f"{source} -> {target}"
        lines.append((plan.modules[source], plan.modules[target], color, width, types_only, tip))
    for (source, target), count in (+bundles).items():
        color = DOWN if house.floor_of[source] > house.floor_of[target] else ALONG
        tip = f"{source} -> {target}, {count} modules"
        lines.append(
            (plan.rooms[source], plan.rooms[target], color, 0.6 + math.sqrt(count) / 2, False, tip)
        )
    return sorted(bend(lines), key=lambda curve: curve.color == UP)


def bend(lines: list[tuple[Frame, Frame, str, float, bool, str]]) -> Iterator[Curve]:
    """Curves between boxes, their ends spread along each side in the order of the other ends."""
    sides: dict[tuple[int, bool], list[tuple[float, int, int]]] = defaultdict(list)
    for n, (a, b, *_) in enumerate(lines):
        falls = b.y >= a.y + a.h
        sides[id(a), falls].append((b.middle, n, 0))
        sides[id(b), not falls and b.y + b.h <= a.y].append((a.middle, n, 1))
    share: dict[tuple[int, int], float] = {}
    for ends in sides.values():
        for i, (_, n, end) in enumerate(sorted(ends)):
            share[n, end] = 0.15 + 0.7 * (i + 1) / (len(ends) + 1)
    for n, (a, b, color, width, dotted, tip) in enumerate(lines):
        ax, bx = a.x + a.w * share[n, 0], b.x + b.w * share[n, 1]
        if b.y >= a.y + a.h:  # below: from the bottom side to the top side
            ay, by = a.y + a.h, b.y
        elif b.y + b.h <= a.y:  # above: from the top side to the bottom side
            ay, by = a.y, b.y + b.h
        else:  # beside: a hop over both
            ay, by = a.y, b.y
        beside = ay == a.y and by == b.y
        leave = -14.0 - abs(ax - bx) / 20 if beside else (by - ay) / 2
        arrive = leave if beside else -leave
        yield Curve(
            ((ax, ay), (ax, ay + leave), (bx, by + arrive), (bx, by)), color, width, dotted, tip
        )


# --- Writing ----------------------------------------------------------------


def to_svg(scene: Scene, width: float, height: float) -> str:
    def tag(name: str, inner: str = "", **attributes: object) -> str:
        pairs = (f'{key.replace("_", "-")}="{value}"' for key, value in attributes.items())
        return f"<{name} {' '.join(pairs)}>{inner}</{name}>"

    def tip(text: str) -> str:
        return f"<title>{html.escape(text)}</title>"

    out = [tag("rect", width="100%", height="100%", fill="#ffffff")]
    for color in (DOWN, UP, ALONG):
        head = tag("path", d="M0 0L8 4L0 8z", fill=color)
        side = {"markerWidth": 7, "markerHeight": 7, "markerUnits": "userSpaceOnUse"}
        where = {"viewBox": "0 0 8 8", "refX": 7, "refY": 4, "orient": "auto"}
        out.append(tag("marker", head, id=f"m{color[1:]}", **side, **where))
    for item in scene:
        match item:
            case Shape(points, fill, stroke, line, text):
                corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
                style = {"fill": fill, "stroke": stroke, "stroke_width": line}
                out.append(tag("polygon", tip(text), points=corners, **style))
            case Label(x, y, text, size, color):
                place = {"x": f"{x:.1f}", "y": f"{y:.1f}", "text_anchor": "middle"}
                style = {"font_size": size, "fill": color, "pointer_events": "none"}
                out.append(tag("text", html.escape(text), **place, **style))
            case Curve(points, color, line, dotted, text):
                start, *rest = (f"{x:.1f} {y:.1f}" for x, y in points)
                style = {"fill": "none", "stroke": color, "stroke_width": f"{line:.2f}"}
                style |= {"stroke_dasharray": "2 3"} if dotted else {}
                head = f"url(#m{color[1:]})"
                path = f"M{start}C{' '.join(rest)}"
                out.append(tag("path", tip(text), d=path, marker_end=head, **style))
    extent = {"width": round(width), "height": round(height)}
    view, font = f"0 0 {width:.0f} {height:.0f}", "DejaVu Sans, Helvetica, sans-serif"
    space = "http://www.w3.org/2000/svg"
    return tag("svg", "\n".join(out), xmlns=space, viewBox=view, font_family=font, **extent) + "\n"
