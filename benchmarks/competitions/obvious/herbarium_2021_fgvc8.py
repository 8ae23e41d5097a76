"""Herbarium 2021: a collection in COCO's form; macro F1."""

from functools import partial

from benchmarks.competitions.obvious import specimens

grade = specimens.grade
prepare = partial(specimens.prepare_within, folder="", encoding="utf-8")
