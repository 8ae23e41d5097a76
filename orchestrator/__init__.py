"""mlectl: runs MLE-bench experiments, on a Kubernetes cluster or on one machine."""

__version__ = "0.1.0"
