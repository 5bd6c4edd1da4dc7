"""One verb of a pack, out of its map."""

from __future__ import annotations

import re

from antiphon.dsl.tokens import DOTTED, NAME
from antiphon.dsl.verbs import (
    Behavior,
    Bounds,
    Crud,
    Effect,
    Kind,
    Operation,
    Parameter,
    Verb,
)
from antiphon.dsl.verbs import (
    Scalar as Default,
)
from antiphon.repl.fields import NUMBER, Fields, Page, scalar
from antiphon.repl.yaml import Mapping, Node, Scalar

HANDLER = re.compile(rf"{NAME}(?:\.{NAME})*+:{NAME}")
KEYED = (Operation.UPDATE, Operation.DELETE)


def verb(page: Page, key: Scalar, node: Node) -> Verb:
    name = key.text
    fields = Fields(page, node, f"`{name}`", key.line)
    if not DOTTED.fullmatch(name):
        page.says(key.line, f"`{name}` is no verb: it has a domain, a dot and a name")
    behavior = fields.choice("behavior", Behavior, is_required=True)
    consumes = _consumes(page, fields)
    parameters = fields.each("args", lambda arg, one: _parameter(page, name, arg, one, consumes))
    for wanted in consumes:
        if all(one.name != wanted for one in parameters):
            page.says(fields.line, f"`consumes` of `{name}` names `{wanted}`, which is no argument")
    made = Verb(
        name,
        fields.text("description", is_required=True) or "",
        behavior or Behavior.CRUD,
        fields.choice("effect", Effect, is_required=True) or Effect.READ,
        parameters,
        fields.plain_texts("phrases"),
        _crud(page, name, fields),
        fields.text("handler"),
        fields.text("scope"),
        fields.text("returns"),
        fields.text("produces"),
        tuple(consumes.values()),
        fields.truth("confirm"),
    )
    fields.done()
    if behavior is not None:
        _fits(page, key, made)
    return made


def _fits(page: Page, key: Scalar, made: Verb) -> None:
    """What one behavior needs and another may not have."""
    name, behavior = key.text, made.behavior
    if (made.crud is not None) != (behavior is Behavior.CRUD):
        page.says(key.line, f"`{name}` has `crud` exactly when its behavior is crud")
    if (made.handler is not None) != (behavior is Behavior.PYTHON):
        page.says(key.line, f"`{name}` has a `handler` exactly when its behavior is python")
    if made.handler is not None and not HANDLER.fullmatch(made.handler):
        page.says(key.line, f'the handler of `{name}` is "module:function"')
    if made.scope is not None and behavior is not Behavior.SESSION:
        page.says(key.line, f"`{name}` has a `scope`, and only session verbs have one")
    outside = behavior in (Behavior.TERMINAL, Behavior.COMPONENT)
    if outside and made.effect is not Effect.EXTERNAL:
        page.says(key.line, f"`{name}` acts outside the database: its effect is external")


def _consumes(page: Page, fields: Fields) -> dict[str, str]:
    """Which arguments take what other verbs make: `{case-id: kyc_case}`."""
    node = fields.take("consumes")
    if node is None:
        return {}
    if not isinstance(node, Mapping):
        page.says(node.line, f"`consumes` of {fields.what} is a map from argument to type")
        return {}
    what = f"`consumes` of {fields.what}"
    pairs = ((key.text, scalar(page, value, what)) for key, value in node.entries)
    return {key: text for key, text in pairs if text is not None}


def _crud(page: Page, name: str, fields: Fields) -> Crud | None:
    node = fields.take("crud")
    if node is None:
        return None
    inner = Fields(page, node, f"`crud` of `{name}`")
    operation = inner.choice("operation", Operation, is_required=True) or Operation.SELECT
    table = inner.text("table", is_required=True) or ""
    made = Crud(operation, table, inner.text("key"), inner.plain_texts("conflict_keys"))
    inner.done()
    if operation is Operation.UPSERT and not made.conflict_keys:
        page.says(node.line, f"an upsert has `conflict_keys`: `{name}`")
    if operation in KEYED and not made.key:
        page.says(node.line, f"an {operation.value} has a `key`: `{name}`")
    return made


def _parameter(
    page: Page, verb_name: str, name: str, node: Node, consumes: dict[str, str]
) -> Parameter:
    what = f"the argument `{name}` of `{verb_name}`"
    fields = Fields(page, node, what)
    kind = fields.choice("type", Kind, is_required=True) or Kind.STRING
    is_required = fields.truth("required")
    default = fields.text("default")
    values = fields.plain_texts("values")
    lookup = _lookup(page, fields, what)
    maps_to, description = fields.text("maps_to"), fields.text("description")
    bounds = _bounds(page, fields, what)
    fields.done()
    if not re.fullmatch(NAME, name) or name == "as":
        page.says(node.line, f"`{name}` is no name of an argument")
    if lookup and kind not in (Kind.UUID, Kind.CODE, Kind.STRING, Kind.LIST):
        page.says(node.line, f"{what} looks entities up: its type is uuid, code, string or list")
    return Parameter(
        name,
        kind,
        is_required,
        _default(page, node, what, kind, default),
        values,
        lookup,
        maps_to,
        bounds,
        description or "",
        consumes.get(name),
    )


def _lookup(page: Page, fields: Fields, what: str) -> tuple[str, ...]:
    node = fields.take("lookup")
    if node is None:
        return ()
    inner = Fields(page, node, f"`lookup` of {what}")
    types = inner.plain_texts("entity_type")
    inner.done()
    if not types:
        page.says(node.line, f"`lookup` of {what} has no `entity_type`")
    return types


def _bounds(page: Page, fields: Fields, what: str) -> Bounds:
    node = fields.take("validation")
    if node is None:
        return Bounds()
    inner = Fields(page, node, f"`validation` of {what}")
    made = Bounds(
        inner.number("min"),
        inner.number("max"),
        inner.count("min_length"),
        inner.count("max_length"),
        inner.text("pattern"),
    )
    inner.done()
    if made.pattern is not None:
        try:
            re.compile(made.pattern)
        except re.error as error:
            page.says(node.line, f"`pattern` of {what} is none: {error}")
    return made


def _default(page: Page, node: Node, what: str, kind: Kind, text: str | None) -> Default | None:
    if text is None:
        return None
    if kind is Kind.BOOLEAN and text in ("true", "false"):
        return text == "true"
    if kind is Kind.INTEGER and NUMBER.fullmatch(text) and "." not in text:
        return int(text)
    if kind in (Kind.STRING, Kind.CODE, Kind.DATE, Kind.DECIMAL, Kind.UUID):
        return text
    page.says(node.line, f"the default of {what} is no {kind.value}")
    return None
