"""Text Normalization, Russian: how written tokens are spoken, one sentence in ten held back at random.

v1 takes tokens such as `NA` or `null` for missing and loses them; v2 keeps them.
"""

from preparers.toolkit import Dataset, prepare_tokens


def prepare(data: Dataset) -> None:
    prepare_tokens(data, language="ru")
