"""The counts of a server as text that Prometheus reads."""

from __future__ import annotations

from antiphon.adapters.front import Front

MEDIA_TYPE = "text/plain; version=0.0.4"


def text(front: Front) -> str:
    lines = ["# TYPE antiphon_calls_total counter"]
    lines += [
        f'antiphon_calls_total{{operation="{operation}",outcome="{outcome}"}} {count}'
        for (operation, outcome), count in sorted(front.counts.items())
    ]
    for name, value in sorted(front.gauges().items()):
        lines += [f"# TYPE antiphon_{name} gauge", f"antiphon_{name} {value:g}"]
    return "\n".join(lines) + "\n"
