from datetime import timedelta
from pathlib import Path

import pytest

from catalog import ids
from orchestrator.api.load import load
from orchestrator.api.types import departures

SAMPLES = Path(__file__).resolve().parents[2] / "manifests" / "samples"


def sample(name):
    return load((SAMPLES / f"{name}.yaml").read_text(encoding="utf-8"), ids())


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_a_sample_is_sound(path):
    assert sample(path.stem).spec.seeds >= 1


def test_the_published_sample_writes_out_the_defaults():
    published = sample("published").spec
    assert departures(published) == []
    assert (published.competitions.split, published.seeds) == ("all", 3)


def test_the_smallest_sample_is_the_published_setting_too():
    assert departures(sample("smallest").spec) == []


def test_the_demo_needs_little_of_a_machine():
    demo = sample("demo").spec
    assert (demo.competitions.split, demo.network.mode, demo.resources.gpu.count) == ("demo", "none", 0)
    assert demo.budget.wall_clock <= timedelta(minutes=1)
