"""Names as companies and funds have them, and the slips with which people type them: seeded."""

from __future__ import annotations

import bisect
import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass

ONSETS = "b c d f g h j k l m n p r s t v w z br cl cr dr fl fr gl gr pl pr sc sh sl st str th tr"
VOWELS = "a e i o u ai ea ei ie io oa ou ue"
CODAS = "l m n r s t x ck nd ng nt rd rk rn st th ld"
WORDS = 30_000
COMMON = (
    "Global", "European", "Capital", "Growth", "Income", "Equity", "Bond", "Fund", "Partners",
    "Holdings", "Investors", "Trust", "Opportunities", "Emerging", "Markets", "Small", "Cap",
    "Real", "Estate", "Credit", "Group", "International", "Asset", "Management", "Ltd", "GmbH",
)  # fmt: skip
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass
class Names:
    seed: int

    def __post_init__(self) -> None:
        self.dice = random.Random(self.seed)
        made = dict.fromkeys(self._word() for _ in range(WORDS * 2))
        self.words = list(made)[:WORDS]
        # The frequency of words in names falls with their rank, as it does in any language.
        self.weights = list(itertools.accumulate(1 / (rank + 20) for rank in range(WORDS)))

    def _word(self) -> str:
        pick = self.dice.choice
        parts = [
            pick(ONSETS.split()) + pick(VOWELS.split())
            for _ in range(self.dice.choice((1, 2, 2, 3)))
        ]
        ending = pick(CODAS.split()) if self.dice.random() < 0.7 else ""
        return ("".join(parts) + ending).capitalize()

    def _one(self) -> str:
        at = bisect.bisect(self.weights, self.dice.random() * self.weights[-1])
        return self.words[at]

    def name(self) -> str:
        own = [self._one() for _ in range(self.dice.choice((1, 2, 2, 3)))]
        common = self.dice.sample(COMMON, k=self.dice.choice((0, 1, 1, 2)))
        return " ".join([*own, *common])

    def distinct(self, count: int) -> list[str]:
        found: dict[str, None] = {}
        while len(found) < count:
            found[self.name()] = None
        return list(found)

    # --- as they are typed -----------------------------------------------------

    def slip(self, text: str) -> str:
        """One letter more, less, another one, or two the wrong way round."""
        at = self.dice.randrange(len(text))
        letter = self.dice.choice(LETTERS)
        match self.dice.randrange(4):
            case 0:
                return text[:at] + letter + text[at:]
            case 1:
                return text[:at] + text[at + 1 :]
            case 2:
                return text[:at] + letter + text[at + 1 :]
            case _:
                return text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :]

    def kinds(self) -> dict[str, Callable[[str], str]]:
        return {
            "as it is": str.lower,
            "one slip": lambda name: self.slip(name.lower()),
            "two slips": lambda name: self.slip(self.slip(name.lower())),
            "other order and a slip": self._mixed,
            "the first 70 %": lambda name: name.lower()[: max(3, len(name) * 7 // 10)],
        }

    def _mixed(self, name: str) -> str:
        words = name.lower().split()
        self.dice.shuffle(words)
        return self.slip(" ".join(words))
