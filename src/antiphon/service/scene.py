"""What stands around a session's core: what it looks at, its last run, what it said last."""

from __future__ import annotations

from msgspec import Struct, field

from antiphon.wire import sessions as w


class Scope(Struct, frozen=True, kw_only=True):
    """What the session looks at."""

    entity_type: str
    entity_id: str
    display: str


class Scene(Struct, frozen=True, kw_only=True):
    scope: Scope | None = None
    message: str = ""  # of the last answer
    results: list[w.Result] = field(default_factory=list)  # of the last run
    commands: list[w.Command] = field(default_factory=list)  # that follow from it
    events: int = 0  # ever told
    talk: int = 0  # lines ever said
    runs: int = 0  # ever begun
    snapshots: int = 0  # ever taken
    made: w.Bound | None = None  # an entity that was created and is not yet the reference's
    made_display: str = ""
    is_cancelling: bool = False
    progress: list[w.StatementProgress] = field(default_factory=list)  # of the run that runs
