"""A Kubernetes cluster behind the protocol that the controller uses: tasks are Jobs of one pod each.

`settings.py`  what the operator decided: namespaces, image, stores, Secrets, network
`labels.py`    names of labels, annotations and the finalizer
"""
