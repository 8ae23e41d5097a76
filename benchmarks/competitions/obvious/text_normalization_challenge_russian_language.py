"""Text normalization, Russian."""

from functools import partial

from benchmarks.competitions.obvious import tokens

grade = tokens.grade
prepare = partial(tokens.prepare, language="ru")
