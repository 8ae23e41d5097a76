from orchestrator.cli.text import paragraph, table, width_of


def test_columns_are_aligned_and_lines_have_no_blanks_at_their_end():
    shown = table(["NAME", "N"], [["日本", "1"], ["a", "100"], ["b", ""]], right=[1])
    assert shown == "NAME    N\n日本    1\na     100\nb\n"


def test_wide_and_combining_letters_are_measured_as_a_terminal_does():
    assert (width_of("日本"), width_of("e\u0301")) == (4, 1)


def test_a_paragraph_is_wrapped_under_its_lead():
    lines = paragraph("word " * 40, "note: ").splitlines()
    assert [line[:7] for line in lines] == ["note: w", "      w"]
    assert max(map(len, lines)) <= 110
