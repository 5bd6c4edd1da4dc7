"""One entity type of a pack, out of its map."""

from __future__ import annotations

import re

from antiphon.base import limits
from antiphon.entity.types import Discriminator, EntityType, KeyKind, Source
from antiphon.repl.fields import Fields, Page
from antiphon.repl.yaml import Node, Scalar

URL = re.compile(r"https?://[^\s/?#]+[^\s?#]*")
COLUMN = re.compile(r"\{([^{}]*)\}")


def entity_type(page: Page, key: Scalar, node: Node) -> EntityType:
    fields = Fields(page, node, f"`{key.text}`", key.line)
    table = fields.text("table", is_required=True) or ""
    key_fields = _inner(page, fields, "key", is_required=True)
    column = key_fields.text("column", is_required=True) if key_fields else None
    kind = key_fields.choice("type", KeyKind, is_required=True) if key_fields else None
    display = fields.text("display", is_required=True) or ""
    search = _inner(page, fields, "search", is_required=True)
    default = (search.text("default", is_required=True) if search else None) or ""
    keys = search.plain_texts("keys") if search else ()
    also = search.text("also") if search else None
    if search and default and default not in keys:
        page.says(search.line, f"`default` of the search of `{key.text}` is one of its `keys`")
    discriminators = fields.each(
        "discriminators", lambda name, one: _discriminator(page, name, one)
    )
    create = fields.text("create")
    source = _source(page, fields)
    if display and not COLUMN.search(display):
        page.says(fields.line, f'`display` of `{key.text}` shows no column: "{{name}}"')
    for inner in (fields, key_fields, search):
        if inner:
            inner.done()
    return EntityType(
        key.text,
        table,
        column or "",
        kind or KeyKind.UUID,
        display,
        default,
        keys,
        discriminators,
        create,
        source,
        also,
    )


def _source(page: Page, fields: Fields) -> Source | None:
    inner = _inner(page, fields, "source", is_required=False)
    if inner is None:
        return None
    url = inner.text("url", is_required=True) or ""
    if url and not URL.fullmatch(url):
        page.says(inner.line, f"`url` of {inner.what} is an address: https://…")
    timeout_ms = inner.count("timeout_ms") or limits.SOURCE_TIMEOUT_MS_DEFAULT
    if not 1 <= timeout_ms <= limits.SOURCE_TIMEOUT_MS_MAX:
        most = limits.SOURCE_TIMEOUT_MS_MAX
        page.says(inner.line, f"`timeout_ms` of {inner.what} is from 1 to {most}")
    found = Source(url, timeout_ms, inner.text("type"), inner.text("key_file"))
    inner.done()
    return found


def _inner(page: Page, fields: Fields, name: str, *, is_required: bool) -> Fields | None:
    node = fields.take(name, is_required=is_required)
    return None if node is None else Fields(page, node, f"`{name}` of {fields.what}")


def _discriminator(page: Page, name: str, node: Node) -> Discriminator:
    fields = Fields(page, node, f"the discriminator `{name}`")
    weight = fields.number("weight")
    fields.done()
    if weight is None or not 0 <= weight <= 1:
        page.says(node.line, f"the discriminator `{name}` has a `weight` from 0 to 1")
    return Discriminator(name, float(weight or 0))
