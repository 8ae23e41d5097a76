"""A submission is untrusted: what is read, how, and what is refused before pandas sees it."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import pytest

from graders import GraderError, InvalidSubmission, bulk, reading
from graders.reading import read_records, read_submission, read_table


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "submission.csv"


def rejected(file: Path) -> InvalidSubmission:
    with pytest.raises(InvalidSubmission) as error:
        read_submission(file)
    return error.value


def test_floats_are_exact_and_the_rest_is_at_pandas_defaults(file: Path) -> None:
    frame = read_submission(write(file, "id,p,t,f\n007,0.1234567890123456789,NA,\n8,8.000000000000002,x,True\n"))

    assert frame["id"].tolist() == [7, 8]
    assert frame["p"].tolist() == [0.12345678901234568, 8.000000000000002]
    assert frame["t"].isna().tolist() == [True, False]


@pytest.mark.parametrize("content", ["", "\n\n", "   \n".replace(" ", "")])
def test_an_empty_file_is_an_empty_table(content: str, file: Path) -> None:
    frame = read_submission(write(file, content))

    assert frame.shape == (0, 0)


def test_text_columns_stay_as_they_are_written(file: Path) -> None:
    frame = read_submission(write(file, 'id,t\n1,NA\n2,007\n3,\n4,"a,b"\n5\nNA,null\n'), text=("t",))

    assert frame["t"].tolist() == ["NA", "007", "", "a,b", "", "null"]
    assert frame["id"].isna().tolist() == [False] * 5 + [True]
    assert read_table(file, text=("t",))["t"].tolist() == frame["t"].tolist()


def test_rows_count_from_nought_even_where_pandas_makes_an_index_of_the_first_field(file: Path) -> None:
    assert read_submission(write(file, "id,p\n9,1,2\n8,3,4\n")).index.tolist() == [0, 1]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"id,p\n1,2\n1,2,3,4\n", id="a row with too many fields"),
        pytest.param(b'id,p\n1,"2\n', id="an open quote"),
        pytest.param(b"id,p\n\xff\xfe,2\n", id="not UTF-8"),
        pytest.param(b"\x93NUMPY\x01\x00v\x00{'descr': '|O'}" + bytes(range(256)), id="an array of objects"),
        pytest.param(b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94.", id="a pickle"),
    ],
)
def test_what_pandas_can_not_parse_is_unreadable(content: bytes, file: Path) -> None:
    error = rejected(write(file, content))

    assert error.reason == "Unreadable"
    assert "to_csv(index=False)" in str(error)
    assert str(error).isprintable() or "\n" in str(error)


def test_a_symbolic_link_is_not_followed(file: Path, tmp_path: Path) -> None:
    file.symlink_to(write(tmp_path / "secret.csv", "id\n1\n"))

    assert rejected(file).reason == "NotAPlainFile"


def test_a_folder_a_pipe_and_a_device_are_no_submissions(file: Path, tmp_path: Path) -> None:
    os.mkfifo(file)
    (tmp_path / "folder.csv").mkdir()

    assert rejected(file).reason == "NotAPlainFile"  # and does not wait for a writer
    assert rejected(tmp_path / "folder.csv").reason == "NotAPlainFile"
    assert rejected(Path("/dev/zero")).reason == "NotAPlainFile"


@pytest.mark.parametrize(
    ("limit", "value", "content", "told"),
    [
        ("MAX_BYTES", 10, "id,p\n1,2\n1,2\n", "13 bytes or more; the most that is read is 10"),
        ("MAX_ROWS", 2, "id\n1\n2\n3\n4\n", "3 rows or more"),
        ("MAX_COLUMNS", 2, "a,b,c\n1,2,3\n", "3 columns or more"),
        ("MAX_SEPARATORS", 5, "a,b\n1,2\n3,4\n", "6 commas and line ends or more"),
    ],
)
def test_size_is_bounded(
    limit: str, value: int, content: str, told: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_submission(write(file, content))
    for module in (bulk, reading):
        monkeypatch.setattr(module, limit, value, raising=False)

    error = rejected(file)

    assert error.reason == "TooLarge"
    assert told in error.problem


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b",".join(b"c%d" % k for k in range(100_000)), id="in the header"),
        pytest.param(b"a,b\n" + b"1," * 100_000, id="in the first row of data, which pandas makes an index of"),
        pytest.param(b" \n\n\r\n" + b"1," * 100_000, id="after blank lines"),
        pytest.param(b'"a\nb"",c",' + b"1," * 100_000, id="after a quoted line end"),
        pytest.param(b'a\n"x\ny"z"' + b"," * 100_000, id="after a quote that closes a field early"),
        pytest.param(b'\xef\xbb\xbf"' + b"\n" * 10 + b'"' + b"," * 100_000, id="after a byte order mark"),
    ],
)
def test_a_hundred_thousand_columns_are_refused_before_pandas_sees_them(content: bytes, file: Path) -> None:
    error = rejected(write(file, content))

    assert error.reason == "TooLarge"
    assert "1,001 columns or more" in error.problem


def test_a_cell_with_many_commas_is_one_cell(file: Path) -> None:
    frame = read_submission(write(file, 'id,t\n1,"' + 'a,""b""\n' * 5_000 + '"\n'))

    assert frame.shape == (1, 2)


def test_a_long_column_of_mixed_types_is_read_without_a_warning(file: Path) -> None:
    rows = ["1"] * 300_000 + ["x"]
    frame = read_submission(write(file, "id,p\n" + "\n".join(f"{k},{v}" for k, v in enumerate(rows)) + "\n"))

    assert {type(value) for value in frame["p"]} == {int, str}


def test_answers_that_are_not_there_are_our_fault(tmp_path: Path) -> None:
    with pytest.raises(GraderError, match=r"The answers can't be read: .*test.csv'. Prepare the competition again"):
        read_table(tmp_path / "test.csv")


def test_json_lines_are_read_as_documents(tmp_path: Path) -> None:
    path = write(tmp_path / "test.jsonl", '{"a": 1}\n\n{"a": 18446744073709551615}\n')

    assert read_records(path) == [{"a": 1}, {"a": 18446744073709551615}]


def test_a_submission_is_read_as_pandas_reads_it_from_a_path(file: Path) -> None:
    write(file, "\ufeffid,p,p\r\n1,0.5,x\r\n\r\n2,,y\r\n")

    pd.testing.assert_frame_equal(read_submission(file), pd.read_csv(file, float_precision="round_trip"))
