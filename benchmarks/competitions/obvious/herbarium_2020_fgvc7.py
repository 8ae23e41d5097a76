"""Herbarium 2020: a collection in COCO's form, read as Latin-1; macro F1."""

from functools import partial

from benchmarks.competitions.obvious import specimens

grade = specimens.grade
prepare = partial(specimens.prepare_within, folder="nybg2020", encoding="latin-1")
