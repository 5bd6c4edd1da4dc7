"""The language of programs: text in; a tree, its faults and a plan out."""
