"""Requests in, answers out, over the cores and the drivers; no protocol."""
