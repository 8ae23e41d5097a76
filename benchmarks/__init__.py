"""Measurements of what must stay fast: `python -m benchmarks` runs all, `python -m benchmarks packing` one."""
