"""Entry point of the baseline agent; `start.sh` finds the Python for it.

Leaves the sample submission within a moment, before anything heavy is imported, and replaces it whenever
cross-validation says that something is better. Ends when the ladder of models is climbed, the time is nearly up or a
TERM comes; submission.csv is whole and the best so far at every moment.
"""

import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from time import monotonic

STARTED = monotonic()
sys.path.insert(0, str(Path(__file__).parent))

from baseline.clock import Clock, Stopped  # noqa: E402
from baseline.places import Places, read_places, replace_file  # noqa: E402
from baseline.tables import find_sample  # noqa: E402

Say = Callable[[str], None]


def main() -> int:
    """0 if there is a submission when the agent leaves."""
    places = read_places()
    log = (places.logs / "baseline.log").open("a", encoding="utf-8", buffering=1)

    def say(text: str) -> None:
        line = f"[{monotonic() - STARTED:5.1f} s] {text}"
        print(line, flush=True)
        log.write(f"{line}\n")

    clock = Clock(places.limit_seconds, STARTED)
    try:
        with clock.watched():
            hand_in_sample(places, say)
            work(places, clock, say)
    except Stopped as stopped:
        say(f"stopping: {stopped}")
    except Exception:  # noqa: BLE001 - whatever went wrong, what is handed in stays
        say(f"stopping: something went wrong\n{traceback.format_exc()}")
    has_submission = places.submission_file.is_file()
    say(f"done: {places.submission_file} is in place" if has_submission else "done: there is no submission")
    log.close()
    return 0 if has_submission else 1


def hand_in_sample(places: Places, say: Say) -> None:
    """Something valid to start from, unless an earlier start left something better."""
    sample = find_sample(places.data)
    if sample is None or sample.suffix.lower() != ".csv" or places.submission_file.exists():
        return
    replace_file(places.submission_file, sample.read_bytes())
    say(f"submission.csv is the sample, {sample.name}, for now")


def work(places: Places, clock: Clock, say: Say) -> None:
    """The rest, which needs pandas and scikit-learn."""
    warnings.simplefilter("ignore")
    try:
        from baseline.roles import CannotSolve
        from baseline.work import Work
    except ImportError as error:
        say(f"{sys.executable} lacks something ({error}): set AGENT_PYTHON to a Python with scikit-learn and pandas")
        return
    try:
        Work(places, clock, say).do()
    except CannotSolve as reason:
        say(f"the sample stays, because {reason}")


if __name__ == "__main__":
    sys.exit(main())
