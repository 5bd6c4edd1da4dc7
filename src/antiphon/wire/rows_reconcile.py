"""The operations of the W3C reconciliation API; for models, `entities.search` is the tool."""

from __future__ import annotations

from antiphon.base.errors import Code
from antiphon.wire import reconcile as r
from antiphon.wire.method import Method

ROWS = (
    Method(
        "reconcile.match", r.Match, r.Matched, (Code.NOT_FOUND, Code.LIMIT_REACHED),
        "Finds candidates for each query of a batch, by name, by id and by properties.",
        reads_only=True, repeats_safely=True,
        route="POST /reconcile/match", has_statuses=True, is_tool=False,
    ),
    Method(
        "reconcile.entities", r.Suggest, r.Suggested, (Code.NOT_FOUND, Code.LIMIT_REACHED),
        "Suggests entities whose name or id begins like the prefix.",
        reads_only=True, repeats_safely=True,
        route="GET /reconcile/suggest/entity", has_statuses=True, is_tool=False,
    ),
    Method(
        "reconcile.types", r.Suggest, r.Suggested, (),
        "Suggests types of entities.",
        reads_only=True, repeats_safely=True,
        route="GET /reconcile/suggest/type", has_statuses=True, is_tool=False,
    ),
    Method(
        "reconcile.properties", r.Suggest, r.Suggested, (Code.NOT_FOUND,),
        "Suggests properties: search keys and what tells namesakes apart.",
        reads_only=True, repeats_safely=True,
        route="GET /reconcile/suggest/property", has_statuses=True, is_tool=False,
    ),
    Method(
        "reconcile.extend", r.Extend, r.Extended, (Code.LIMIT_REACHED,),
        "Gives values of properties for entities.",
        reads_only=True, repeats_safely=True,
        route="POST /reconcile/extend", has_statuses=True, is_tool=False,
    ),
    Method(
        "reconcile.propose", r.Propose, r.Proposed, (Code.NOT_FOUND,),
        "Lists the properties that entities of a type have.",
        reads_only=True, repeats_safely=True,
        route="GET /reconcile/extend/propose", has_statuses=True, is_tool=False,
    ),
)  # fmt: skip
