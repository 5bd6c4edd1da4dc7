"""Entities: which kinds there are, how names are folded and compared, what a candidate is."""
