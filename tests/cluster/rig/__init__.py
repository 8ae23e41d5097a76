"""A real Kubernetes on one machine, for tests: control planes, made-up nodes, and this machine as a true node."""
