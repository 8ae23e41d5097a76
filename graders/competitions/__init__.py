"""One module a competition: `score(entry)` is the submission's score, or a rejection.

To write one:

1. The module is called as the preparer's: the id in lower case with `_` for `-`, and a `_` in front of a digit.
2. It has one public function:

       def score(entry: Entry) -> float:
           must_have(entry.submission, "id", "target")
           predicted, truth = pair(entry.submission, entry.answers_of("id", "target"), on="id")
           must_be_within(predicted["target"], 0, 1)
           return roc_auc_score(truth["target"], predicted["target"])

   Columns, rows, ids, values, then the metric. `graders.toolkit` lists the words, `graders.metrics` the measures. Rows
   of `predicted` and `truth` belong together by position; their indexes mean nothing.
3. Every refusal is an `InvalidSubmission`, by a `must_…` word or raised with a `Reason`, a sentence and a hint. It may
   quote the submission, the sample and the task text, never the answers' values. Where the original's crash was the
   rule, state the rule. Any other exception is a defect (`GraderError`): don't catch it, prevent it.
4. Not rounding, medals, reports: `graders.grade` does that. NaN and infinities are returned as they are; guard numpy's
   warnings with `np.errstate`.
5. Answers that are not one CSV file: `entry.private.jsonl("test.jsonl")`, `entry.private.csv("other.csv")`,
   `entry.private.path("masks")`. Constant tables: `entry.classes`, `entry.tables`.
6. Versions: `entry.version` is "v1" (digit for digit as published) or "v2". Where v2 wants text that v1 let pandas
   guess at: `submission, answers = entry.with_text("PredictionString")`.
7. Where v1's own rule rewards nonsense and the submission makes use of it, v1 stays exact and says so:
   `entry.warn("3 boxes have nan coordinates, which v1 counts as hits.")`; the report marks the run as suspect.
8. No Python loop over rows where numpy or pandas has the operation. Run-length masks: `decode_runs`, which never paints
   pixels.
9. `tests/graders/test_conformance.py` and `tests/graders/test_properties.py` find the module by themselves; exceptions
   to the properties are listed there with reasons. Each difference of v2 has a test in `tests/competitions/`.
"""
