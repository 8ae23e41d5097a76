"""Object stores, and the one place that knows where in them things are kept."""
