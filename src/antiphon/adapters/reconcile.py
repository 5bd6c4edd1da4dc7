"""What of the reconciliation service is no plain operation: its manifest, and a page to look at.

https://www.w3.org/community/reconciliation/ describes it; the draft is 1.0.  Every route wants
the token, the manifest too, and a refusal looks as it does everywhere else.
"""

from __future__ import annotations

from html import escape
from http import HTTPStatus

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from antiphon.adapters.front import Front, Reply, outcome
from antiphon.base import limits
from antiphon.base.errors import Code, Refused
from antiphon.wire import codec
from antiphon.wire import entities as e

VERSIONS = ["1.0-draft"]
WIDTH, HEIGHT = 420, 220
# Nothing of a preview may run, load or be framed with rights of ours.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
STATUSES = {"invalid_request": HTTPStatus.UNPROCESSABLE_ENTITY, "host_unavailable": 500}


def routes(front: Front) -> list[Route]:
    async def manifest(request: Request) -> Response:
        reply = await front.answer("entities.types", {})
        if outcome(reply) != "ok":
            return _refused(reply)
        names = msgspec.convert(msgspec.to_builtins(reply), e.TypeNames).entity_types
        # The guard let the host in, so it is this server's own name.
        root = f"{request.url.scheme}://{request.headers['host']}/reconcile"
        return _json(
            {
                "versions": VERSIONS,
                "name": "Antiphon",
                "defaultTypes": [{"id": name, "name": _label(name)} for name in names],
                "view": {"url": f"{root}/preview?id={{id}}"},
                "preview": {"width": WIDTH, "height": HEIGHT},
                "suggest": {"entity": True, "property": True, "type": True},
                "extend": {"proposeProperties": True, "propertySettings": []},
                "batchSize": limits.RECONCILE_BATCH_MAX,
                "standardizedScore": True,
                "authentication": {"type": "http", "scheme": "bearer"},
            }
        )

    async def preview(request: Request) -> Response:
        entity_id = request.query_params.get("id", "")
        wanted = request.query_params.get("type")
        names: list[str] = [wanted] if wanted else []
        if not names:
            reply = await front.answer("entities.types", {})
            if outcome(reply) != "ok":
                return _refused(reply)
            names = msgspec.convert(msgspec.to_builtins(reply), e.TypeNames).entity_types
        said = f"no entity has the id {entity_id[:80]!r}"
        unknown = reply = codec.refusal(Refused(Code.ENTITY_NOT_FOUND, said))
        for name in names:
            reply = await front.answer(
                "entities.get", {"entity_type": name, "entity_id": entity_id}
            )
            if outcome(reply) == "ok":
                found = msgspec.convert(msgspec.to_builtins(reply), e.Entity)
                headers = {"content-security-policy": POLICY, "cache-control": "no-store"}
                return Response(_page(found), headers=headers, media_type="text/html")
        is_unknown = outcome(reply) == outcome(unknown)
        return _refused(unknown if is_unknown and not wanted else reply, HTTPStatus.NOT_FOUND)

    return [
        Route("/reconcile", manifest, methods=["GET"]),
        Route("/reconcile/", manifest, methods=["GET"]),
        Route("/reconcile/preview", preview, methods=["GET"]),
    ]


def _page(entity: e.Entity) -> str:
    rows = "".join(
        f"<dt>{escape(_label(name))}</dt><dd>{escape(value)}</dd>"
        for name, value in entity.facts.items()
    )
    name, kind, entity_id = map(escape, (entity.display, _label(entity.entity_type), entity.id))
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{name}</title>'
        f"<style>body{{font:1rem/1.4 sans-serif;margin:.8rem}}dt{{color:#555}}</style>"
        f"<h1>{name}</h1><p>{kind} <code>{entity_id}</code></p><dl>{rows}</dl></html>"
    )


def _label(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _json(body: Reply, status: int = HTTPStatus.OK) -> Response:
    return Response(codec.encoded(body), status, {"cache-control": "no-store"}, "application/json")


def _refused(reply: Reply, status: int | None = None) -> Response:
    return _json(reply, status or STATUSES.get(outcome(reply), HTTPStatus.NOT_FOUND))
