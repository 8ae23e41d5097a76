"""What goes wrong in the rig, as one sentence that says what to do."""


class RigError(Exception):
    """Something the rig needs is missing or did not start."""
