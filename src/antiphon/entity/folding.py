"""Names made alike: case, accents, width, punctuation and some scripts make no difference."""

from __future__ import annotations

import re
import unicodedata

# Letters that no decomposition takes apart.
_LATIN = str.maketrans(
    {
        "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i",
        "ħ": "h", "ŋ": "n", "ĸ": "k", "ſ": "s",
    }
)  # fmt: skip
_CYRILLIC = str.maketrans(
    {
        "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "е": "e", "ж": "zh", "з": "z",
        "и": "i", "к": "k", "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r",
        "с": "s", "т": "t", "у": "u", "ф": "f", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh",
        "щ": "shch", "ъ": "", "ы": "y", "ь": "", "э": "e", "ю": "yu", "я": "ya", "і": "i",
        "є": "ye", "ґ": "g", "ђ": "dj", "ј": "j", "љ": "lj", "њ": "nj", "ћ": "c", "џ": "dz",
    }
)  # fmt: skip
_GREEK = str.maketrans(
    {
        "α": "a", "β": "v", "γ": "g", "δ": "d", "ε": "e", "ζ": "z", "η": "i", "θ": "th",
        "ι": "i", "κ": "k", "λ": "l", "μ": "m", "ν": "n", "ξ": "x", "ο": "o", "π": "p",
        "ρ": "r", "σ": "s", "ς": "s", "τ": "t", "υ": "y", "φ": "f", "χ": "ch", "ψ": "ps",
        "ω": "o",
    }
)  # fmt: skip
_WITHIN = "'’‘ʼ`´."  # these stand within a word: o'neill, s.a.
# What stands in the place of each character of ASCII that is no letter and no digit.
_ASCII = str.maketrans(
    {one: " " for one in map(chr, range(128)) if not one.isalnum()}
    | dict.fromkeys(_WITHIN, "")
    | dict.fromkeys("&+", " and ")
)
_BETWEEN = re.compile(r"[\W_]+")
# Written without blanks, so each sign is a word: what stands within a name is found as well.
_SIGN = re.compile(r"[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


def folded(text: str) -> str:
    """Lower-case words of letters and digits, a blank between two."""
    if text.isascii():
        return " ".join(text.lower().translate(_ASCII).split())
    wide = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    plain = "".join(one for one in wide if not unicodedata.combining(one))
    plain = plain.translate(_LATIN).translate(_CYRILLIC).translate(_GREEK)
    return _BETWEEN.sub(" ", _SIGN.sub(r" \g<0> ", plain.translate(_ASCII))).strip()
