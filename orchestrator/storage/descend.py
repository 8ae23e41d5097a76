"""Going down folders one by one, so that no symbolic link on the way leads elsewhere."""

import errno
import os
import stat

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def step_into(folder: int, name: str) -> int:
    """A folder in an open folder, open; ELOOP if it is a symbolic link."""
    try:
        return os.open(name, FOLDER | os.O_NOFOLLOW, dir_fd=folder)
    except NotADirectoryError as error:
        if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name) from error
        raise
