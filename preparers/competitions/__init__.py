"""One module a competition: `prepare(data)` turns raw files into public and private ones.

To write one:

1. The module is the id in lower case with `_` for `-`, and a `_` in front of a digit: `AI4Code` is `ai4code.py`,
   `3d-object-detection-…` is `_3d_object_detection_….py`. The catalog names it so; nothing needs registering.
2. It has one public function:

       def prepare(data: Dataset) -> None:
           train, test = split_rows(data.raw.csv("train.csv"), test=0.1)
           data.public.csv("train.csv", train)
           data.public.csv("test.csv", test.drop(columns="target"))
           data.public.csv("sample_submission.csv", sample(test, "id", target=0.5))
           data.private.csv("answers.csv", test[["id", "target"]])

   `preparers.toolkit` lists the words. It says what is particular to the competition; when a third module needs the
   same trick, the trick becomes a word of the toolkit with its own test. No competition imports another.
3. Versions: `data.version` is "v1" (byte for byte as published) or "v2" (known defects mended). A difference of a line
   is a condition; a larger one is a second function named for what it mends. The docstring's second paragraph says what
   v2 does, or that it is the same. A quirk that is kept for v1 gets one comment that names it.
4. Raw files are never changed. Zips are read in place and files are hard-linked, so neither unpack nor copy by hand;
   what goes into an archive and nowhere else is written to `data.scratch` and packed with
   `data.public.pack("train.csv.zip", "train.csv", origin=data.scratch.contents)`.
5. Names are sorted where the original depended on a folder's listing (`names` does); random numbers come from
   generators made in the function, never from global ones.
6. What the specification wants to fail fails with `promise`, `has_columns`, `unique`, `disjoint`, which raise
   `PreparationError`. Missing files are found and listed by `files`, `take` and `copy` themselves.
7. `tests/graders/test_conformance.py` finds the module and holds it to the kit's golden figures; each difference of v2
   has a test in `tests/competitions/` that shows the defect in v1 and its absence in v2.
"""
