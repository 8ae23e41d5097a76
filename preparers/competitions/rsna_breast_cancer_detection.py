"""RSNA Breast Cancer: mammograms, one patient in ten held back; the question is put once for each breast.

v2 is the same. The real data agree on `cancer` within a breast; should they not, the first picture decides.
"""

from preparers.toolkit import Dataset, promise, sample, split_groups

SHOWN = ["site_id", "patient_id", "image_id", "laterality", "view", "age", "implant", "machine_id", "prediction_id"]


def prepare(data: Dataset) -> None:
    pictures = data.raw.csv("train.csv")
    train, test = split_groups(pictures, by="patient_id", test=0.1, seed=42, keys="seen", rows="raw")
    test = test.assign(prediction_id=test["patient_id"].astype(str) + "_" + test["laterality"])
    answers = test.drop_duplicates("prediction_id")[["prediction_id", "cancer"]].sort_values("prediction_id")
    promise(len(answers) < len(test), "No breast has two pictures: train.csv is not as Kaggle made it.")

    data.public.csv("train.csv", train)
    data.public.csv("test.csv", test[SHOWN])
    data.public.csv("sample_submission.csv", sample(answers, "prediction_id", cancer=train["cancer"].mean()))
    for part, rows in (("train", train), ("test", test)):
        name = "{patient_id}/{image_id}.dcm"
        data.public.files(f"{part}_images/{name}", rows, source=f"train_images/{name}")
    data.private.csv("answers.csv", answers)
