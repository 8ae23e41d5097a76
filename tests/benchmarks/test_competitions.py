"""The benchmark of competitions works: on two of them at the smallest sizes, and on made-up measurements."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

import pytest

import catalog
from benchmarks.competitions import __main__ as command
from benchmarks.competitions import kitdata
from benchmarks.competitions.growth import LIMIT, Point, exponent, grows_too_fast
from benchmarks.competitions.measure import WorkFailed, in_child, measure
from benchmarks.competitions.notes import GROWS_FASTER, MEASURED_AGAIN
from benchmarks.competitions.page import INTRODUCTION, UNEXPLAINED, write_page
from benchmarks.competitions.ramp import Comparison, compare
from benchmarks.competitions.results import ROOT, Measurement, Results
from benchmarks.competitions.targets import HARD
from benchmarks.competitions.work import SIDES, work_for


def points(power: float, smallest_seconds: float = 0.1) -> list[Point]:
    return [Point(n, n, smallest_seconds * n**power, 0, 7) for n in (1, 2, 4)]


def test_every_competition_is_measured() -> None:
    official = {competition for competition in catalog.ids() if "demo" not in catalog.load(competition).splits}
    assert set(kitdata.ids()) == official
    assert len(official) == 82


def test_every_competition_is_held_against_an_obvious_implementation(tmp_path: Path) -> None:
    works = [work_for(name, side, tmp_path) for name in kitdata.ids() for side in SIDES]
    assert [work.name for work in works if work.obvious is None] == []


@pytest.mark.parametrize("competition", ["AI4Code", "tgs-salt-identification-challenge"])
def test_a_competition_is_measured_kept_and_shown(
    competition: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "benchmarks.md"
    monkeypatch.setattr(command, "PAGE", page)
    kept = tmp_path / "results.json"
    arguments = ["--only", competition, "--seconds", "0.001", "--making-seconds", "0.001", "--results", str(kept)]
    command.main([*arguments, "--write"])
    first = kept.read_bytes()
    assert page.read_text().count(f"| {competition} |") >= len(SIDES)

    command.main(arguments)
    assert kept.read_bytes() == first, "measured again, though nothing changed"
    assert f"{competition:55} grade" in capsys.readouterr().out


@pytest.mark.parametrize("competition", ["hubmap-kidney-segmentation", "vinbigdata-chest-xray-abnormalities-detection"])
def test_ours_and_the_obvious_implementation_agree(competition: str, tmp_path: Path) -> None:
    work = work_for(competition, "grade", tmp_path / "scratch")
    found = compare(work, [Point(work.first, work.first, 0, 0, 0)], tmp_path)
    assert found is not None
    assert found.our_seconds > 0
    assert found.obvious_seconds > 0


def test_an_obvious_implementation_that_disagrees_is_refused(tmp_path: Path) -> None:
    work = replace(
        work_for("tgs-salt-identification-challenge", "grade", tmp_path / "scratch"), obvious=lambda folder: 0.123
    )
    with pytest.raises(WorkFailed, match=r"differ: 0\.\d+ and 0\.123"):
        compare(work, [Point(work.first, work.first, 0, 0, 0)], tmp_path)


@pytest.mark.parametrize("power, too_fast", [(0.9, False), (1.1, False), (1.5, True), (2.0, True)])
def test_growth_faster_than_n_log_n_is_told(power: float, too_fast: bool) -> None:
    assert exponent(points(power)) == pytest.approx(power, abs=0.01)
    assert grows_too_fast(points(power)) is too_fast


def test_times_below_the_noise_tell_nothing() -> None:
    assert exponent(points(2, smallest_seconds=0.001)) is None
    assert not grows_too_fast(points(2, smallest_seconds=0.001))


def test_work_is_measured_in_another_process_without_its_warming_up() -> None:
    def burn() -> int:
        held = bytearray(50 << 20)
        held[::4096] = b"x" * len(held[::4096])
        sum(range(2_000_000))
        return os.getpid()

    cost = measure(burn, lambda: sum(range(10)), most_seconds=60)
    assert cost.outcome != os.getpid()
    assert cost.cpu_seconds > 0
    assert 45 < cost.peak_mb < 80


def test_work_that_fails_says_why() -> None:
    with pytest.raises(WorkFailed, match="ZeroDivisionError"):
        in_child(lambda: 1 / 0, most_seconds=60)


def test_work_that_takes_too_long_is_stopped() -> None:
    reader, _ = os.pipe()
    with pytest.raises(WorkFailed, match="stopped after"):
        in_child(lambda: os.read(reader, 1).decode(), most_seconds=0.05)


def test_a_result_of_other_code_counts_as_missing(tmp_path: Path) -> None:
    results = Results(tmp_path / "results.json")
    results.put(
        Measurement("AI4Code", "grade", "rows", tuple(points(1)), Comparison(1, 1, 1, 9), 0.5, "another digest")
    )
    again = Results(tmp_path / "results.json")
    assert [one.competition for one in again] == ["AI4Code"]
    assert again.get("AI4Code", "grade") is None


def compared(competition: str, ratio: float, power: float = 1) -> Measurement:
    return Measurement(competition, "grade", "rows", tuple(points(power)), Comparison(4, 4, 1, ratio), 0.5, "")


def test_the_page_marks_what_is_too_slow() -> None:
    hard = compared("alaska2-image-steganalysis", 3)
    slow = compared("AI4Code", 0.8, power=2)
    page = write_page(
        [hard, slow, replace(slow, side="prepare", points=tuple(points(1)), comparison=None)], "a machine"
    )
    assert "| alaska2-image-steganalysis | grade | 4 rows | 3.00 | 1.00 | – | 3.0× **!** |" in page
    assert "| AI4Code | grade | 4 rows | 0.800 | 1.00 | – | 0.8× **!** |" in page
    assert page.count(f"- AI4Code, grade: {UNEXPLAINED}.") == 2, "slower than the obvious way, and growing too fast"
    assert "AI4Code, prepare" not in page
    assert "| AI4Code | 4 rows | 0.400 | 7 | 1.00 |" in page


def test_five_times_is_asked_of_the_hard_ones_and_as_fast_within_the_noise_of_others() -> None:
    page = write_page([compared("alaska2-image-steganalysis", 5), compared("AI4Code", 0.95)], "a machine")
    hard, others = page.split("## All others, against")
    assert "| alaska2-image-steganalysis | grade | 4 rows | 5.00 | 1.00 | – | 5.0× |" in hard
    assert "| AI4Code | grade | 4 rows | 0.950 | 1.00 | – | 0.9× |" in others


def committed(title: str) -> list[list[str]]:
    """The rows of a table of the committed page."""
    lines = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8").splitlines()
    after = lines[lines.index(f"## {title}") + 1 :]
    table = [line for line in takewhile(lambda line: not line.startswith("## "), after) if line.startswith("| ")]
    return [line.strip("| ").split(" | ") for line in table[2:]]


@pytest.mark.parametrize("title", ["Preparing", "Grading"])
def test_the_committed_page_lists_every_competition(title: str) -> None:
    assert [row[0] for row in committed(title)] == sorted(kitdata.ids(), key=str.lower)


def test_the_committed_page_has_the_words_that_the_next_one_will_have() -> None:
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert page.startswith(INTRODUCTION)
    assert f"{MEASURED_AGAIN}\n" in page


def test_what_the_committed_page_marks_is_explained() -> None:
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert UNEXPLAINED not in page
    for title, side in (("Preparing", "prepare"), ("Grading", "grade")):
        for competition, _, seconds, memory, slope in committed(title):
            assert float(seconds) >= 0
            assert float(memory) >= 0
            if slope != "–" and float(slope.removesuffix(" **!**")) > LIMIT:
                assert f"- {competition}, {side}: {GROWS_FASTER[competition, side]}." in page


def test_the_committed_page_compares_the_hard_ones() -> None:
    compared: dict[str, set[str]] = {}
    for competition, side, *_ in committed("Hard ones, against the obvious implementation"):
        compared.setdefault(competition, set()).add(side)
    assert compared == HARD


def test_the_committed_page_compares_all_others() -> None:
    compared = {(row[0], row[1]) for row in committed("All others, against the obvious implementation")}
    hard = {(competition, side) for competition, sides in HARD.items() for side in sides}
    assert compared == {(competition, side) for competition in kitdata.ids() for side in SIDES} - hard


def test_repeated_rows_get_ids_of_their_own() -> None:
    table = kitdata.pd.DataFrame({"id": ["a", "b"], "number": ["7", "9"], "value": ["x", "y"]})
    whole = kitdata.repeat(table, ("id", "number", "absent"), 2)
    assert whole["id"].tolist() == ["a", "b", "1-a", "1-b"]
    assert whole["number"].tolist() == [7, 9, 17, 19]
    assert whole["value"].tolist() == ["x", "y", "x", "y"]
