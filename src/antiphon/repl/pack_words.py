"""The words of a pack that people say for one another: «fund: [cbu, unit]»."""

from __future__ import annotations

from antiphon.repl import yaml
from antiphon.repl.fields import Page
from antiphon.repl.phrase import folded


def group(page: Page, key: yaml.Scalar, node: yaml.Node, synonyms: dict[str, str]) -> None:
    """Puts each word of the group down for its first one."""
    if not isinstance(node, yaml.Sequence):
        page.says(node.line, f"`{key.text}` has a list of the words that are said for it")
        return
    head = folded(key.text)
    for one in (key, *node.items):
        word = folded(one.text) if isinstance(one, yaml.Scalar) else ""
        if not word or len(word.split()) > 1:
            page.says(one.line, f"each word for `{key.text}` is one word")
        elif synonyms.setdefault(word, head) != head:
            page.says(one.line, f"`{word}` is said for `{synonyms[word]}` already")
