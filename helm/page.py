"""`python -m helm.page` (part of `make docs`): renews docs/reference/values.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from helm.values import Section, sections

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "values.md"
HEAD = """\
# Values of the chart

Made from `helm/mlectl/values.yaml` by `make docs`; edit the comments there. [Install](../install.md) says which to
begin with, and `helm/mlectl/values/` has files for several kinds of clusters. A key that is not here is refused.
"""


def page() -> str:
    return "\n".join([HEAD, *map(_section, sections())])


def _section(section: Section) -> str:
    rows = [f"| `{value.path}` | {_default(value.default)} | {_cell(value.comment)} |" for value in section.values]
    return "\n".join(
        [
            f"## {section.path}",
            "",
            section.comment,
            "",
            "| Value | Default | Meaning |",
            "| --- | --- | --- |",
            *rows,
            "",
        ]
    )


def _default(value: Any) -> str:
    written = yaml.safe_dump(value, default_flow_style=True, width=1000, sort_keys=False).removesuffix("...\n").strip()
    return f"`{written}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page())
