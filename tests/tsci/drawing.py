"""The drawing of a part as the service for drawings words it: a symbol, and a footprint."""

from __future__ import annotations

from typing import Any

PINS = ("IN", "GND", "OUT", "VCC")
_PITCH = 10
Json = dict[str, Any]


def drawing(id_: str, number: str, name: str) -> Json:
    """A part of four pins, two on each side."""
    head = {
        "docType": "2",
        "editorVersion": "6.5.1",
        "c_para": {
            "name": name, "package": "SOIC-4", "pre": "U?", "Manufacturer Part": name,
            "Manufacturer": "Nobody", "Supplier": "LCSC", "Supplier Part": number,
        },
        "x": 400, "y": 300, "puuid": id_[::-1], "uuid": id_, "utime": 1, "importFlag": 0,
        "hasIdFlag": True,
    }  # fmt: skip
    seller = {"id": 1, "number": number, "step": 1, "min": 1, "price": 1, "stock": 1}
    owner = {"uuid": "0" * 32, "username": "nobody", "nickname": "nobody", "avatar": ""}
    about = {"uuid": id_, "title": name, "owner": owner, "updateTime": 1, "datastrid": id_,
             "writable": False}  # fmt: skip
    canvas = "CA~1000~1000~#000~yes~#FFF~10~1000~1000~line~1~{}~1~45~visible~0.5~{}~{}~0~yes"
    footprint = {
        **about, "uuid": id_[::-1], "title": "SOIC-4", "docType": 4,
        "dataStr": {
            "head": {**head, "docType": "4", "x": 4000, "y": 3000},
            "canvas": canvas.format("mil", 4000, 3000),
            "shape": [_pad(index) for index in range(len(PINS))],
            "layers": ["TopLayer~#FF0000~true~true~true~"], "objects": ["All~true~false"],
            "BBox": {"x": 3980, "y": 2990, "width": 40, "height": 20}, "netColors": [],
        },
    }  # fmt: skip
    symbol = {
        "head": head, "canvas": canvas.format("pixel", 400, 300),
        "shape": ["R~380~285~2~2~40~30~#880000~1~0~none~body~0~", *map(_pin, range(len(PINS)))],
        "BBox": {"x": 370, "y": 285, "width": 60, "height": 30}, "colors": [],
    }  # fmt: skip
    return {
        **about, "description": "", "docType": 2, "type": 3, "szlcsc": seller, "lcsc": seller,
        "tags": ["tests"], "updated_at": "2024-01-01 00:00:00", "dataStr": symbol, "verify": True,
        "SMT": True, "jlcOnSale": 1, "isFavorite": False, "packageDetail": footprint,
    }  # fmt: skip


def _place(index: int) -> tuple[bool, int]:
    """Whether it is on the left, and how far down; pins are counted around the part."""
    half = len(PINS) // 2
    is_left = index < half
    return is_left, index if is_left else len(PINS) - 1 - index


def _pin(index: int) -> str:
    is_left, down = _place(index)
    x, y = 370 if is_left else 430, 290 + _PITCH * down
    edge, line, anchor = (380, 10, "start") if is_left else (420, -10, "end")
    return "^^".join((
        f"P~show~0~{index + 1}~{x}~{y}~{180 if is_left else 0}~pin{index}~0",
        f"{x}~{y}",
        f"M {x} {y} h {line}~#880000",
        f"1~{edge + line // 3}~{y + 3}~0~{PINS[index]}~{anchor}~~~#0000FF",
        f"1~{edge - line // 3}~{y - 1}~0~{index + 1}~{anchor}~~~#0000FF",
        f"0~{edge}~{y}",
        f"0~M {edge} {y} L {edge} {y}",
    ))  # fmt: skip


def _pad(index: int) -> str:
    is_left, down = _place(index)
    x, y = 3990 if is_left else 4010, 2997.5 + 5 * down
    sides = (x - 3, y - 1, x + 3, y - 1, x + 3, y + 1, x - 3, y + 1)
    corners = " ".join(map(str, sides))
    return f"PAD~RECT~{x}~{y}~6~2~1~~{index + 1}~0~{corners}~0~pad{index}~0~~Y~0~0~0.2~{x},{y}"
