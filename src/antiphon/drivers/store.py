"""The files of one conversation, and the only writer of all but the holder's.

`output.raw` is the truth and the holder's; `output.spool`, `blocks/*.out`, `prompts.idx` and
`blocks.jsonl` follow from it, byte for byte, wherever the stream is cut.  `events.jsonl` is the
record.  Everything is written at a known offset, so that a write may be done again: after a
full disk, and after a crash from the last checkpoint on.
"""

from __future__ import annotations

import array
import os
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from antiphon.drivers import sums
from antiphon.drivers.file import FLAGS, FULL, File, StorageFull
from antiphon.drivers.outputs import Outputs

PROMPT_ITEM_BYTES = 16  # start and end of a sentinel in the spool
# Microseconds, offset in output.raw, cols, rows: from there on the terminal was so large.
SIZE_ITEM = struct.Struct("<QQII")


class Durability(Enum):
    """What survives: the server's death always, the machine's up to the last sync."""

    PROCESS = "process"  # synced each second while there is news
    POWER = "power"  # and a begin before its command runs, an end before anybody is told


@dataclass(slots=True)
class Batch:
    """What one piece of the stream adds to the files, all of it or, for now, nothing."""

    spool: list[bytes] = field(default_factory=list)
    events: list[bytes] = field(default_factory=list)
    blocks: list[bytes] = field(default_factory=list)
    prompts: array.array[int] = field(default_factory=lambda: array.array("Q"))
    begun: list[str] = field(default_factory=list)  # blocks
    outputs: list[tuple[str, int, bytes]] = field(default_factory=list)  # block, offset, bytes
    is_written: bool = False

    def is_empty(self) -> bool:
        lists = (self.begun, self.spool, self.events, self.blocks, self.prompts, self.outputs)
        return not any(lists)


def make_folder(path: Path) -> None:
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.chmod(0o700)


class Store:
    """One conversation's folder."""

    def __init__(
        self,
        folder: Path,
        open_file: Callable[[Path], File] = File.open,
        durability: Durability = Durability.PROCESS,
    ) -> None:
        self.folder = folder
        self.is_synced_each_time = durability is Durability.POWER
        self.open_file = open_file
        for one in (folder.parent.parent, folder.parent, folder):
            make_folder(one)
        make_folder(folder / "blocks")
        make_folder(folder / "ctl")
        self.spool = open_file(folder / "output.spool")
        self.events = open_file(folder / "events.jsonl")
        self.blocks = open_file(folder / "blocks.jsonl")
        self.prompts = open_file(folder / "prompts.idx")
        self.inputs = open_file(folder / "inputs.jsonl")
        self.raw = os.open(folder / "output.raw", FLAGS, 0o600)
        self._run = os.open(folder / "ctl" / "run", FLAGS, 0o600)
        # The shell writes a typed line there, with a umask that is not ours.
        os.close(os.open(folder / "ctl" / "typed", FLAGS, 0o600))
        self.outputs = Outputs(folder, open_file)
        self.is_dirty = False
        self.on_news: Callable[[], None] = lambda: None  # there is something to be synced
        self._is_named = False  # the disk knows the names of these files
        self._why_unsynced = ""

    # --- what the stream adds ---

    def commit(self, batch: Batch) -> None:
        """The batch is in the files; or `StorageFull`, and it may be committed again."""
        if batch.is_written or batch.is_empty():
            return
        spool, events = b"".join(batch.spool), b"".join(batch.events)
        blocks, prompts = b"".join(batch.blocks), batch.prompts.tobytes()
        if spool:
            self.spool.write_at(self.spool.size, spool)
        for block_id in batch.begun:
            self.outputs.begin(block_id)
        for block_id, offset, data in batch.outputs:
            output = self.outputs.of(block_id)
            if not offset and output.size:  # of a block that a crash of the machine has undone
                output.cut(0)
            output.write_at(offset, data)
        if prompts:
            self.prompts.write_at(self.prompts.size, prompts)
        if events:
            self.events.write_at(self.events.size, events)
        if blocks:
            self.blocks.write_at(self.blocks.size, blocks)
        self.spool.size += len(spool)
        self.prompts.size += len(prompts)
        self.events.size += len(events)
        self.blocks.size += len(blocks)
        batch.is_written = True
        self.soil()

    def soil(self) -> None:
        """There is something that neither the disk nor a checkpoint has."""
        self.is_dirty = True
        self.on_news()

    def record(self, line: bytes) -> None:
        """One event that no output goes with."""
        self.events.append(line)
        self.soil()

    def trim_spool(self) -> None:
        """Take off what nothing bears out: a machine that went down lost the bytes it came from."""
        if os.fstat(self.spool.fd).st_size > self.spool.size:
            self.spool.cut(self.spool.size)

    def note_size(self, cols: int, rows: int) -> None:
        """From here on in the raw output the terminal is so large; few ever change it."""
        file = self.open_file(self.folder / "output.sizes")
        item = SIZE_ITEM.pack(time.time_ns() // 1000, self.raw_size(), cols, rows)
        try:
            file.write_at(file.size // SIZE_ITEM.size * SIZE_ITEM.size, item)
        finally:
            file.close()

    # --- what is read back ---

    def written_ms(self) -> int:
        """When the spool last grew."""
        return os.fstat(self.spool.fd).st_mtime_ns // 1_000_000

    def is_new(self) -> bool:
        """Nothing was ever written here."""
        files = (self.spool, self.events, self.blocks, self.prompts)
        return not (self.raw_size() or any(file.size for file in files))

    def read_raw(self, offset: int, size: int) -> bytes:
        return os.pread(self.raw, size, offset)

    def raw_size(self) -> int:
        return os.fstat(self.raw).st_size

    def prompt_ends(self) -> array.array[int]:
        """Start and end of each sentinel, in turn."""
        numbers = array.array("Q")
        whole = self.prompts.size // PROMPT_ITEM_BYTES * PROMPT_ITEM_BYTES
        numbers.frombytes(os.pread(self.prompts.fd, whole, 0))
        return numbers

    # --- what the shell is told ---

    def write_run(self, message: bytes) -> None:
        """Whole, or not for the shell: the number at its end is not there then."""
        try:
            written = os.pwrite(self._run, message, 0)
        except OSError as error:
            raise StorageFull(f"run: {error.strerror}") from None
        if written < len(message):
            raise StorageFull("run: no room for the command")

    def make_ways(self) -> None:
        """How the next shell is told: made afresh, whatever the last one did to them."""
        ways = self.folder / "ctl"
        bell, run = ways / "bell", ways / "run"
        try:
            ways.mkdir(0o700, exist_ok=True)
            bell.unlink(missing_ok=True)
            os.mkfifo(bell, 0o600)
            run.unlink(missing_ok=True)
            opened = os.open(run, FLAGS, 0o600)
        except OSError as error:
            raise StorageFull(f"{ways.name}: {error.strerror}") from None
        os.close(self._run)
        self._run = opened

    def scrub_run(self, where: tuple[int, int]) -> None:
        """Tokens do not stay on the disk once the shell has them."""
        offset, size = where
        os.pwrite(self._run, b"-" * size, offset)

    def read_run(self) -> bytes:
        return os.pread(self._run, os.fstat(self._run).st_size, 0)

    # --- small files, whole or not at all ---

    def put(self, name: str, content: bytes) -> None:
        path = self.folder / name
        beside = self.open_file(self.folder / f"{name}.new")
        try:
            beside.write_at(0, content)
            beside.cut(len(content))
            if self.is_synced_each_time:
                self._sync(beside.fd)
        finally:
            beside.close()
        beside.path.replace(path)

    def get(self, name: str) -> bytes:
        """The content, empty when there is none."""
        try:
            return (self.folder / name).read_bytes()
        except FileNotFoundError:
            return b""

    def drop(self, name: str) -> None:
        (self.folder / name).unlink(missing_ok=True)

    def sync(self) -> None:
        """On the disk, in the order in which one follows from the other."""
        self.is_dirty = False
        size = self.events.size
        self._sync(self.raw, self.spool.fd, self.prompts.fd, self.events.fd, self.blocks.fd)
        self.sum_up(size)

    def sum_up(self, size: int) -> None:
        """So much of the record can be told from what may become of it."""
        try:
            sums.extend(self.folder, self.events.fd, size)
        except OSError as error:
            raise StorageFull(f"{sums.NAME}: {error.strerror}") from None

    def cut(self, file: File, size: int) -> None:
        """What follows is gone, and so is what is known of it."""
        file.cut(size)
        if file is self.events:
            sums.trim(self.folder, size)

    def sync_begin(self) -> None:
        """The last block's begin is on the disk."""
        self._sync(self.events.fd)

    def sync_end(self) -> None:
        """The last block's end is on the disk, and what its output follows from before it."""
        self._sync(self.raw, self.events.fd)

    def _sync(self, *fds: int) -> None:
        """Or `StorageFull`; after an error of the disk for ever.

        The kernel says such an error once, and holds what it could not write for written.
        """
        if self._why_unsynced:
            raise StorageFull(self._why_unsynced)
        try:
            for fd in fds:
                self.to_disk(fd)
            if not self._is_named:
                self._sync_names()
        except OSError as error:
            self.is_dirty = True
            if error.errno not in FULL:
                self._why_unsynced = f"the disk failed, what it holds is not known: {error}"
            raise StorageFull(f"not synced: {error.strerror}") from None

    def to_disk(self, fd: int) -> None:
        """Until it is there; a power cut takes nothing of it away."""
        os.fdatasync(fd)

    def _sync_names(self) -> None:
        for folder in (self.folder, *list(self.folder.parents)[:3]):
            fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(fd)
            finally:
                os.close(fd)
        self._is_named = True

    def close(self) -> None:
        self.outputs.end()
        for file in (self.spool, self.events, self.blocks, self.prompts, self.inputs):
            file.close()
        os.close(self.raw)
        os.close(self._run)
