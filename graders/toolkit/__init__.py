"""The words that competitions' graders are written in: match, refuse; `graders.metrics` has those that measure.

A grader is a function `score(entry: Entry) -> float`:

- *read*     `entry.submission`, `entry.answers`: tables as pandas reads them by default, floats exact;
             `entry.with_text("label")`: both with some columns read as text; `entry.private.csv(...)`, `.jsonl(...)`,
             `.path(...)`: other files of the private folder; `entry.classes`, `entry.tables`; `entry.version`.
- *match*    `predicted, truth = pair(submission, answers, on="id")`; `join` where repeated ids count; `line_up(by=)`
             where ids are sorted and not compared; `by_position`; `pair_probabilities(entry, target, on="id")`: `pair`
             with all that a submission of probabilities must keep; `pair_texts(entry, target, on=, plain=)`: columns of
             free text, read as they stand or as pandas reads them.
- *refuse*   `must_have(..., exactly=, in_order=)`, `must_have_width`, `must_have_rows`, `must_not_repeat`;
             `must_be_numbers(strict=)`, `must_be_finite`, `must_be_within(blanks=)`, `must_be_whole`,
             `must_not_be_missing`, `must_sum_to_one`, `must_be_labels`, `must_compare`, `must_be_one_of`,
             `must_be_text`, `must_not_hold_text`; `must_parse(column, parse, expected=)`;
             `must_be_masks(column, pixels, strict=)` for run-length masks,
             `must_be_groups(column, Form(size=, name=), expected=)` for lists of boxes; `numbers`, `cut_to_whole`,
             `words`, `each_words`, `guesses(most=)` and `label_sets` turn columns into what they are called;
             anything else: `raise InvalidSubmission(Reason.…, "sentence", hint=…)`.
- *warn*     `entry.warn("sentence")` where v1 rewards nonsense and the submission makes use of it; `warn_of_repeats`,
             `warn_of_other_ids` where v1 does not compare ids.

One order for all: columns, rows, ids, values. Acceptance is a conjunction, so the order only picks the message.
"""

from graders.errors import InvalidSubmission, Reason
from graders.toolkit.cells import each_words, must_parse, words
from graders.toolkit.columns import must_have, must_have_width
from graders.toolkit.entry import Answers, Entry, Version
from graders.toolkit.groups import Form, Groups, must_be_groups
from graders.toolkit.guesses import guesses
from graders.toolkit.labels import label_sets, must_compare
from graders.toolkit.masks import Masks, must_be_masks
from graders.toolkit.match import by_position, join, line_up, must_have_rows, must_not_repeat, pair
from graders.toolkit.places import Column
from graders.toolkit.probabilities import pair_probabilities
from graders.toolkit.runs import Runs, decode_runs
from graders.toolkit.suspicion import warn_of_other_ids, warn_of_repeats
from graders.toolkit.texts import must_not_hold_text
from graders.toolkit.values import (
    Floats,
    cut_to_whole,
    must_be_finite,
    must_be_labels,
    must_be_numbers,
    must_be_one_of,
    must_be_text,
    must_be_whole,
    must_be_within,
    must_not_be_missing,
    must_sum_to_one,
    numbers,
)
from graders.toolkit.written import as_text, pair_texts

__all__ = [
    "Answers",
    "Column",
    "Entry",
    "Floats",
    "Form",
    "Groups",
    "InvalidSubmission",
    "Masks",
    "Reason",
    "Runs",
    "Version",
    "as_text",
    "by_position",
    "cut_to_whole",
    "decode_runs",
    "each_words",
    "guesses",
    "join",
    "label_sets",
    "line_up",
    "must_be_finite",
    "must_be_groups",
    "must_be_labels",
    "must_be_masks",
    "must_be_numbers",
    "must_be_one_of",
    "must_be_text",
    "must_be_whole",
    "must_be_within",
    "must_compare",
    "must_have",
    "must_have_rows",
    "must_have_width",
    "must_not_be_missing",
    "must_not_hold_text",
    "must_not_repeat",
    "must_parse",
    "must_sum_to_one",
    "numbers",
    "pair",
    "pair_probabilities",
    "pair_texts",
    "warn_of_other_ids",
    "warn_of_repeats",
    "words",
]
