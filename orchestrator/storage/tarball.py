"""The bytes of a dataset's tar shards, which depend on the files' paths, sizes and contents and on nothing else.

Members are plain files of mode 0644, owner 0 and time 0, in the form that every tar reads: ustar, with a pax header
before a member whose path or size does not fit. As nothing is left to choose, staging does not interpret a header: it
compares it with the one that must be there. A link, a device or a path that leaves the folder can not get through.

Helper processes use this, so it imports little (see `helper.py`).
"""

BLOCK = 512
END = bytes(2 * BLOCK)
LONGEST_NAME = 100
LONGEST_PREFIX = 155
LARGEST_SIZE = 8**11 - 1

_MODE_AND_OWNER = b"%07o\0%07o\0%07o\0" % (0o644, 0, 0)
_TIME = b"%011o\0" % 0
_FILE, _PAX = b"0", b"x"
_LINK_NAME = bytes(100)
_MAGIC = b"ustar\0" + b"00"
_NO_NAMES_NO_DEVICE = bytes(32 + 32) + b"%07o\0%07o\0" % (0, 0)
_FIXED_SUM = sum(_MODE_AND_OWNER + _TIME + _MAGIC + _NO_NAMES_NO_DEVICE) + 8 * ord(" ")
_TAIL = _LINK_NAME + _MAGIC + _NO_NAMES_NO_DEVICE
_ZEROS = [bytes(count) for count in range(LONGEST_PREFIX + 12 + 1)]
_AFTER_NAME = [bytes(LONGEST_NAME - length) + _MODE_AND_OWNER for length in range(LONGEST_NAME + 1)]
_AFTER_SIZE = b"\0" + _TIME
_PLAIN_SUM = _FIXED_SUM + _FILE[0]
_PLAIN_TAIL = b"\0 " + _FILE + _TAIL + _ZEROS[LONGEST_PREFIX + 12]


def header(path: str, size: int) -> bytes:
    """What stands before a file's content."""
    name = path.encode("utf-8", "surrogateescape")
    if len(name) <= LONGEST_NAME and size <= LARGEST_SIZE:
        octal = b"%011o" % size
        checksum = b"%06o" % (_PLAIN_SUM + sum(name) + sum(octal))
        return b"".join((name, _AFTER_NAME[len(name)], octal, _AFTER_SIZE, checksum, _PLAIN_TAIL))
    prefix, short = _split(name)
    if short and size <= LARGEST_SIZE:
        return _block(short, size, prefix=prefix)
    return _extended(name, size)


def padding(size: int) -> int:
    """How many zeros follow a content of this size."""
    return -size % BLOCK


def member_size(path: str, size: int) -> int:
    """Bytes of a file in a shard: header, content, padding."""
    is_plain = len(path) <= LONGEST_NAME // 4 and size <= LARGEST_SIZE
    return (BLOCK if is_plain else len(header(path, size))) + size + padding(size)


def describe(found: bytes) -> str:
    """What a header that should not be there stands for, for people."""
    import tarfile

    try:
        member = tarfile.TarInfo.frombuf(found[:BLOCK], "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return "bytes that are no header"
    kinds = {tarfile.SYMTYPE: "a symbolic link", tarfile.LNKTYPE: "a hard link", tarfile.DIRTYPE: "a folder"}
    kind = "a file" if member.isreg() else kinds.get(member.type, "something that is no plain file")
    return f"{kind}, {member.name!r}"


def _split(name: bytes) -> tuple[bytes, bytes]:
    """A long name as prefix and name of a ustar header; two empty ones if there is no such place to split."""
    at = name.find(b"/", max(0, len(name) - LONGEST_NAME - 1))
    if 0 < at <= LONGEST_PREFIX and at + 1 < len(name):
        return name[:at], name[at + 1 :]
    return b"", b""


def _block(name: bytes, size: int, *, kind: bytes = _FILE, prefix: bytes = b"") -> bytes:
    octal = b"%011o" % size
    checksum = b"%06o\0 " % (_FIXED_SUM + sum(name) + sum(octal) + kind[0] + sum(prefix))
    before = name + _AFTER_NAME[len(name)] + octal + _AFTER_SIZE
    return before + checksum + kind + _TAIL + prefix + _ZEROS[LONGEST_PREFIX + 12 - len(prefix)]


def _extended(name: bytes, size: int) -> bytes:
    """A pax header with the path and, if need be, the size; then a header that old programs can make something of."""
    records = b""
    try:
        name.decode()
    except UnicodeDecodeError:
        records += _record(b"hdrcharset", b"BINARY")
    records += _record(b"path", name)
    if size > LARGEST_SIZE:
        records += _record(b"size", b"%d" % size)
    content = records + bytes(padding(len(records)))
    short = name[-LONGEST_NAME:].lstrip(b"/")
    return _block(b"PaxHeaders/file", len(records), kind=_PAX) + content + _block(short, min(size, LARGEST_SIZE))


def _record(keyword: bytes, value: bytes) -> bytes:
    """`length keyword=value`, where the length counts its own digits."""
    rest = len(keyword) + len(value) + 3
    length = rest + len(str(rest))
    length = rest + len(str(length))
    return b"%d %s=%s\n" % (length, keyword, value)
