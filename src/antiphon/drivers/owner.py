"""Who owns a state directory: a lock that dies with its process, and a note that says who.

The lock (`server.lock`) decides; the note (`server.json`) tells clients where to go, and the
token (`token`) lets them in.  A POSIX lock and not flock: flock lives on in forked holders and
would shut the next server out.  A POSIX lock is lost when its own process closes *any*
descriptor of the file, so nothing but `take` ever opens `server.lock`.
It does not know what the owner serves.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import stat
import time
from dataclasses import dataclass
from pathlib import Path

import msgspec

from antiphon.base.errors import Broken

LOCK_FILE = "server.lock"
NOTE_FILE = "server.json"
PAGE_KEY_FILE = "page.key"
PAGE_KEY_BYTES = 32
TOKEN_FILE = "token"  # noqa: S105 - the name of the file
# From the lock to the note an owner needs microseconds; a second process waits this long for it.
NOTE_WAIT_S_MAX = 0.5
NOTE_WAIT_STEP_S = 0.01
# 256 bits: nobody guesses it, so nothing counts wrong guesses.
TOKEN_BYTES = 32
# A token file longer than this was not written by us.
TOKEN_FILE_BYTES_MAX = 4_096


class Owned(Exception):
    """Another process owns the state directory; two would double every record."""

    def __init__(self, pid: int, address: str | None) -> None:
        super().__init__(pid, address)
        self.pid = pid
        self.address = address

    def __str__(self) -> str:
        where = f" at {self.address}" if self.address else ", which listens nowhere"
        who = f"process {self.pid}" if self.pid else "another process"
        return f"the state directory is owned by {who}{where}"


class Note(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an owner says of itself; pid and start together name one process for ever."""

    pid: int
    started: int
    address: str | None = None
    durability: str = "process"  # what its records survive


@dataclass(frozen=True, slots=True)
class Ownership:
    """The lock, held.  It is gone when it is released or its process ends."""

    state_dir: Path
    descriptor: int
    durability: str

    def publish(self, address: str | None) -> None:
        note = _own_note(address, self.durability)
        _write(self.state_dir / NOTE_FILE, msgspec.json.encode(note))

    def release(self) -> None:
        """The note goes first: a client that still sees it meets a lock, not a stranger."""
        (self.state_dir / NOTE_FILE).unlink(missing_ok=True)
        os.close(self.descriptor)


def default_state_dir() -> Path:
    given = os.environ.get("ANTIPHON_STATE_DIR")
    return Path(given).expanduser() if given else Path.home() / ".cache" / "app_server"


def prepared(state_dir: Path) -> Path:
    """The directory, there and ours alone (0700); a symlink or somebody else's is refused."""
    path = state_dir.expanduser().absolute()
    for folder in [*reversed(path.parents), path]:
        try:
            folder.mkdir(mode=0o700)
        except FileExistsError:
            continue
        except OSError as error:
            if not folder.is_dir():
                raise Broken(f"{folder}: cannot be made: {error.strerror}") from error
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        raise Broken(f"{path} is a symbolic link; a state directory is a directory of yours")
    if not stat.S_ISDIR(found.st_mode):
        raise Broken(f"{path} is no directory")
    if found.st_uid != os.geteuid():
        raise Broken(f"{path} belongs to user {found.st_uid}; a state directory is yours alone")
    if stat.S_IMODE(found.st_mode) & 0o077:
        path.chmod(0o700)
    return path


def take(state_dir: Path, durability: str = "process") -> Ownership:
    """The lock, and a note without an address; or Owned, which names who has it."""
    path = prepared(state_dir)
    note = _noted(path)
    if note is not None and _is_this_process(note):
        # The kernel would grant the lock twice to one process, and lose both at one close.
        raise Owned(note.pid, note.address)
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        descriptor = os.open(path / LOCK_FILE, flags, 0o600)
    except OSError as error:
        raise Broken(f"{path / LOCK_FILE}: cannot be opened: {error.strerror}") from error
    try:
        _refuse_plant(path / LOCK_FILE, descriptor)
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        if error.errno not in {errno.EACCES, errno.EAGAIN}:
            raise Broken(f"{path / LOCK_FILE}: cannot be locked: {error.strerror}") from error
        raise _owned(path) from None
    except Broken:
        os.close(descriptor)
        raise
    ownership = Ownership(path, descriptor, durability)
    try:
        ownership.publish(None)
    except Broken:
        ownership.release()
        raise
    return ownership


def owner_of(state_dir: Path) -> Note | None:
    """Who says it owns the directory and still lives; a note left by a killed server is none."""
    note = _noted(state_dir)
    return note if note is not None and _start_of(note.pid) == note.started else None


def publish(state_dir: Path, address: str) -> None:
    """Tells clients where this process, the owner, listens."""
    note = _noted(state_dir)
    assert note is not None, "only the owner publishes"
    assert _is_this_process(note), "only the owner publishes"
    _write(state_dir / NOTE_FILE, msgspec.json.encode(_own_note(address, note.durability)))


def make_token(state_dir: Path) -> str:
    """A new token in its 0600 file; every start makes one, so an old one opens nothing."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    _write(state_dir / TOKEN_FILE, token.encode() + b"\n")
    return token


def kept_token(state_dir: Path) -> str | None:
    """The token of the server that runs, for a client of the same user."""
    text = _read(state_dir / TOKEN_FILE)
    return None if text is None else text.decode("ascii", "replace").strip()


def page_key(state_dir: Path) -> bytes:
    """What browsers' sessions are signed with: made once, so that they outlive a server."""
    path = state_dir / PAGE_KEY_FILE
    kept = _read(path)
    if kept is not None and len(kept) == PAGE_KEY_BYTES:
        return kept
    key = secrets.token_bytes(PAGE_KEY_BYTES)
    _write(path, key)
    return key


def forget_token(state_dir: Path) -> None:
    (state_dir / TOKEN_FILE).unlink(missing_ok=True)


def _owned(path: Path) -> Owned:
    """Who holds the lock: it may have taken it a moment ago and not yet said so."""
    deadline = time.monotonic() + NOTE_WAIT_S_MAX
    while (note := owner_of(path)) is None and time.monotonic() < deadline:
        time.sleep(NOTE_WAIT_STEP_S)
    # From another process namespace its pid looks dead; its note is still the best there is.
    note = note or _noted(path)
    return Owned(note.pid, note.address) if note else Owned(0, None)


def _own_note(address: str | None, durability: str) -> Note:
    pid = os.getpid()
    started = _start_of(pid) or 0
    return Note(pid=pid, started=started, address=address, durability=durability)


def _is_this_process(note: Note) -> bool:
    return note.pid == os.getpid() and _start_of(note.pid) == note.started


def _start_of(pid: int) -> int | None:
    """When the process started, in the kernel's ticks; 0 where the kernel does not say.

    A pid alone is no name: a container's first process has the same one at every start.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return None if fields[0] in {b"Z", b"X"} else int(fields[19])
    except (FileNotFoundError, ProcessLookupError):
        if Path("/proc/self/stat").exists():
            return None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass  # it lives, and is not ours
    return 0


def _noted(path: Path) -> Note | None:
    text = _read(path / NOTE_FILE)
    if text is None:
        return None
    try:
        return msgspec.json.decode(text, type=Note)
    except msgspec.DecodeError:
        return None  # torn by a crash: as good as none, the lock decides


def _read(path: Path) -> bytes | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Broken(f"{path}: cannot be read: {error.strerror}") from error
    try:
        _refuse_plant(path, descriptor)
        return os.read(descriptor, TOKEN_FILE_BYTES_MAX)
    finally:
        os.close(descriptor)


def _write(path: Path, data: bytes) -> None:
    """Whole or not at all, 0600 from its first moment, whatever stood there before."""
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(fresh, flags, 0o600)
        try:
            written = os.write(descriptor, data)
        finally:
            os.close(descriptor)
        if written < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise Broken(f"{path}: cannot be written: {error.strerror}") from error


def _refuse_plant(path: Path, descriptor: int) -> None:
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1 or found.st_uid != os.geteuid():
        raise Broken(f"{path} is no plain file of yours with one name; it was put there")
