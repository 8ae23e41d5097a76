"""The loop that brings an experiment to its end: look, think, act, tell. The same code drives both clusters.

`cluster.py`    what it asks of the place where tasks run
`observe.py`    every read of a reconcile; `looks.py` says when, `memory.py` and `notes.py` keep what stays true
`act.py`        every write of a reconcile
`reconcile.py`  one step: observe, decide (`core/plan.py`), act, status, events
`local_run.py`  `mlectl run`: one experiment to its end on this machine
`serve.py`      `mlectl controller`: all experiments of a Kubernetes cluster
`work.py`       its workers, while it leads; `farewell.py` what is left to do for experiments that are deleted
`metrics.py`    what it measures (with `durations.py`), `health.py` the port, `logs.py` the lines
"""
