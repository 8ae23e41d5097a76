"""The obvious implementation of competitions: their specifications line by line, for honest submissions only.

A module has `grade(submission, private)`, the score, or `prepare(raw, public, private)`, or both. Nothing is done to
make them fast, and nothing to make them slow. What several have in common is in `reading.py`, `tables.py`,
`splitting.py`, `cells.py` and `records.py`.
"""
