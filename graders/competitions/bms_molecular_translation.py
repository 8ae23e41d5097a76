"""Bristol-Myers Squibb: the mean number of letters that are wrong in an InChI.

v1 compares an empty prediction as the letters `nan`; in v2 it is an empty text.
"""

from graders.metrics import mean_edit_distance
from graders.toolkit import Entry, as_text, pair_texts


def score(entry: Entry) -> float:
    predicted, truth = pair_texts(entry, "InChI", on="image_id", plain=entry.version == "v2")
    return mean_edit_distance(list(as_text(truth)), list(as_text(predicted)))
