"""The dependencies that a pyproject.toml on standard input asks for, one a line: pip can't install them alone."""

import sys
import tomllib

print(*tomllib.load(sys.stdin.buffer)["project"]["dependencies"], sep="\n")
