"""What crosses a door: every operation once, its request, its answer, its refusals."""
