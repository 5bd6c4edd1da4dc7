"""Bytes as text where they are handed out: no character is split, no byte is hidden."""

from __future__ import annotations

_CHARACTER_BYTES_MAX = 4


def unfinished_bytes(data: bytes) -> int:
    """How many bytes at the end may be the beginning of a character."""
    for length in range(1, min(_CHARACTER_BYTES_MAX, len(data) + 1)):
        byte = data[-length]
        if byte & 0b1100_0000 == 0b1000_0000:
            continue  # inside a character
        wanted = 2 if 0xC2 <= byte < 0xE0 else 3 if 0xE0 <= byte < 0xF0 else 4
        if byte < 0xC2 or byte > 0xF4 or wanted <= length:
            return 0
        return length if _could_go_on(data[-length:]) else 0
    return 0


def _could_go_on(head: bytes) -> bool:
    """Whether some character begins so: `e0 80` begins none."""
    try:
        head.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return False


def stray_bytes(data: bytes) -> int:
    """How many bytes at the beginning belong to a character that began before."""
    count = 0
    while count < min(_CHARACTER_BYTES_MAX - 1, len(data)):
        if data[count] & 0b1100_0000 != 0b1000_0000:
            break
        count += 1
    return count


def readable(data: bytes) -> str:
    """Bytes that are no UTF-8 read as U+FFFD."""
    return data.decode("utf-8", "replace")
