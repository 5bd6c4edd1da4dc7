"""Flows of every kind, by a die: long steps, conditions, options that depend."""

from __future__ import annotations

import random
from typing import Any


def some_flow(dice: random.Random) -> dict[str, Any]:
    steps: list[dict[str, Any]] = []
    for key in "abcdefghi"[: dice.randrange(1, 10)]:
        step: dict[str, Any] = {"key": key, "ask": f"Which {key}?"}
        step["select"] = dice.choice(["one", "one", "many"])
        words = dice.choice(["", " and two words more"])
        ones = [one for one in steps if one["select"] == "one" and len(one.get("options", "")) in
                range(1, 9)]  # fmt: skip
        if ones and dice.random() < 0.3:
            base = dice.choice(ones)
            tables = [labels(f"{key}{number}", dice.choice([1, 3, 8]), words)
                      for number in range(len(base["options"]))]  # fmt: skip
            same = dice.random() < 0.3
            step["options_by"] = {
                base["key"]: {
                    label: tables[0] if same else table
                    for label, table in zip(base["options"], tables, strict=True)
                }
            }
        else:
            step["options"] = labels(key, dice.choice([1, 2, 3, 7, 8, 13, 23, 50]), words)
        if steps and dice.random() < 0.4:
            base = dice.choice([one for one in steps if "options" in one])
            step["when"] = {base["key"]: sorted(set(dice.choices(base["options"], k=2)))}
        if step["select"] == "many" and dice.random() < 0.4:
            step["required"] = False
        steps.append(step)
    return {"flow": "some", "steps": steps}


def labels(name: str, count: int, words: str) -> list[str]:
    return [f"{name}-{number}{words}" for number in range(count)]
