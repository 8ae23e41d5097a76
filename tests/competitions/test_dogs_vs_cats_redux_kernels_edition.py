"""dogs-vs-cats-redux-kernels-edition: v2 gives each picture once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import digest

ID = "dogs-vs-cats-redux-kernels-edition"


def test_archives_beside_the_folders_are_in_v1_only(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    first, second = digest.tree_digest(v1.public), digest.tree_digest(v2.public)

    assert first.keys() - second.keys() == {"train.zip", "test.zip"}
    assert second == {name: first[name] for name in second}
    assert digest.tree_digest(v1.private) == digest.tree_digest(v2.private)
