"""Who is calling: each door says it before it asks, and a state belongs to that caller alone.

A context variable, because it goes with the call through tasks that know nothing of it.
"""

from __future__ import annotations

from contextvars import ContextVar

# The user of this machine who can read the state directory: stdio, the command line, the library.
LOCAL = "local"

calling: ContextVar[str] = ContextVar("calling", default=LOCAL)
