"""Data of real shapes, where the kit's pictures, volumes and documents are too small to show what real ones cost.

A module has `make_raw(raw, rng, n)` with RAW_FIRST and RAW_UNIT, or `make_case(private, submission, rng, n)` with
CASE_FIRST, CASE_MOST and CASE_UNIT, or both.
"""
