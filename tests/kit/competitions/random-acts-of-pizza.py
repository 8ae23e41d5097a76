"""Synthetic raw data and submissions for random-acts-of-pizza."""
from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
from rawfiles import tables, write

N = 200  # requests of the raw train set
WORDS = ["pizza", "please", "broke", "student", "caf\u00e9", "\u2665", "\U0001f355", "\"quote\"", "back\\slash", "a/b", "tab\there", "line\nbreak",
         "\u00fcber", "<b>", "&amp;", "\u4e2d\u6587", "hungry", "payday", "thanks", "\u007f", "\u2028"]
DATA = tables("random-acts-of-pizza")


def request(rng: np.random.Generator, i: int) -> dict:
    words = lambda k: " ".join(rng.choice(WORDS, k))  # noqa: E731
    given = bool(rng.random() < 0.3)
    out = {}
    for name in DATA["train_fields"]:
        if name == "request_id":
            value = f"t3_{int(rng.integers(36**4)):x}{i:x}"
        elif name == "requester_received_pizza":
            value = given
        elif name == "giver_username_if_known":
            value = words(1) if given and rng.random() < 0.3 else "N/A"
        elif name == "requester_user_flair":
            value = str(rng.choice(["shroom", "PIF"])) if given else None
        elif name == "requester_subreddits_at_request":
            value = [words(1) for _ in range(int(rng.integers(0, 4)))]
        elif name == "post_was_edited":
            value = bool(rng.random() < 0.1) if rng.random() < 0.9 else int(rng.integers(1_300_000_000, 1_400_000_000))
        elif name in ("request_text", "request_text_edit_aware", "request_title", "requester_username"):
            value = words(int(rng.integers(0, 9)))
        elif "_days_" in name:
            value = float(rng.choice([0.0, rng.random() * 1000, rng.random() * 1e-6]))
        elif name.startswith("unix_timestamp"):
            value = float(rng.integers(1_300_000_000, 1_400_000_000))
        else:
            value = int(rng.integers(-50, 5000))
        out[name] = value
    return out


def make_raw(raw: Path, rng: np.random.Generator, n: int) -> None:
    """Write what Kaggle delivers, after the outer competition zip is unpacked."""
    tests = round(n * 1631 / 4040)
    rows = [request(rng, i) for i in range(n + tests)]
    train, test = rows[:n], [{k: r[k] for k in DATA["test_fields"]} for r in rows[n:]]
    # keys may stand in another order in some records; the first record of the test file gives the order of the test fields
    train[3] = dict(reversed(list(train[3].items())))
    test[1] = dict(reversed(list(test[1].items())))
    write(raw / "train.json", json.dumps(train, indent=2))
    write(raw / "test.json", json.dumps(test, ensure_ascii=False))
    write(raw / "sampleSubmission.csv", "request_id,requester_received_pizza\n" + "".join(f"{r['request_id']},0\n" for r in test))


def submissions(public: Path, private: Path, rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    """Submissions by name; those named bad_* must be rejected."""
    sample = pd.read_csv(public / "sampleSubmission.csv")
    truth = pd.read_csv(private / "test.csv")
    y = "requester_received_pizza"
    noise = rng.random(len(sample))
    good = truth.assign(**{y: truth[y] * 0.3 + 0.7 * noise})
    text, hole, duplicate = sample.astype({y: object}), good.copy(), good.copy()
    text.loc[3, y] = "maybe"
    hole.loc[2, y] = np.nan
    duplicate.loc[0, "request_id"] = duplicate.loc[1, "request_id"]
    return {
        "sample": sample,
        "noisy": sample.assign(**{y: noise}),
        "good_shuffled": good.sample(frac=1, random_state=int(rng.integers(1 << 30))),
        "ties": good.assign(**{y: good[y].round(1)}),
        "perfect": truth,
        "quirk_booleans": truth.assign(**{y: noise < 0.5}),
        "quirk_extra_column": good.assign(note="x"),
        "bad_missing_row": sample.iloc[1:],
        "bad_no_target": sample.drop(columns=y),
        "bad_no_id": sample.drop(columns="request_id"),
        "bad_out_of_range": sample.assign(**{y: noise * 1.5 + 0.1}),
        "bad_negative": sample.assign(**{y: noise - 0.5}),
        "bad_text": text,
        "bad_nan": hole,
        "bad_ids": sample.assign(request_id=sample["request_id"].str[3:]),
        "bad_duplicate_id": duplicate,
    }
