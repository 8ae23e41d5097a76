"""Every dashboard by the name of its file."""

import json
from collections.abc import Mapping
from pathlib import Path

from grafana_foundation_sdk.cog.encoder import JSONEncoder

from dashboards import experiments, operations

FOLDER = Path("helm/mlectl/files/dashboards")


def rendered() -> Mapping[str, str]:
    pages = {"experiments.json": experiments.page(), "operations.json": operations.page()}
    return {
        name: json.dumps(page.build(), cls=JSONEncoder, indent=2, sort_keys=True) + "\n" for name, page in pages.items()
    }
