"""Forms as clients send them, and as nobody should."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.worker import multipart
from orchestrator.worker.multipart import BadUpload, save_file

TYPE = "multipart/form-data; boundary=XX"


def form(*parts: tuple[str, bytes], end: bytes = b"--\r\n") -> bytes:
    body = b"".join(b"--XX\r\n%s\r\n\r\n%s\r\n" % (head.encode(), content) for head, content in parts)
    return body + b"--XX" + end


def part(name: str, content: bytes) -> tuple[str, bytes]:
    return f'Content-Disposition: form-data; name="{name}"; filename="a.csv"\r\nContent-Type: text/csv', content


def saved(body: bytes, content_type: str = TYPE) -> bytes:
    target = io.BytesIO()
    save_file("file", io.BytesIO(body), len(body), content_type, target)
    return target.getvalue()


@given(content=st.binary(), chunk=st.integers(min_value=1, max_value=40), others=st.lists(st.binary(), max_size=3))
def test_the_file_comes_out_as_it_went_in(content: bytes, chunk: int, others: list[bytes]) -> None:
    if any(b"\r\n--XX" in b"\r\n" + data for data in (content, *others)):
        return
    body = form(*(part("other", data) for data in others), part("file", content), part("after", b"x"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(multipart, "CHUNK", chunk)
        assert saved(body) == content


def test_something_like_a_boundary_is_content() -> None:
    content = b"a\r\n--X\r\n--xX\r\n-\r\n--"
    assert saved(form(part("file", content))) == content


def test_text_before_the_form_is_skipped() -> None:
    assert saved(b"a preamble\r\n" + form(part("file", b"id\n"))) == b"id\n"


def test_a_quoted_boundary_is_understood() -> None:
    assert saved(form(part("file", b"id")), 'multipart/form-data; charset=utf-8; boundary="XX"') == b"id"


@pytest.mark.parametrize(
    "body, why",
    [
        pytest.param(form(part("data", b"id")), "no field 'file'", id="another field"),
        pytest.param(form(), "no field 'file'", id="an empty form"),
        pytest.param(form(part("file", b"id"), end=b"")[:-8], "cut off", id="no end"),
        pytest.param(b"", "cut off", id="nothing"),
        pytest.param(b"id,x\n1,2\n" * 1000, "cut off", id="no form"),
        pytest.param(b"--XX?" + b"a" * 100, "not followed by a line end", id="a broken boundary"),
        pytest.param(b"--XX\r\n" + b"a" * 100_000, "have no end", id="headers without end"),
    ],
)
def test_a_broken_form_gets_a_sentence(body: bytes, why: str) -> None:
    with pytest.raises(BadUpload, match=why):
        saved(body)


@pytest.mark.parametrize("kind", ["text/csv", "", "multipart/form-data", f"multipart/form-data; boundary={'x' * 300}"])
def test_what_is_no_form_is_told_what_to_send(kind: str) -> None:
    with pytest.raises(BadUpload, match="multipart/form-data"):
        saved(form(part("file", b"id")), kind)


@given(st.binary(max_size=2000))
def test_no_bytes_do_anything_but_fail_or_work(body: bytes) -> None:
    try:
        saved(b"--XX\r\n" + body)
    except BadUpload:
        return
