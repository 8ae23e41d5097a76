"""Random acts of pizza: a list of JSON objects split at random; the AUC."""

import json
from pathlib import Path

import pandas as pd
from sklearn.metrics import roc_auc_score

from benchmarks.competitions.obvious import splitting, tables

grade = tables.scored(roc_auc_score, "request_id", "requester_received_pizza")


def prepare(raw: Path, public: Path, private: Path) -> None:
    requests, unused = (json.loads((raw / name).read_text()) for name in ("train.json", "test.json"))
    train, test = splitting.split(requests, test_size=len(unused) / (len(requests) + len(unused)))
    shown = [{name: one[name] for name in unused[0]} for one in test]
    for part, objects in (("train", train), ("test", shown)):
        splitting.write_json(public / f"{part}.json", objects, indent=4)
        splitting.pack(public / f"{part}.zip", public / f"{part}.json", keep=True)
    answers = pd.DataFrame(test)[["request_id", "requester_received_pizza"]]
    splitting.write(private / "test.csv", answers.astype({"requester_received_pizza": int}))
    splitting.write(public / "sampleSubmission.csv", answers.assign(requester_received_pizza=0))
