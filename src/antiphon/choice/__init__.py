"""Questions with exact answers: blocks, their judge, flows and the guard around a model; quiet."""
