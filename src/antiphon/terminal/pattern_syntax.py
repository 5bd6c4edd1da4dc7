"""The syntax of RE2, read into a tree.

What RE2 cannot do in linear time (look-around, back-references) is refused here, by name and
position.  Greed is read and forgotten: a match is the longest of the leftmost, so `a+?` and `a+`
are the same set of texts.  This module does not know automata or bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from antiphon.terminal.pattern_classes import (
    ANY,
    CODE_POINT_MAX,
    NOT_NEWLINE,
    PERL,
    POSIX,
    CharSet,
    PatternRefused,
    category,
    single,
)
from antiphon.terminal.pattern_tree import Assertion, Choice, Look, Node, One, Repeat, Sequence

PATTERN_BYTES_MAX = 4096  # UTF-8 bytes: the longest in use is an e-mail grammar of 3 KiB
REPEAT_COUNT_MAX = 1000  # as RE2
GROUP_DEPTH_MAX = 100  # groups: the parser and the builder recurse, six frames for each

ESCAPED = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
OCTAL = "01234567"
HEX = "0123456789abcdefABCDEF"


@dataclass(frozen=True, slots=True)
class Flags:
    folds_case: bool = False
    is_multiline: bool = True
    dot_has_newline: bool = False


ESCAPED_LOOKS = {
    "A": Assertion.TEXT_START,
    "z": Assertion.TEXT_END,
    "b": Assertion.WORD_BOUNDARY,
    "B": Assertion.NO_WORD_BOUNDARY,
}
LOOK_AROUND = ("(?=", "(?!", "(?<=", "(?<!")


def parse(pattern: str) -> Node:
    try:
        size = len(pattern.encode())
    except UnicodeEncodeError as error:
        raise PatternRefused("a lone surrogate", error.start, "characters only") from None
    if size > PATTERN_BYTES_MAX:
        raise PatternRefused(f"{size} bytes", 0, f"at most {PATTERN_BYTES_MAX} bytes of pattern")
    return _Parser(pattern).whole()


class _Parser:
    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.depth = 0
        self.flags = Flags()
        self.names: set[str] = set()
        self.is_quoting = False  # between \Q and \E

    def refuse(self, found: str, accepted: str, at: int | None = None) -> PatternRefused:
        return PatternRefused(found, self.at if at is None else at, accepted)

    def sees(self, text: str) -> bool:
        return self.pattern.startswith(text, self.at)

    def takes(self, text: str) -> bool:
        if not self.sees(text):
            return False
        self.at += len(text)
        return True

    def next(self, accepted: str) -> str:
        if self.at == len(self.pattern):
            raise self.refuse("the end of the pattern", accepted)
        self.at += 1
        return self.pattern[self.at - 1]

    def until(self, end: str, accepted: str) -> str:
        stop = self.pattern.find(end, self.at)
        if stop < 0:
            raise self.refuse(f"no closing {end}", accepted)
        text = self.pattern[self.at : stop]
        self.at = stop + len(end)
        return text

    def whole(self) -> Node:
        tree = self.choice()
        if self.at < len(self.pattern):
            raise self.refuse("a ) that closes nothing", r"\) for the character itself")
        return tree

    def choice(self) -> Node:
        branches = [self.sequence()]
        while not self.is_quoting and self.takes("|"):
            branches.append(self.sequence())
        return branches[0] if len(branches) == 1 else Choice(tuple(branches))

    def sequence(self) -> Node:
        parts: list[Node] = []
        while self.at < len(self.pattern):
            if self.takes_quote_mark():
                continue
            if not self.is_quoting and (self.sees("|") or self.sees(")")):
                break
            if not self.is_quoting and self.takes_flags():
                continue
            parts.append(self.repeated(self.literal() if self.is_quoting else self.atom()))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def takes_quote_mark(self) -> bool:
        if self.takes(r"\E" if self.is_quoting else r"\Q"):
            self.is_quoting = not self.is_quoting
            return True
        return False

    def repeated(self, body: Node) -> Node:
        if self.is_quoting and not self.takes_quote_mark():
            return body
        bounds = self.bounds()
        if bounds is None:
            return body
        self.takes("?")
        begin = self.at
        if self.bounds() is not None:
            raise self.refuse("a repeat of a repeat", "one of * + ? {n,m}, or a group", begin)
        count_min, count_max = bounds
        if isinstance(body, Repeat) and (body.count_min, body.count_max) == (0, 1):
            return Repeat(body.body, 0, count_max)  # (a?){n,m} is a{0,m}, and a shorter program
        return Repeat(body, count_min, count_max)

    def bounds(self) -> tuple[int, int | None] | None:
        """The repeat that stands here, if one does; a { that begins none is a character."""
        if self.takes("*"):
            return 0, None
        if self.takes("+"):
            return 1, None
        if self.takes("?"):
            return 0, 1
        stop = self.pattern.find("}", self.at)
        if not self.sees("{") or stop < 0:
            return None
        low, comma, high = self.pattern[self.at + 1 : stop].partition(",")
        if not _is_count(low) or (high and not _is_count(high)):
            return None
        # Five digits are over the limit already, and int() of 4,000 would cost more.
        count_min = int(low[:5])
        count_max = (int(high[:5]) if high else None) if comma else count_min
        if max(count_min, count_max or 0) > REPEAT_COUNT_MAX:
            found = self.pattern[self.at : stop + 1]
            raise self.refuse(found[:20], f"counts to {REPEAT_COUNT_MAX}")
        if count_max is not None and count_max < count_min:
            raise self.refuse(self.pattern[self.at : stop + 1], "{n,m} with n <= m")
        self.at = stop + 1
        return count_min, count_max

    def atom(self) -> Node:
        match self.pattern[self.at]:
            case "(":
                return self.group()
            case "[":
                return One(self.bracketed())
            case "\\":
                return self.escape()
            case "*" | "+" | "?":
                raise self.refuse("a repeat of nothing", "something to repeat before it")
            case ".":
                self.at += 1
                return One(ANY if self.flags.dot_has_newline else NOT_NEWLINE)
            case "^":
                self.at += 1
                multiline = self.flags.is_multiline
                return Look(Assertion.LINE_START if multiline else Assertion.TEXT_START)
            case "$":
                self.at += 1
                multiline = self.flags.is_multiline
                return Look(Assertion.LINE_END if multiline else Assertion.TEXT_END)
            case _:
                if self.bounds() is not None:
                    raise self.refuse("a repeat of nothing", "something to repeat before it")
                return self.literal()

    def literal(self) -> One:
        self.at += 1
        return One(self.cased(single(ord(self.pattern[self.at - 1]))))

    def cased(self, chars: CharSet) -> CharSet:
        return chars.folded() if self.flags.folds_case else chars

    def group(self) -> Node:
        begin = self.at
        if any(self.sees(mark) for mark in LOOK_AROUND):
            raise self.refuse("a look-around", r"no look-around; ^ $ \A \z \b \B are")
        self.at += 1
        outer = self.flags
        if self.takes("?P<") or self.takes("?<"):
            self.name()
        elif self.takes("?"):
            self.flags = self.new_flags(":")
        self.depth += 1
        if self.depth > GROUP_DEPTH_MAX:
            raise self.refuse("too many groups in groups", f"to {GROUP_DEPTH_MAX}", begin)
        body = self.choice()
        if not self.takes(")"):
            raise self.refuse("a ( that is not closed", r"\( for the character itself", begin)
        self.depth -= 1
        self.flags = outer
        return body

    def name(self) -> None:
        begin = self.at
        name = self.until(">", "(?P<name>...)")
        if not name or not all(char == "_" or char.isalnum() for char in name):
            raise self.refuse(f"the group name {name!r}", "letters, digits and _", begin)
        if name in self.names:
            raise self.refuse(f"a second group {name!r}", "each name once", begin)
        self.names.add(name)

    def takes_flags(self) -> bool:
        """Take (?flags), which holds to the end of the group it stands in."""
        stop = self.pattern.find(")", self.at)
        inside = self.pattern[self.at + 2 : stop]
        if not self.sees("(?") or stop < 0 or inside.strip("imsU-"):
            return False
        self.at += 2
        self.flags = self.new_flags(")")
        return True

    def new_flags(self, end: str) -> Flags:
        flags, value, is_empty = self.flags, True, False
        accepted = "(?i) (?m) (?s) (?U), their - forms, (?:...), (?P<name>...)"
        begin = self.at
        while True:
            match self.next(accepted):
                case "i":
                    flags, is_empty = replace(flags, folds_case=value), False
                case "m":
                    flags, is_empty = replace(flags, is_multiline=value), False
                case "s":
                    flags, is_empty = replace(flags, dot_has_newline=value), False
                case "U":
                    is_empty = False  # greed only
                case "-" if value:
                    value, is_empty = False, True
                case mark if mark == end and not is_empty:
                    return flags
                case other:
                    found = f"the flag {other!r}" if other.isalpha() else "this group"
                    raise self.refuse(found, accepted, begin)

    def escape(self) -> Node:
        letter = self.pattern[self.at + 1 : self.at + 2]
        if letter in ESCAPED_LOOKS:
            self.at += 2
            return Look(ESCAPED_LOOKS[letter])
        named = self.named_set()
        return One(self.cased(single(self.escaped_code_point())) if named is None else named)

    def named_set(self) -> CharSet | None:
        r"""The set that \d, \pL or their like name here, if one does."""
        begin = self.at
        letter = self.pattern[self.at + 1 : self.at + 2]
        if not self.sees("\\"):
            return None
        if letter and letter in "dswDSW":
            self.at += 2
            chars = self.cased(PERL[letter.lower()])
            return chars.negated() if letter.isupper() else chars
        if not letter or letter not in "pP":
            return None
        self.at += 2
        name = self.next(r"\pL or \p{Lu}")
        if name == "{":
            name = self.until("}", r"\p{Lu}")
        found = category(name.removeprefix("^"))
        if found is None:
            accepted = r"general categories, as \pL or \p{Lu}, and no scripts"
            raise self.refuse(f"the class {name[:40]!r}", accepted, begin)
        chars = self.cased(found)
        return chars.negated() if (letter == "P") != name.startswith("^") else chars

    def escaped_code_point(self) -> int:
        begin = self.at
        self.at += 1
        letter = self.next(r"a character after \, or \\ for the character itself")
        if letter in ESCAPED:
            return ESCAPED[letter]
        if letter == "x":
            return self.hexadecimal(begin)
        follows = self.pattern[self.at : self.at + 1]
        if letter == "0" or (letter in OCTAL and follows and follows in OCTAL):
            digits = letter
            while len(digits) < 3 and self.pattern[self.at : self.at + 1] in tuple(OCTAL):
                digits += self.next("octal digits")
            return int(digits, 8)
        if letter.isdigit():
            raise self.refuse("a back-reference", "patterns without them", begin)
        if letter.isascii() and (letter == "_" or not letter.isalnum()):
            return ord(letter)
        accepted = r"\d \s \w \pL \b \A \z \x41 \n, a punctuation mark, or \Q...\E"
        raise self.refuse(f"the escape \\{letter}", accepted, begin)

    def hexadecimal(self, begin: int) -> int:
        accepted = rf"\x41 or \x{{10FFFF}}, to {CODE_POINT_MAX:X}"
        digits = self.until("}", accepted) if self.takes("{") else self.next(accepted)
        if self.pattern[begin + 2] != "{":
            digits += self.next(accepted)
        if not digits or digits.strip(HEX) or int(digits, 16) > CODE_POINT_MAX:
            raise self.refuse(self.pattern[begin : begin + 12], accepted, begin)
        return int(digits, 16)

    def bracketed(self) -> CharSet:
        begin = self.at
        self.at += 1
        is_negated = self.takes("^")
        chars = CharSet(())
        is_first = True
        while is_first or not self.sees("]"):
            if self.at == len(self.pattern):
                raise self.refuse("a [ that is not closed", r"\[ for itself", begin)
            is_first = False
            named = self.posix_set() or self.named_set()
            chars = chars.merged(self.range() if named is None else named)
        self.at += 1
        return chars.negated() if is_negated else chars

    def posix_set(self) -> CharSet | None:
        stop = self.pattern.find(":]", self.at)
        if not self.sees("[:") or stop < 0:
            return None
        name = self.pattern[self.at + 2 : stop]
        chars = POSIX.get(name.removeprefix("^"))
        if chars is None:
            raise self.refuse(f"the class [:{name[:40]}:]", "one of " + " ".join(POSIX))
        self.at = stop + 2
        chars = self.cased(chars)
        return chars.negated() if name.startswith("^") else chars

    def range(self) -> CharSet:
        begin = self.at
        low = high = self.bracketed_code_point()
        if self.sees("-") and not self.sees("-]"):
            self.at += 1
            high = self.bracketed_code_point()
        if high < low:
            raise self.refuse(self.pattern[begin : self.at], "a range from low to high", begin)
        return self.cased(CharSet(((low, high),)))

    def bracketed_code_point(self) -> int:
        if self.sees("\\"):
            return self.escaped_code_point()
        return ord(self.next("a closing ]"))


def _is_count(text: str) -> bool:
    """Whether it is a number without leading zeros; RE2 takes `{01}` for four characters."""
    return text.isascii() and text.isdigit() and (text == "0" or text[0] != "0")
