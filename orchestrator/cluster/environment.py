"""The environment every agent starts with, wherever it runs. The names are a contract with agents' authors."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath


@dataclass(frozen=True)
class AgentPaths:
    """Where the agent finds its folders. In a pod, and in a sandbox, that is below /home."""

    home: PurePosixPath = PurePosixPath("/home")
    agent: PurePosixPath = PurePosixPath("/home/agent")

    @property
    def data(self) -> PurePosixPath:
        return self.home / "data"

    @property
    def submission(self) -> PurePosixPath:
        return self.home / "submission"

    @property
    def code(self) -> PurePosixPath:
        return self.home / "code"

    @property
    def logs(self) -> PurePosixPath:
        return self.home / "logs"

    @property
    def instructions(self) -> PurePosixPath:
        return self.home / "instructions.txt"


def agent_environment(
    paths: AgentPaths, *, competition: str, seed: int, budget_seconds: float, hardware: str, validation_url: str
) -> dict[str, str]:
    """What an agent reads about its run."""
    return {
        "COMPETITION_ID": competition,
        "SEED": str(seed),
        "TIME_LIMIT_SECS": str(int(budget_seconds)),
        "HARDWARE": hardware,
        "VALIDATION_URL": validation_url,
        "DATA_DIR": str(paths.data),
        "SUBMISSION_DIR": str(paths.submission),
        "CODE_DIR": str(paths.code),
        "LOGS_DIR": str(paths.logs),
        "AGENT_DIR": str(paths.agent),
        "HOME": str(paths.home),
    }
