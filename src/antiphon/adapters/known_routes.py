"""Routes whose path has no name in it: found by one look, and not by trying each pattern.

Every other path goes to the router as before.
"""

from __future__ import annotations

from collections.abc import Iterable

from starlette.routing import BaseRoute, Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send


class KnownRoutes:
    """In a router's own place, below what catches its errors."""

    def __init__(self, router: Router) -> None:
        self.otherwise = router.middleware_stack
        self.known = _known(router.routes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = (
            self.known.get((scope["method"], scope["path"])) if scope["type"] == "http" else None
        )
        if found is None:
            await self.otherwise(scope, receive, send)
            return
        scope["path_params"] = {}
        await found(scope, receive, send)


def _known(routes: Iterable[BaseRoute]) -> dict[tuple[str, str], ASGIApp]:
    known: dict[tuple[str, str], ASGIApp] = {}
    for route in routes:
        if isinstance(route, Route) and not route.param_convertors:
            for method in route.methods or ():
                known.setdefault((method, route.path), route.app)  # the first one counts
    return known
