"""Names on objects: labels by which the controller finds its own, annotations by which people and it leave word."""

from __future__ import annotations

GROUP = "mlectl.dev"

MANAGED_BY = "app.kubernetes.io/managed-by"
MLECTL = "mlectl"

EXPERIMENT = f"{GROUP}/experiment"
"""The ExperimentRun's name, cut to what a label may have; for people."""
EXPERIMENT_UID = f"{GROUP}/experiment-uid"
EXPERIMENT_NAMESPACE = f"{GROUP}/experiment-namespace"
"""Prepare and grade Jobs live beside the controller, out of the agents' namespace: this says whose a grade Job is.
Prepare Jobs are nobody's: they have no label of an experiment."""
ROLE = f"{GROUP}/role"
COMPETITION = f"{GROUP}/competition"
SEED = f"{GROUP}/seed"
ATTEMPT = f"{GROUP}/attempt"
BENCHMARK = f"{GROUP}/benchmark"
"""On prepare Jobs: the version that the dataset is of."""
NETWORK = f"{GROUP}/network"
"""On agent pods: the network mode of the spec."""

START = f"{GROUP}/start"
"""Annotation of a Job: the `core.model.Start` that it carries out, as JSON."""
STOP = f"{GROUP}/stop"
"""Annotation of a Job that we ended, with why; without it a suspended Job was suspended by its queue."""
ENDED = f"{GROUP}/ended"
"""Annotation of a Job that has failed: how, as JSON, as its pod told it, which may be gone since."""

CANCELLED = f"{GROUP}/cancelled"
"""Annotation of an ExperimentRun, "true": end it."""
RETRY = f"{GROUP}/retry"
"""Annotation of an ExperimentRun: {"<competition>/<seed>": attempt the wish refers to, ...} as JSON."""
RETRY_AT = f"{GROUP}/retry-at"
"""Annotation of an ExperimentRun: when a person last asked for a retry; older failed preparations are forgotten."""
DELETE_RESULTS = f"{GROUP}/delete-results"
"""Annotation of an ExperimentRun, "true": its results go with it. Set together with the finalizer."""

RESULTS_FINALIZER = f"{GROUP}/results"
"""Only on an ExperimentRun whose results are to be deleted with it: they lie outside the cluster."""

QUEUE = "kueue.x-k8s.io/queue-name"
