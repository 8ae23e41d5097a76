"""A Kubernetes cluster behind the protocol that the controller uses: tasks are Jobs of one pod each.

`settings.py`  what the operator decided: namespaces, image, stores, Secrets, network
`labels.py`    names of labels, annotations and the finalizer
`cluster.py`   the protocol itself; `watched.py` what it reads from, `experiments.py` how an ExperimentRun is read

What a task is here; pure, no requests:

`jobs.py`        a Start as a Job                     `tasks.py`, `endings.py`  a Job and its pods as a Task
`pods.py`        the agent's pod                      `views.py`                raw objects behind plain names
`containers.py`, `orders.py`, `amounts.py`            `network.py`              whom agents may reach

The client, from the wire up; raw JSON throughout:

`kubeconfig.py`  which API server, as whom            `kinds.py`, `errors.py`  what is there, what can go wrong
`connection.py`  requests over one pool               `stream.py`              answers that go on: watches, logs
`api.py`         the verbs                            `cache.py`               what is known, our own writes on top
`informer.py`    keeps a cache in step                `queue.py`               what is to be looked at next, once
`lease.py`       one leader                           `events.py`              tells people
"""
