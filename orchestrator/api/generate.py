"""Writes the files that are made from the types: `python -m orchestrator.api.generate`, or `make docs`."""

from __future__ import annotations

from pathlib import Path

import yaml

from orchestrator.api.crd import custom_resource_definition
from orchestrator.api.reference import reference_page

ROOT = Path(__file__).resolve().parents[2]


class _Plain(yaml.SafeDumper):
    """Writes a value out wherever it is used, without anchors."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def generated_files() -> dict[str, str]:
    """The text of every generated file, by its path in the repository."""
    head = "# Made from orchestrator/api by `make docs`; edit the types there.\n"
    crd = yaml.dump(custom_resource_definition(), Dumper=_Plain, sort_keys=False, width=116, allow_unicode=True)
    return {
        "manifests/crd/experimentruns.yaml": head + crd,
        "docs/reference/experimentrun.md": reference_page(),
    }


def main() -> None:
    for name, text in generated_files().items():
        path = ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"wrote {name}")


if __name__ == "__main__":
    main()
