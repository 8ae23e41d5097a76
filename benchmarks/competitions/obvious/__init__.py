"""The obvious implementation of hard competitions: their specifications line by line, for honest submissions only.

A module has `grade(submission, private)`, the score, or `prepare(raw, public, private)`, or both. Nothing is done to
make them fast, and nothing to make them slow.
"""
