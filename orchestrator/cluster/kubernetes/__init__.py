"""A Kubernetes cluster behind the protocol that the controller uses: tasks are Jobs of one pod each.

`settings.py`  what the operator decided: namespaces, image, stores, Secrets, network
`labels.py`    names of labels, annotations and the finalizer

The client, from the wire up; raw JSON throughout:

`kubeconfig.py`  which API server, as whom            `kinds.py`, `errors.py`  what is there, what can go wrong
`connection.py`  requests over one pool               `stream.py`              answers that go on: watches, logs
`api.py`         the verbs                            `cache.py`               what is known, our own writes on top
`informer.py`    keeps a cache in step                `queue.py`               what is to be looked at next, once
`lease.py`       one leader                           `events.py`              tells people
"""
