import textwrap

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.api.document import MAX_BYTES, MAX_VALUES
from orchestrator.api.load import SpecError, load
from tests.api.bad_specs import each_bad_spec

TEN_MISTAKES = """\
apiVersion: mlectl.dev/v1alpha1
kind: ExperimentRun
metadata: {name: Aide_Lite}
spec:
  competitions: {split: lite, ids: [spaceship-titanic]}
  seeds: three
  agent:
    name: aide
    comand: [bash]
  budget: {wallClock: 1 day}
  resources: {cpu: "36", memory: 440}
  parallelism: -1
  network: {mode: closed}
  snapshots: {every: 0s}
  suspend: maybe
"""


def mistakes(text, known=None):
    with pytest.raises(SpecError) as caught:
        load(text, known)
    return [str(mistake) for mistake in caught.value.mistakes]


def test_a_sound_file_is_loaded(as_yaml):
    run = load(as_yaml(seeds=5))
    assert (run.metadata.name, run.metadata.namespace, run.spec.seeds) == ("aide-lite", "default", 5)


def test_a_file_with_ten_mistakes_and_a_missing_key_lists_all_of_them():
    assert mistakes(TEN_MISTAKES) == [
        "line 3: metadata.name: write a name of at most 63 small letters, digits and dashes, such as aide-lite, "
        "not 'Aide_Lite'",
        "line 5: spec.competitions: name either a split or ids, for instance {split: lite} "
        "or {ids: [spaceship-titanic]}",
        "line 6: spec.seeds: write a whole number, not 'three'",
        "line 7: spec.agent.image: missing; write it, for instance image: registry.example/aide:1.2",
        "line 9: spec.agent.comand: not a known key here; did you mean command?",
        "line 10: spec.budget.wallClock: write a duration such as 24h, 90m or 30s, not '1 day'",
        "line 11: spec.resources.memory: write an amount with its unit, such as 440Gi or 512Mi, not 440",
        "line 12: spec.parallelism: write a number of at least 0, not -1",
        "line 13: spec.network.mode: write open, restricted or none, not 'closed'",
        "line 14: spec.snapshots.every: write a duration longer than zero, such as 24h, 90m or 30s, not '0s'",
        "line 15: spec.suspend: write true or false, not 'maybe'",
    ]


@each_bad_spec
def test_a_mistake_names_its_path_and_what_to_write(as_yaml, bad):
    (found,) = mistakes(as_yaml(**bad.spec))
    assert found.endswith(f": {bad.path}: {bad.sentence}")


@pytest.mark.parametrize(
    "text, want",
    [
        ("", "the file holds nothing; write one ExperimentRun in a file"),
        ("a: 1\n---\nb: 2\n", "the file holds 2 documents; write one ExperimentRun in a file"),
        ("- 1", "line 1: write an ExperimentRun: a mapping with apiVersion, kind, metadata and spec"),
        ("a: [1", "line 1: not YAML: expected ',' or ']', but got '<stream end>'"),
        ("a: 1\nb: *missing", "line 2: not YAML: found undefined alias 'missing'"),
        ("a: !!python/object/apply:os.system [ls]", "line 1: not YAML: could not determine a constructor"),
        ("when: 2024-99-99", "not YAML: month must be in 1..12"),
        ("a: \x00", "not YAML:"),
        ("x: " + "[" * 1000, "nested deeper than 50 levels"),
        ("a: &a {b: *a}", "nested deeper than 50 levels"),
        ("x" * (MAX_BYTES + 1), "the file is larger than 256 KiB"),
        ("x: [" + "1," * MAX_VALUES + "]", f"more than {MAX_VALUES} values"),
    ],
    ids=range(12),
)
def test_what_is_not_one_sound_document_is_refused_in_a_sentence(text, want):
    (found,) = mistakes(text)
    assert want in found


def test_aliases_that_multiply_are_refused_before_they_fill_the_memory():
    lines = ["a0: &a0 [1, 1]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10))]
    (found,) = mistakes("\n".join(lines))
    assert f"more than {MAX_VALUES} values" in found


def test_an_alias_may_be_used(written):
    text = textwrap.dedent("""\
        apiVersion: mlectl.dev/v1alpha1
        kind: ExperimentRun
        metadata: {name: &name aide}
        spec:
          competitions: {split: lite}
          agent: {name: *name, image: b}
        """)
    assert load(text).spec.agent.name == "aide"


def test_a_key_that_is_written_twice_is_refused_wherever_it_stands(as_yaml):
    text = as_yaml() + "  agent: {name: other, image: x, image: y}\n"
    found = mistakes(text)
    assert [line.partition(": ")[2] for line in found] == [
        "spec.agent: written twice, on lines 8 and 11; keep one of them",
        "spec.agent.image: written twice, on lines 11 and 11; keep one of them",
    ]


def test_a_file_has_to_say_what_it_is(written):
    mapping = written()
    del mapping["kind"]
    mapping["apiVersion"] = "v1"
    found = [line.partition(": ")[2] for line in mistakes(yaml.safe_dump(mapping))]
    assert found == ["apiVersion: write mlectl.dev/v1alpha1, not 'v1'", "kind: missing; write kind: ExperimentRun"]


def test_metadata_may_hold_what_kubernetes_puts_there_and_nothing_mistyped(written):
    mapping = written()
    mapping["metadata"] |= {"managedFields": [], "resourceVersion": "7", "lables": {}}
    (found,) = mistakes(yaml.safe_dump(mapping))
    assert "metadata.lables: not a known key; did you mean labels?" in found


def test_an_unknown_competition_gets_its_nearest_name(as_yaml):
    text = as_yaml(competitions={"exclude": ["qqqqqq"], "ids": ["spaceship-titanc"]})
    found = [line.partition(": ")[2] for line in mistakes(text, known=["spaceship-titanic", "AI4Code"])]
    assert found == [
        "spec.competitions.exclude[0]: no competition 'qqqqqq'; `mlectl competitions` lists them",
        "spec.competitions.ids[0]: no competition 'spaceship-titanc'; did you mean spaceship-titanic?",
    ]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(["spec", "metadata", "name", "agent", "competitions", "env", "ids", "budget", "x"]),
                inner,
            )
        ),
        max_leaves=20,
    )
)
def test_whatever_a_file_holds_the_answer_is_a_list_of_mistakes(values):
    text = yaml.safe_dump({"apiVersion": "mlectl.dev/v1alpha1", "kind": "ExperimentRun", "spec": values})
    assert all(": " in line for line in mistakes(text))
