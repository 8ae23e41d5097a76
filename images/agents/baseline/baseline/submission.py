"""Predictions as a submission: the sample's rows with its columns filled, validated, then put in place whole."""

from __future__ import annotations

import json
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

from baseline.metrics import Matrix
from baseline.task import Task

BOUNDARY = "----baseline-submission"


def fill_sample(task: Task, predicted: Matrix) -> bytes:
    """The submission as CSV: what each test row's prediction means in the sample's columns."""
    question, targets = task.question, task.roles.targets
    frame = task.roles.sample.copy()
    if question.form == "a probability for each class":
        for column in targets:
            frame[column] = 0.0
        for number, column in enumerate(question.columns):
            frame[column] = predicted[:, number]
    elif question.form == "a label":
        frame[targets[0]] = [question.classes[number] for number in predicted.argmax(axis=1)]
    elif question.kind == "classes":
        frame[targets[0]] = predicted[:, -1]
    else:
        for number, column in enumerate(task.roles.answers if len(targets) > 1 else targets):
            frame[column] = predicted[:, number]
    csv: str = frame.to_csv(index=False)
    return csv.encode()


def ask_validator(url: str, submission: bytes, patience_seconds: float) -> tuple[bool, str]:
    """Whether the submission may be handed in, and the validator's words; one that can't be reached forbids nothing."""
    try:
        status, answer = _post(url, submission, patience_seconds)
    except (OSError, HTTPException, ValueError) as error:
        return True, f"not validated ({type(error).__name__}: {error})"
    text = " ".join(str(answer.get("result") or answer.get("error") or f"HTTP {status}").split())
    if status != 200:
        return True, f"not validated ({text})"
    return bool(answer.get("is_valid", text.startswith("Submission is valid"))), text


def _post(url: str, submission: bytes, patience_seconds: float) -> tuple[int, dict[str, object]]:
    parts = urlsplit(url)
    connect = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = connect(parts.hostname or "localhost", parts.port, timeout=patience_seconds)
    try:
        body = (
            (
                f"--{BOUNDARY}\r\n"
                'Content-Disposition: form-data; name="file"; filename="submission.csv"\r\n'
                "Content-Type: text/csv\r\n\r\n"
            ).encode()
            + submission
            + f"\r\n--{BOUNDARY}--\r\n".encode()
        )
        headers = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
        connection.request("POST", f"{parts.path.rstrip('/')}/validate", body, headers)
        response = connection.getresponse()
        answer = json.loads(response.read(1_000_000))
    finally:
        connection.close()
    if not isinstance(answer, dict):
        raise ValueError(f"the answer is not an object: {str(answer)[:80]!r}")
    return response.status, answer
