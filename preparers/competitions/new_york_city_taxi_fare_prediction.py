"""New York City Taxi Fare Prediction: 9,914 rides held back at random. v2 is the same."""

from preparers.toolkit import Dataset, disjoint, promise, sample, split_rows

TEST_ROWS = 9914


def prepare(data: Dataset) -> None:
    rides = data.raw.csv("train.csv")
    promise(rides.shape[1] == 8, f"train.csv has {rides.shape[1]} columns; expected 8.")
    train, test = split_rows(rides, test=TEST_ROWS)
    disjoint(train, test, "key")

    data.public.csv("labels.csv", train)  # the training set, in spite of its name
    data.public.csv("test.csv", test.drop(columns="fare_amount"))
    data.public.csv("sample_submission.csv", sample(test, "key", fare_amount=11.35))
    data.public.copy("GCP-Coupons-Instructions.rtf")
    data.private.csv("test.csv", test)
