from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antiphon.drivers.file import File, StorageFull
from antiphon.drivers.outputs import Outputs

# What a block prints, and whether the server is another one before it, while it runs, or both.
LIVES = st.lists(
    st.tuples(st.binary(max_size=3), st.sampled_from(("", "before", "while", "anew"))), max_size=12
)


def opened(folder: Path) -> Outputs:
    (folder / "blocks").mkdir(exist_ok=True)
    return Outputs(folder, File.open)


@given(LIVES)
def test_each_block_has_a_file_of_what_it_printed_and_of_nothing_else(
    lives: list[tuple[bytes, str]],
) -> None:
    with TemporaryDirectory() as place:
        outputs = opened(Path(place))
        for seq, (printed, other) in enumerate(lives):
            name = f"c.{seq}"
            if other == "before":
                outputs = opened(Path(place))
            outputs.begin(name)
            if other == "while":
                outputs = opened(Path(place))
            if other == "anew":  # it printed, and all of it is read again from before it began
                outputs.put(name, b"lost")
                outputs = opened(Path(place))
                outputs.begin(name)
            for at in range(len(printed)):
                outputs.of(name).write_at(at, printed[at : at + 1])
            outputs.end()
            for before, (expected, _) in enumerate(lives[: seq + 1]):
                file = Path(outputs.path(f"c.{before}"))
                assert file.read_bytes() == expected == outputs.read(f"c.{before}", 0, 9)


def test_blocks_that_print_nothing_share_a_file_and_others_do_not(tmp_path: Path) -> None:
    outputs = opened(tmp_path)
    for name, printed in (("a", b""), ("b", b"x"), ("c", b"y"), ("d", b""), ("e", b"")):
        outputs.begin(name)
        if printed:
            outputs.put(name, printed)
    names = [Path(outputs.path(name)).stat().st_nlink for name in "abcde"]
    assert names == [1, 1, 1, 3, 3]


def test_a_file_has_so_many_names_at_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outputs, link, most = opened(tmp_path), os.link, 3

    def limited(path: str, name: str) -> None:
        if Path(path).stat().st_nlink >= most:
            raise OSError(31, "Too many links")
        link(path, name)

    monkeypatch.setattr(os, "link", limited)
    for seq in range(6):
        outputs.begin(str(seq))
    assert outputs.read("5", 0, 1) == b""
    assert sum(Path(outputs.path(str(seq))).exists() for seq in range(6)) >= 4


def test_without_room_a_block_has_no_file_and_begins(tmp_path: Path) -> None:
    (tmp_path / "blocks").mkdir()

    def full(_path: Path) -> File:
        raise StorageFull("no room")

    outputs = Outputs(tmp_path, full)
    outputs.begin("a")
    assert outputs.read("a", 0, 1) == b"" and not Path(outputs.path("a")).exists()
    with pytest.raises(StorageFull):
        outputs.of("a")
