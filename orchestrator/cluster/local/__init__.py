"""This machine as a cluster: ExperimentRuns are files, tasks are processes that outlive `mlectl run`.

`home.py`         where everything is
`experiments.py`  ExperimentRuns and their status, a file each: what an API server would hold
`tasks.py`        a folder a task: what was asked, how far it has come, whether it lives
`pod.py`          the process that carries out one task, as a kubelet would
`sandbox.py`      keeps an agent apart from the rest of the machine, where Linux allows it; `enter.py` is its inside
`orders.py`       writes the workers' orders
`cluster.py`      puts them together behind the protocol that the controller uses
"""
