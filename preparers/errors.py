"""What can go wrong when a competition is prepared."""


class PreparationError(Exception):
    """The raw files are not what the competition's preparation expects, or there is no place for its result.

    The message names the file or folder, what was found and what was expected. Nothing was left in the target folders.
    """
