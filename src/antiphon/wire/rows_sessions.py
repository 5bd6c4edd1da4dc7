"""The operations of sessions and programs: `session.…`, `repl.…`, `dsl.…`."""

from __future__ import annotations

from antiphon.base.errors import Code
from antiphon.wire import dsl as d
from antiphon.wire import sessions as s
from antiphon.wire import states as st
from antiphon.wire.method import Method

_ID = "/api/session/{session_id}"
_ANY = (Code.SESSION_NOT_FOUND,)
_CHANGE = (
    *_ANY, Code.STALE_REV, Code.INVALID_EVENT, Code.SESSION_TERMINAL, Code.BUSY,
    Code.STALE_RESPONSE, Code.STORAGE_FULL,
)  # fmt: skip

ROWS = (
    Method(
        "session.start", s.Start, s.ChatResponse, (Code.STORAGE_FULL,),
        "Begins a session: wishes become a program that is checked, resolved and run.",
        "Say what is wanted with session.propose or session.chat; resolve what is open; run with "
        "session.execute. Show callout.block to the user as it is.",
        route="POST /api/session", has_statuses=True, makes=True,
    ),
    Method(
        "session.list", s.List, s.ListAnswer, (),
        "Lists the sessions with their state and what each asks.",
        reads_only=True, repeats_safely=True, route="GET /api/session", has_statuses=True,
    ),
    Method(
        "session.get", s.Get, s.ChatResponse, _ANY,
        "Shows a session as it stands.",
        reads_only=True, repeats_safely=True, route=f"GET {_ID}", has_statuses=True,
    ),
    Method(
        "session.close", s.Close, s.ChatResponse, _CHANGE,
        "Closes a session; it stays readable.",
        destroys=True, route=f"DELETE {_ID}", has_statuses=True,
    ),
    Method(
        "session.chat", s.Chat, s.ChatResponse,
        (*_CHANGE, Code.LIMIT_REACHED, Code.NO_HISTORY, Code.NOT_READY, Code.PLAN_CONSUMED,
         Code.PLAN_STALE, Code.MODEL_FAILED, Code.MODEL_TIMEOUT),
        "Says something in a session: a wish, an answer to its question, a control phrase.",
        "A number answers the open callout. run, undo, skip, create new, clear, cancel, help are "
        "control phrases when they are the whole message.",
        destroys=True, route=f"POST {_ID}/chat", has_statuses=True,
    ),
    Method(
        "session.edit", s.EditProgram, s.ChatResponse, (*_CHANGE, Code.LIMIT_REACHED),
        "Writes the session's program; it is checked from the first stage on.",
        "errors and dsl_status.warnings say what is wrong and how it is mended.",
        destroys=True, route=f"PUT {_ID}/dsl", has_statuses=True,
    ),
    Method(
        "session.resolve", s.Resolve, s.ChatResponse,
        (*_CHANGE, Code.REF_NOT_FOUND, Code.ENTITY_NOT_FOUND, Code.ENTITY_TYPE_MISMATCH,
         Code.NOT_OFFERED, Code.REF_ALREADY_RESOLVED),
        "Says which entity an unresolved reference means.",
        "Never choose one of several for the user: ask. Only ids from initial_matches or "
        "session.search are taken.",
        destroys=True, route=f"POST {_ID}/resolve", has_statuses=True,
    ),
    Method(
        "session.search", s.Search, s.SearchResponse,
        (*_CHANGE, Code.REF_NOT_FOUND, Code.LIMIT_REACHED),
        "Searches entities for an unresolved reference; what is found may then be chosen.",
        "Filters are strict; fallback_matches are those without them.",
        repeats_safely=True, route=f"POST {_ID}/search", has_statuses=True,
    ),
    Method(
        "session.action", s.Act, s.ChatResponse, (*_CHANGE, Code.NO_HISTORY),
        "Clears, undoes, cancels, skips, or asks for help; available_actions says what is open.",
        destroys=True, route=f"POST {_ID}/action", has_statuses=True,
    ),
    Method(
        "session.propose", s.Propose, s.ChatResponse,
        (*_CHANGE, Code.OPTION_NOT_FOUND, Code.LIMIT_REACHED),
        "Says what is wanted as structured intents, or picks one of intent_options.",
        "You are the model: give verb, params and refs, never program text. Write names as the "
        "user said them; ids that you did not read here are refused.",
        destroys=True, route=f"POST {_ID}/intent", has_statuses=True,
    ),
    Method(
        "session.execute", s.Execute, s.ChatResponse,
        (*_CHANGE, Code.NOT_READY, Code.PLAN_STALE, Code.PLAN_CONSUMED),
        "Runs the session's plan, when the user has said so.",
        "Give the plan_id that the user saw. While it runs longer the answer is executing, and "
        "session.get tells the end.",
        destroys=True, route=f"POST {_ID}/execute", has_statuses=True,
    ),
    Method(
        "session.runs", s.Runs, s.RunsAnswer, _ANY,
        "Shows the results of every run of a session.",
        reads_only=True, repeats_safely=True, route=f"GET {_ID}/runs", has_statuses=True,
    ),
    Method(
        "session.talk", s.Talk, s.TalkAnswer, _ANY,
        "Shows what was said in a session.",
        reads_only=True, repeats_safely=True, route=f"GET {_ID}/talk", has_statuses=True,
    ),
    Method(
        "repl.states", st.States, st.StatesAnswer, (),
        "Shows the table of a session's states: where each event leads, or how it is refused.",
        reads_only=True, repeats_safely=True, route="GET /api/repl/states", has_statuses=True,
    ),
    Method(
        "dsl.check", d.Check, d.Checked, (Code.LIMIT_REACHED,),
        "Checks a program without a session: every fault with its place and how it is mended.",
        reads_only=True, repeats_safely=True, has_statuses=True,
    ),
    Method(
        "dsl.complete", d.Complete, d.Completed, (Code.LIMIT_REACHED,),
        "Says what can be written at a place of a program: verbs, arguments, values, entities.",
        reads_only=True, repeats_safely=True, has_statuses=True,
    ),
)  # fmt: skip
