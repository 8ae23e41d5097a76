"""Decisions, and nothing else: frozen data and a clock in, frozen data out. Nothing here does I/O."""
