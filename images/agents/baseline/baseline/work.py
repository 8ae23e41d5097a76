"""The agent's work from first to last: read the task, climb the ladder, hand in what is best so far."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from baseline.blend import blend
from baseline.clock import Clock, Pace
from baseline.features import Features, make_features
from baseline.folds import Prediction, cross_validate
from baseline.journal import Journal, Step
from baseline.models import Model, ladder
from baseline.places import Places, replace_file
from baseline.submission import ask_validator, fill_sample
from baseline.task import Task, read_task

Say = Callable[[str], None]
BLEND = "blend"


class Work:
    """One task, one seed: what is known and done, and the steps that go on from there."""

    def __init__(self, places: Places, clock: Clock, say: Say) -> None:
        self._places, self._clock, self._say = places, clock, say
        self._journal = Journal.open(places)
        self._pace = Pace()

    def do(self) -> None:
        """Everything that is not done yet, as far as time allows."""
        task = read_task(self._places.data)
        self._say(f"task: {task}")
        self._report_earlier_start(task)
        features = make_features(task.roles, task.album, self._places.seed)
        self._say(f"features: {features.summary}")
        models = ladder(task.question, features)
        for number, model in enumerate(models, start=1):
            if not self._journal.has(model.name) and self._has_time_for(model):
                self._try(model, task, features, f"step {number} of {len(models) + 1}, {model.name}")
        self._blend(task, f"step {len(models) + 1} of {len(models) + 1}, {BLEND}")

    def _report_earlier_start(self, task: Task) -> None:
        if not self._journal.steps:
            return
        self._say(f"going on after an earlier start; done: {', '.join(step.name for step in self._journal.steps)}")
        self._hand_in_best(task)

    def _has_time_for(self, model: Model) -> bool:
        expected = self._pace.seconds_for(model.work)
        if expected <= self._clock.left():
            return True
        self._say(
            f"{model.name}: left out, it would take about {expected:.0f} s and {self._clock.left():.0f} s are left"
        )
        return False

    def _try(self, model: Model, task: Task, features: Features, title: str) -> None:
        try:
            prediction, seconds = cross_validate(model, task.question, features, self._places.seed, self._clock)
        except Exception as error:  # noqa: BLE001 - a model that fails must not end the others
            self._say(f"{title}: failed, {type(error).__name__}: {error}")
            self._journal.add(Step(model.name, None, 0.0, f"{type(error).__name__}: {error}"), None)
            return
        self._pace.note(model.work, seconds)
        self._finish(task, model.name, prediction, seconds, title)

    def _blend(self, task: Task, title: str) -> None:
        """A mean of the models there are; made again on a restart that has more of them."""
        usable = [
            step.name
            for step in self._journal.steps
            if not step.problem and step.name != "prior" and not step.name.startswith(BLEND)
        ]
        name = f"{BLEND}-{len(usable)}"
        if len(usable) < 2 or self._journal.has(name):
            return
        started = monotonic()
        prediction, weights = blend(task.question, {step: self._journal.prediction(step) for step in usable})
        parts = " + ".join(f"{count} {step}" for step, count in weights.items())
        self._finish(task, name, prediction, monotonic() - started, f"{title} ({parts})")

    def _finish(self, task: Task, name: str, prediction: Prediction, seconds: float, title: str) -> None:
        metric = task.question.metric
        score, before = metric.score(task.question.truth, prediction.train), self._journal.best(metric)
        self._journal.add(Step(name, score, seconds), prediction)
        is_best = self._journal.best(metric) != before
        verdict = "best so far" if is_best else f"no better than {before.score:.5f} of {before.name}" if before else ""
        self._say(f"{title}: {metric.name} {score:.5f} in cross-validation, {seconds:.1f} s; {verdict}")
        if is_best:
            self._hand_in_best(task)

    def _hand_in_best(self, task: Task) -> None:
        """Put the best step's submission in place, the next best if the validator rejects it."""
        while best := self._journal.best(task.question.metric):
            submission = fill_sample(task, self._journal.prediction(best.name).test)
            file = self._places.submission_file
            if file.is_file() and file.read_bytes() == submission:
                return
            patience = max(0.1, min(5.0, self._clock.left() / 4))
            is_valid, answer = ask_validator(self._places.validation_url, submission, patience)
            if is_valid:
                replace_file(file, submission)
                self._say(f"submission.csv is now of {best.name}: {answer}")
                return
            self._say(f"the submission of {best.name} was rejected: {answer}")
            self._journal.rule_out(best.name, f"rejected: {answer}")
