"""Multi-modal Gesture Recognition: gestures that were missed, made up or mistaken, by the number of true ones.

v1 rejects an empty sequence, because it reads `nan` there; in v2 it is an empty list. A cell with more than a hundred
thousand characters is rejected in both.
"""

from graders.metrics import edit_distance
from graders.toolkit import Entry, as_text, must_parse, pair_texts

LONGEST = 100_000


def score(entry: Entry) -> float:
    predicted, truth = pair_texts(entry, "Sequence", on="Id", plain=entry.version == "v2")
    said = must_parse(as_text(predicted), _gestures, expected="numbers of gestures with blanks between them")
    true = [_gestures(cell) for cell in as_text(truth)]
    return sum(map(edit_distance, true, said)) / sum(map(len, true))


def _gestures(cell: str) -> list[int]:
    if len(cell) > LONGEST:
        raise ValueError(f"a sequence has more than {LONGEST:,} characters")
    return [int(piece) for piece in cell.split()]
