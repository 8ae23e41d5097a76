"""The loop that brings an experiment to its end: look, think, act, tell. The same code drives both clusters.

`cluster.py`    what it asks of the place where tasks run
`observe.py`    every read of a reconcile
`act.py`        every write of a reconcile
`reconcile.py`  one step: observe, decide (`core/plan.py`), act, status, events
`local_run.py`  `mlectl run`: one experiment to its end on this machine
"""
