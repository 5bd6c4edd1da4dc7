"""The counts of a server as text that Prometheus reads."""

from __future__ import annotations

from antiphon.adapters.front import Front

MEDIA_TYPE = "text/plain; version=0.0.4"
HELP = {
    "conversations_loaded": "Conversations whose state is in memory.",
    "shells_open": "Shells that run.",
    "waits": "Waits under way.",
    "viewers": "Streams that are open.",
    "drafts_discarded": "Drafts of a model that broke the contract.",
}


def text(front: Front) -> str:
    lines = [
        "# HELP antiphon_calls_total Calls that were answered, by operation and outcome.",
        "# TYPE antiphon_calls_total counter",
    ]
    lines += [
        f'antiphon_calls_total{{operation="{operation}",outcome="{outcome}"}} {count}'
        for (operation, outcome), count in sorted(front.counts.items())
    ]
    for name, value in sorted(front.gauges().items()):
        lines += [
            f"# HELP antiphon_{name} {HELP[name]}",
            f"# TYPE antiphon_{name} gauge",
            f"antiphon_{name} {value:g}",
        ]
    return "\n".join(lines) + "\n"
