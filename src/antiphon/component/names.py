"""Names of components: which may be asked for, and which files go by them."""

from __future__ import annotations

from pathlib import PurePath

from antiphon.base import limits
from antiphon.base.errors import Code, Refused

FILE_SUFFIXES = (".tsx", ".kicad_mod")
# A folder is a component when this file stands in it.
FOLDER_FILE = "index.tsx"


def checked(name: str) -> str:
    """The name itself, or a refusal: it becomes part of a path and of a command line."""
    found = _fault(name)
    if found is None:
        return name
    raise Refused(
        Code.INVALID_REQUEST,
        f"component_name {name[:80]!r} {found}; a name like BQ79616 is accepted: no separators, "
        f"no '..', no '-' first, at most {limits.COMPONENT_NAME_CHARS_MAX} characters",
    )


def _fault(name: str) -> str | None:
    if not name.strip():
        return "is empty"
    if len(name) > limits.COMPONENT_NAME_CHARS_MAX:
        return f"has {len(name)} characters"
    if any(ord(character) < 32 or ord(character) == 127 for character in name):
        return "has a control character"
    if any("\ud800" <= character <= "\udfff" for character in name):
        return "has half a character"
    if "/" in name or "\\" in name:
        return "has a separator"
    if ".." in name or name == ".":
        return "leads out of the library"
    if name.startswith("-"):
        return "begins like an option of a command"
    return None


def goes_by(path: PurePath, name: str) -> bool:
    """Whether a file of the library is this component, by its stem or its folder's name."""
    if path.name == FOLDER_FILE and len(path.parts) > 1:
        return folded(path.parent.name) == folded(name)
    return path.suffix in FILE_SUFFIXES and folded(path.stem) == folded(name)


def folded(name: str) -> str:
    return name.casefold().replace("-", "_")
