"""Files that no CSV library would write: an honest file's bytes, cut, repeated, recoded and laced with what hurts."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

Change = Callable[[bytes], bytes]

TOKENS = (
    b"\x00",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\x1a",
    b"\x0c",
    b'"',
    b'""',
    b'"""',
    b"'",
    b"\\",
    b",",
    b",,,,",
    b";",
    b"\t",
    b"\r",
    b"\n",
    b"\r\n",
    b"\n\n",
    b"\n,\n",
    b"\xe2\x80\xa8",
    b" ",
    b"nan",
    b"NA",
    b"inf",
    b"-inf",
    b"1e308",
    b"-1e309",
    b"5e-324",
    b"-0.0",
    b"True",
    b"1_0",
    b"0x1F",
    b"99999999999999999999",
    b"-1",
    b"1.0",
    b"9" * 5000,
    "٣".encode(),
    b"[" * 20_000,
    b"a" * 300_000,
    b"1 2 " * 20_000,
    b"," * 1_500,
    b"\xf0\x9f\xa6\x96",
)

WHOLE: tuple[bytes, ...] = (
    b"",
    b"\n",
    b"\x00",
    b'"',
    b",",
    b"\xef\xbb\xbf",
    b"\xef\xbb\xbf\n",
    b"\n" * 10_000,
    b"," * 5_000,
    b"a\n" + b"1\n" * 10_000,
    b"PK\x03\x04" + bytes(range(256)) * 8,
    b"\x1f\x8b\x08\x00" + b"\x00" * 64,
    b'{"a": 1}',
    b"<html><body>404</body></html>",
)


def _at(content: bytes, where: float) -> int:
    return int(where * len(content))


def insert(where: float, token: bytes) -> Change:
    return lambda content: content[: _at(content, where)] + token + content[_at(content, where) :]


def cut(where: float, share: float) -> Change:
    return lambda content: content[: _at(content, where)] + content[_at(content, where + share * (1 - where)) :]


def repeat(where: float, share: float) -> Change:
    return lambda content: content[: _at(content, where + share * (1 - where))] + content[_at(content, where) :]


def replace(old: bytes, new: bytes) -> Change:
    return lambda content: content.replace(old, new)


def replace_first_rows(rows: int, old: bytes, new: bytes) -> Change:
    def change(content: bytes) -> bytes:
        lines = content.split(b"\n")
        return b"\n".join([line.replace(old, new) for line in lines[:rows]] + lines[rows:])

    return change


def keep_lines(count: int) -> Change:
    return lambda content: b"".join(content.splitlines(keepends=True)[:count])


def recode(encoding: str) -> Change:
    return lambda content: content.decode("utf-8", "replace").encode(encoding, "replace")


def prefix(token: bytes) -> Change:
    return lambda content: token + content


shares = st.floats(0, 1)
tokens = st.sampled_from(TOKENS)
changes: st.SearchStrategy[Change] = st.one_of(
    st.builds(insert, shares, tokens),
    st.builds(insert, shares, st.binary(min_size=1, max_size=8)),
    st.builds(cut, shares, shares),
    st.builds(repeat, shares, shares),
    st.builds(
        replace, st.sampled_from([b",", b"\n", b'"', b" ", b".", b"0", b"1"]), tokens.filter(lambda t: len(t) < 9)
    ),
    st.builds(replace_first_rows, st.integers(1, 5), st.sampled_from([b",", b".", b"1", b"e"]), tokens),
    st.builds(keep_lines, st.integers(0, 3)),
    st.builds(recode, st.sampled_from(["utf-16", "utf-32", "latin-1", "utf-8-sig", "cp037", "utf-7"])),
    st.builds(prefix, tokens),
)

files: st.SearchStrategy[Change] = st.one_of(
    st.lists(changes, min_size=1, max_size=3).map(lambda several: lambda content: _apply(content, several)),
    st.sampled_from(WHOLE).map(lambda whole: lambda _: whole),
    st.binary(max_size=200).map(lambda whole: lambda _: whole),
)
"""Any file at all, as a change to an honest one."""

MOST_BYTES = 8 << 20


def _apply(content: bytes, several: list[Change]) -> bytes:
    for change in several:
        content = change(content)[:MOST_BYTES]
    return content
