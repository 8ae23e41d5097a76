"""A Kubernetes cluster behind the protocol that the controller uses: tasks are Jobs of one pod each.

`cluster.py`    puts the rest together behind that protocol
`experiments.py`  an ExperimentRun as decisions are made on; `merging.py` what of its status changed
`settings.py`   what the operator decided: namespaces, image, stores, Secrets, network
`labels.py`     names of labels, annotations and the finalizer

`jobs.py`       what a task is as a Job: `pods.py` the agent's pod, `containers.py`, `orders.py`, `amounts.py`
`network.py`    what agents may reach
`tasks.py`      a Job and its pods as a task: `views.py` reads them, `endings.py` says why they ended

`api.py`        an API server in raw JSON, over `connection.py`, `stream.py`, `kubeconfig.py`, `errors.py`, `kinds.py`
`informer.py`   what is watched, with our own writes on top (`cache.py`); `watched.py` names what the controller watches
`queue.py`      what is to be looked at, each once
`lease.py`      who leads
`events.py`     what people are told
"""
