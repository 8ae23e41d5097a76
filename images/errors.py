"""What can go wrong on the way to an image, as a sentence for the person who wants it."""


class ImagesError(Exception):
    """No image was made, or one that must not be used; the text says why and what to do."""

    code = 1
    """What the command ends with."""


class NoEngine(ImagesError):
    """Nothing on this machine builds images."""

    code = 3
