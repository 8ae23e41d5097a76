"""The spec beside the results, so that a report can always be made from the store alone."""

from __future__ import annotations

import yaml

from orchestrator.api.types import ExperimentRun, Metadata
from orchestrator.controller.observe import keys_of
from orchestrator.controller.stores import OpenStores
from orchestrator.core.model import Experiment


def write_spec(stores: OpenStores, experiment: Experiment) -> None:
    """Once, as the experiment was first seen; what may change afterwards (such as parallelism) changes no result."""
    metadata = Metadata(
        name=experiment.name,
        namespace=experiment.namespace,
        uid=experiment.uid,
        generation=experiment.generation,
        creation_timestamp=experiment.created_at,
    )
    document = yaml.safe_dump(ExperimentRun(metadata=metadata, spec=experiment.spec).to_dict(), sort_keys=False)
    stores.runs.write_new(keys_of(experiment).spec, document.encode())
