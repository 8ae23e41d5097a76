"""HMS Harmful Brain Activity: experts' votes on windows of EEG records; one spectrogram in ten is held back.

v1 splits spectrograms, so that a patient can be on both sides, and its test table has a line for each window of a
record without saying which. v2 splits patients, keeps the first window of each test record, and gives that window's
place in the spectrogram.
"""

from preparers.toolkit import Dataset, disjoint, has_columns, sample, split_groups

VOTES = ["seizure_vote", "lpd_vote", "gpd_vote", "lrda_vote", "grda_vote", "other_vote"]
OFFSET = "spectrogram_label_offset_seconds"
COLUMNS = [
    *("eeg_id", "eeg_sub_id", "eeg_label_offset_seconds", "spectrogram_id", "spectrogram_sub_id", OFFSET),
    *("label_id", "patient_id", "expert_consensus", *VOTES),
]


def prepare(data: Dataset) -> None:
    windows = data.raw.csv("train.csv")
    has_columns(windows, *COLUMNS, name="train.csv")
    unit = "spectrogram_id" if data.version == "v1" else "patient_id"
    train, test = split_groups(windows, by=unit, test=0.1, keys="seen", rows="raw")
    for record in ("eeg_id", "spectrogram_id"):
        disjoint(train, test, record)
    shown = ["spectrogram_id", "eeg_id", "patient_id"]
    if data.version == "v2":
        test = test.sort_values("eeg_sub_id", kind="stable").drop_duplicates("eeg_id").sort_index()
        shown.append(OFFSET)
    shares = test[VOTES].div(test[VOTES].sum(axis=1), axis=0)

    data.public.csv("train.csv", train)
    data.public.csv("test.csv", test[shown])
    data.public.csv("sample_submission.csv", sample(test, "eeg_id", **dict.fromkeys(VOTES, 1 / 6)))
    data.private.csv("test.csv", test)
    data.private.csv("gold_submission.csv", sample(test, "eeg_id", **{vote: shares[vote] for vote in VOTES}))
    data.public.tree("example_figures")
    for part, rows in (("train", train), ("test", test)):
        for kind in ("eeg", "spectrogram"):
            files = f"{kind}s/{{{kind}_id}}.parquet"
            records = rows[[f"{kind}_id"]].drop_duplicates()
            data.public.files(f"{part}_{files}", records, source=f"train_{files}")
