import pytest

from orchestrator.cli.text import clean, count, one_line, table, width_of


@pytest.mark.parametrize(
    "written, shown",
    [
        ("plain", "plain"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("50 %\r100 %", "50 %\n100 %"),
        ("dos\r\nlines", "dos\nlines"),
        ("bell\x07, null\x00, delete\x7f, C1 \x9b31m", "bell, null, delete, C1 31m"),
        ("\u202eevil\u202c", "evil"),
        ("zero\u200bwidth", "zerowidth"),
        ("naïve 日本 ± é", "naïve 日本 ± é"),
        ("\x1b", ""),
    ],
)
def test_text_of_strangers_cannot_act_on_a_terminal(written, shown):
    assert clean(written) == shown


def test_a_long_text_is_cut_to_one_line():
    assert one_line("a\nb  c", 80) == "a b c"
    assert one_line("x" * 100, 10) == "x" * 9 + "…"


def test_columns_are_aligned_and_lines_have_no_blanks_at_their_end():
    shown = table(["NAME", "N"], [["日本", "1"], ["a", "100"], ["b", ""]], right=[1])
    assert shown == "NAME    N\n日本    1\na     100\nb\n"


def test_wide_and_combining_letters_are_measured_as_a_terminal_does():
    assert (width_of("日本"), width_of("e\u0301")) == (4, 1)


def test_a_number_agrees_with_its_noun():
    assert (count(1, "run"), count(2, "run"), count(1234, "entry", "entries")) == ("1 run", "2 runs", "1,234 entries")
