"""The terminal's requests and answers, field by field (contract: the terminal)."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from antiphon.base import limits

ConversationId = Annotated[
    str, Meta(description="Names the conversation: 1-128 of A-Za-z0-9._-, no dot first.")
]
FromCursor = Annotated[
    int, Meta(description="Byte offset to go on from: a resume_cursor of an earlier answer.")
]
TimeoutMs = Annotated[
    int, Meta(ge=0, le=limits.TIMEOUT_MS_MAX, description="How long to wait, in milliseconds.")
]
MaxBytes = Annotated[
    int,
    Meta(ge=limits.READ_BYTES_MIN, le=limits.READ_BYTES_MAX, description="At most these bytes."),
]
Limit = Annotated[int, Meta(ge=1, le=limits.ITEMS_MAX, description="At most these items.")]
Cols = Annotated[int, Meta(ge=1, le=limits.COLS_MAX)]
Rows = Annotated[int, Meta(ge=1, le=limits.ROWS_MAX)]
Encoding = Literal["utf-8", "base64"]
Shell = Literal["bash", "zsh"]
WireMode = Literal["idle", "block_running", "interactive"]
Status = Literal["running", "completed", "failed", "cancelled", "interactive"]


class Request(Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """What every request is: strict; an unknown field is refused."""


class ForConversation(Request, kw_only=True, frozen=True):
    conversation_id: ConversationId


class Answer(Struct, kw_only=True, frozen=True):
    """What every answer is: it says first that it went well."""

    ok: bool = True


# --- Shells -------------------------------------------------------------------


class Open(ForConversation, kw_only=True, frozen=True):
    shell: Shell | UnsetType = UNSET
    cwd: str | UnsetType = UNSET
    env: dict[str, str] | UnsetType = UNSET
    cols: Cols | UnsetType = UNSET
    rows: Rows | UnsetType = UNSET


class Opened(Answer, kw_only=True, frozen=True):
    shell_id: str
    mode: WireMode
    resume_cursor: int


class StatusOf(ForConversation, kw_only=True, frozen=True):
    pass


class StatusAnswer(Answer, kw_only=True, frozen=True):
    mode: WireMode
    active_session_id: str | None = None
    active_block_id: str | None = None
    shell_id: str | None = None
    resume_cursor: int


class Reset(ForConversation, kw_only=True, frozen=True):
    pass


class Close(ForConversation, kw_only=True, frozen=True):
    pass


class Closed(Answer, kw_only=True, frozen=True):
    pass


class List(Request, kw_only=True, frozen=True):
    pass


class Listed(Struct, kw_only=True, frozen=True):
    conversation_id: str
    mode: WireMode
    shell_id: str | None
    resume_cursor: int
    last_activity: int


class ListAnswer(Answer, kw_only=True, frozen=True):
    conversations: list[Listed]


# --- Blocks -------------------------------------------------------------------


class Block(Struct, kw_only=True, frozen=True):
    """One execution, as it is in `blocks.jsonl`, in events and in answers."""

    block_id: str
    conversation_id: str
    seq: int
    cmd: str
    cwd: str
    ts_begin: int
    ts_end: int | None
    status: Status
    exit_code: int | None
    output_path: str
    output_bytes: int


Command = Annotated[str, Meta(description="Any shell text: several lines, heredocs, quotes.")]


class ExecBlock(ForConversation, kw_only=True, frozen=True):
    cmd: Command
    cwd: str | UnsetType = UNSET


class ExecBlockAnswer(Answer, kw_only=True, frozen=True):
    block_id: str
    seq: int
    ts: int
    resume_cursor: int


class ExecInteractive(ForConversation, kw_only=True, frozen=True):
    cmd: Command
    cwd: str | UnsetType = UNSET


class ExecInteractiveAnswer(Answer, kw_only=True, frozen=True):
    session_id: str
    block_id: str
    ts_begin: int
    resume_cursor: int


class Run(ForConversation, kw_only=True, frozen=True):
    cmd: Command
    cwd: str | UnsetType = UNSET
    timeout_ms: TimeoutMs = 30_000
    max_bytes: MaxBytes = 65_536


class RunAnswer(Answer, kw_only=True, frozen=True):
    block: Block
    data: str
    truncated: bool
    output_bytes: int
    resume_cursor: int


class RunTimeout(Struct, kw_only=True, frozen=True):
    """The block goes on running; what came so far is here."""

    ok: bool = False
    error: str = "timeout"
    message: str
    block_id: str
    data: str
    truncated: bool
    output_bytes: int
    resume_cursor: int


class EndSession(ForConversation, kw_only=True, frozen=True):
    session_id: str | UnsetType = UNSET
    force: bool = False
    grace_ms: Annotated[int, Meta(ge=0, le=limits.GRACE_MS_MAX)] = limits.GRACE_MS_DEFAULT


class EndSessionAnswer(Answer, kw_only=True, frozen=True):
    mode: WireMode
    block_id: str
    exit_code: int | None


class BlocksSince(ForConversation, kw_only=True, frozen=True):
    from_cursor: FromCursor = 0
    limit: Limit = 50


class BlocksSinceAnswer(Answer, kw_only=True, frozen=True):
    items: list[Block]
    cursor: int
    resume_cursor: int


class BlocksGet(ForConversation, kw_only=True, frozen=True):
    block_id: str


class BlocksGetAnswer(Answer, kw_only=True, frozen=True):
    block: Block


class BlocksRead(ForConversation, kw_only=True, frozen=True):
    block_id: str
    from_cursor: FromCursor = 0
    max_bytes: MaxBytes = 65_536
    encoding: Encoding = "utf-8"


class BlocksSearch(ForConversation, kw_only=True, frozen=True):
    query: str
    match_type: Literal["substring", "regex"] = "substring"
    block_id: str | UnsetType = UNSET
    ignore_case: bool = False
    limit: Limit = 50


class Hit(Struct, kw_only=True, frozen=True):
    block_id: str
    line: int
    text: str
    cursor: int


class BlocksSearchAnswer(Answer, kw_only=True, frozen=True):
    hits: list[Hit]
    truncated: bool


# --- Output and waits -----------------------------------------------------------


class ReadSpool(ForConversation, kw_only=True, frozen=True):
    from_cursor: FromCursor = 0
    max_bytes: MaxBytes = 65_536
    encoding: Encoding = "utf-8"


class ReadAnswer(Answer, kw_only=True, frozen=True):
    data: str
    cursor: int
    resume_cursor: int


class WaitFor(ForConversation, kw_only=True, frozen=True):
    match: str | UnsetType = UNSET
    match_type: Literal["substring", "regex", "prompt"] = "substring"
    from_cursor: FromCursor = 0
    timeout_ms: TimeoutMs = 30_000


class WaitPrompt(ForConversation, kw_only=True, frozen=True):
    from_cursor: FromCursor = 0
    timeout_ms: TimeoutMs = 30_000


class MatchSpan(Struct, kw_only=True, frozen=True):
    start: int
    end: int


class Extra(Struct, kw_only=True, frozen=True):
    """What a prompt says."""

    ts: int
    cwd: str
    exit_code: int


class Matched(Answer, kw_only=True, frozen=True):
    matched: bool = True
    match_text: str
    match_cursor: int
    match_span: MatchSpan
    resume_cursor: int
    extra: Extra | UnsetType = UNSET


class MatchedAndSent(Matched, kw_only=True, frozen=True):
    sent: bool = True


class WaitTimeout(Struct, kw_only=True, frozen=True):
    """Exactly these fields: no match up to the end of the spool."""

    ok: bool = False
    matched: bool = False
    error: str = "timeout"
    resume_cursor: int


class ExpectTimeout(WaitTimeout, kw_only=True, frozen=True):
    sent: bool = False


class ExpectSend(ForConversation, kw_only=True, frozen=True):
    expect: str
    send: str
    expect_type: Literal["substring", "regex"] = "substring"
    from_cursor: FromCursor = 0
    timeout_ms: TimeoutMs = 30_000


# --- Input and screen -----------------------------------------------------------


class Send(ForConversation, kw_only=True, frozen=True):
    data: str | UnsetType = UNSET
    keys: list[str] | UnsetType = UNSET
    secret: bool = False


class Sent(Answer, kw_only=True, frozen=True):
    pass


class ScreenOf(ForConversation, kw_only=True, frozen=True):
    pass


class CursorAt(Struct, kw_only=True, frozen=True):
    row: int
    col: int


class ScreenAnswer(Answer, kw_only=True, frozen=True):
    rows: list[str]
    cursor: CursorAt
    title: str
    alt_screen: bool
    cols: int
    rows_count: int
    resume_cursor: int


class Resize(ForConversation, kw_only=True, frozen=True):
    cols: Cols
    rows: Rows


class Resized(Answer, kw_only=True, frozen=True):
    cols: int
    rows: int


# --- Events -------------------------------------------------------------------


class BlockBegan(Struct, kw_only=True, frozen=True, tag="agent_block_begin", tag_field="type"):
    conversation_id: str
    block: Block


class BlockDelta(Struct, kw_only=True, frozen=True, tag="agent_block_delta", tag_field="type"):
    conversation_id: str
    block_id: str
    delta: str | UnsetType = UNSET
    delta_b64: str | UnsetType = UNSET
    cursor: int


class BlockEnded(Struct, kw_only=True, frozen=True, tag="agent_block_end", tag_field="type"):
    conversation_id: str
    block: Block


class SessionReset(Struct, kw_only=True, frozen=True, tag="agent_session_reset", tag_field="type"):
    conversation_id: str
    reason: str
    shell_id: str


class RecordDamaged(
    Struct, kw_only=True, frozen=True, tag="agent_record_damaged", tag_field="type"
):
    conversation_id: str
    message: str


class InputSent(Struct, kw_only=True, frozen=True, tag="agent_input", tag_field="type"):
    conversation_id: str
    block_id: str | None
    data: str | None
    secret: bool | UnsetType = UNSET
    length: int | UnsetType = UNSET


Event = BlockBegan | BlockDelta | BlockEnded | SessionReset | RecordDamaged | InputSent
