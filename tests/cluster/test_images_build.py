"""The project's own Dockerfiles, built by buildah on Debian's packages and run on the true node.

What differs from `make images` is where the base and the wheels come from: a registry of one image, and a folder.
"""

import json
import os
import shutil
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from images import archive, bases
from images.errors import ImagesError
from images.facts import CHECKOUT, LABELS
from images.making import Made
from tests.cluster import crd, demo
from tests.cluster.images import offline, shipped
from tests.cluster.images.made import Images
from tests.cluster.images.shipped import Workshop
from tests.cluster.installation import install
from tests.cluster.rig import pods
from tests.cluster.rig.handle import ControlPlane
from tests.cluster.rig.pods import restricted_pod
from tests.cluster.rig.store import RUNS, ClusterStore

pytestmark = pytest.mark.timeout(1200)  # the first time, everything is installed

# As the reference's folders are: plain mkdir, pip by conda, and nothing that makes /home anybody's.
REFERENCE = """\
FROM mlebench-env
ARG SUBMISSION_DIR
ENV SUBMISSION_DIR=${SUBMISSION_DIR}
ARG LOGS_DIR
ENV LOGS_DIR=${LOGS_DIR}
ARG CODE_DIR
ENV CODE_DIR=${CODE_DIR}
ARG AGENT_DIR
ENV AGENT_DIR=${AGENT_DIR}
RUN mkdir ${LOGS_DIR} ${CODE_DIR} ${AGENT_DIR}
RUN conda run -n agent pip --version > ${AGENT_DIR}/pip-version
COPY start.sh ${AGENT_DIR}/start.sh
"""
UNCHECKED_HASH = b"\x01\0\0\0"  # PEP 552: by the source's hash, and believed
CONTRACT = """\
set -euo pipefail
echo user $(id -un) $(id -u) in $(pwd)
for tool in curl git wget unzip zip 7z envsubst tmux vim nano gcc ffmpeg sudo timeout; do
    command -v $tool > /dev/null || echo no $tool
done
for folder in /home /home/agent /home/submission $HOME $CODE_DIR $LOGS_DIR; do
    touch $folder/mine || echo not mine $folder
done
sed -i s/conda/venv/ $AGENT_DIR/start.sh
ls /private 2> /dev/null && echo private
conda run -n agent python -c 'import sys, numpy, pandas, sklearn, PIL; print("run", sys.prefix, sys.version_info[:2])'
eval "$(conda shell.bash hook)"
conda activate agent
python -c 'import sys; print("activated", sys.prefix)'
bash -c '. /opt/conda/bin/activate agent && echo sourced $VIRTUAL_ENV'
bash /home/validate_submission.sh || echo refused $?
VALIDATION_URL=http://127.0.0.1:1 bash /home/validate_submission.sh /home/agent/start.sh || echo unanswered $?
"""


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    with shipped.workshop() as ready:
        yield ready


@pytest.fixture(scope="module")
def orchestrator(workshop: Workshop, node: str) -> Iterator[Made]:
    made = workshop.make("orchestrator")
    with shipped.loaded([made]):
        yield made


@pytest.fixture(scope="module")
def agent_base(workshop: Workshop) -> None:
    workshop.have_agent_base()


@pytest.fixture(scope="module")
def dummy(workshop: Workshop, agent_base: None, node: str) -> Iterator[Made]:
    made = workshop.make("agent-dummy")
    with shipped.loaded([made]):
        yield made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An agent's folder as the reference has them."""
    folder = tmp_path_factory.mktemp("folders") / "strange"
    folder.mkdir()
    (folder / "Dockerfile").write_text(REFERENCE)
    (folder / "start.sh").write_text("conda run -n agent python -V\n")
    return folder


def parts_of(image: Made) -> dict[str, str]:
    """Versions by package URL without its version."""
    components = json.loads(image.bill.read_text())["components"]
    return {part["purl"].partition("@")[0]: part["version"] for part in components}


def test_the_bases_digest_is_asked_of_the_registry_and_written_down(workshop: Workshop) -> None:
    assert workshop.order.base == bases.pinned("python", workshop.lock)
    assert workshop.order.base.endswith(f"@{offline.base().manifest.digest}")


def test_labels_tell_what_each_image_is(orchestrator: Made, dummy: Made) -> None:
    version = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["version"]
    titles = []
    for image in (orchestrator, dummy):
        with archive.opened(image.archive) as opened:
            labels = {
                name.removeprefix(f"{LABELS}."): value for name, value in opened.config["config"]["Labels"].items()
            }
        titles.append(labels["title"])
        assert labels["version"] == version
        assert labels["licenses"] == "Apache-2.0"
        assert labels["source"] == shipped.SOURCE
        assert labels["created"] == "2023-11-14T22:13:20Z"
        assert len(labels["revision"].partition("-")[0]) == 40
    assert titles == ["mlectl", "agent-dummy"]


def test_bills_list_debians_packages_and_pythons_at_the_pinned_versions(orchestrator: Made, dummy: Made) -> None:
    pins = dict(line.split("==") for line in offline.lines(CHECKOUT / "constraints.txt"))
    parts = parts_of(orchestrator)
    assert {parts["pkg:pypi/pandas"], parts["pkg:pypi/scikit-learn"]} == {pins["pandas"], pins["scikit-learn"]}
    assert {"pkg:pypi/mlectl", "pkg:deb/debian/libc6", "pkg:deb/debian/python3.11"} <= set(parts)
    assert "pkg:pypi/pytest" not in parts

    parts = parts_of(dummy)
    assert {"pkg:pypi/scikit-learn", "pkg:deb/debian/curl", "pkg:deb/debian/libc6"} <= set(parts)
    assert "pkg:pypi/mlectl" not in parts


def test_what_is_compiled_holds_no_date(orchestrator: Made) -> None:
    """Else Python would compile it again at every start, because a layer gives its source another date."""
    with archive.opened(orchestrator.archive) as opened:
        compiled = opened.files(lambda path: path.startswith("opt/mlectl/") and path.endswith(".pyc"))
    assert len(compiled) > 1000
    assert {data[4:8] for data in compiled.values()} == {UNCHECKED_HASH}


def test_mlectl_runs_as_nobody_in_particular_on_a_read_only_root(
    control_plane: ControlPlane, orchestrator: Made, restricted_namespace: str
) -> None:
    pod = restricted_pod(restricted_namespace, "mlectl", orchestrator.name, args=["--version"])
    container = pod["spec"]["containers"][0]
    del container["command"]  # what the image says, then
    for field in ("runAsUser", "runAsGroup"):
        del pod["spec"]["securityContext"][field]

    ended = pods.run(control_plane, pod)

    assert ended.exit_code == 0, ended.log
    assert ended.log.startswith("mlectl")


def test_an_agents_folder_of_the_reference_finds_what_it_expects(
    control_plane: ControlPlane,
    node: str,
    workshop: Workshop,
    agent_base: None,
    folder: Path,
    restricted_namespace: str,
) -> None:
    made = workshop.make_agent(folder)
    security = {**pods.CONTAINER_SECURITY, "readOnlyRootFilesystem": False}  # as agents' pods have it
    pod = restricted_pod(
        restricted_namespace,
        "strange",
        made.name,
        *("bash", "-c", CONTRACT),
        securityContext=security,
        env=[{"name": "HOME", "value": "/home"}],
    )

    with shipped.loaded([made]):
        ended = pods.run(control_plane, pod)

    said = ended.log.splitlines()
    assert ended.exit_code == 0, ended.log
    assert [line for line in said if not line.startswith(("validate_submission:", "curl:"))] == [
        "user nonroot 1000 in /home",
        "run /opt/conda/envs/agent (3, 11)",
        "activated /opt/conda/envs/agent",
        "sourced /opt/conda/envs/agent",
        "refused 1",
        "unanswered 1",
    ]


def test_an_image_with_a_secret_is_refused(workshop: Workshop, agent_base: None, folder: Path) -> None:
    careless = folder.with_name("careless")
    shutil.copytree(folder, careless)
    (careless / "Dockerfile").write_text(f"{REFERENCE}COPY .netrc /root/.netrc\nRUN rm /root/.netrc\n")
    (careless / ".netrc").write_text(f"machine code.example password {shipped.PLANTED}\n")

    with pytest.raises(ImagesError, match=r"/root/\.netrc in layer .*the value of PLANTED_TOKEN in /root/\.netrc"):
        workshop.make_agent(careless)

    assert not (workshop.output / "agent-careless.tar").exists()


def test_an_experiment_runs_on_these_images_alone(
    control_plane: ControlPlane,
    store: ClusterStore,
    orchestrator: Made,
    dummy: Made,
    kubectl: Callable[..., str],
) -> None:
    """The chart's controller, validation service and canary, prepare, stage, courier and grade; and the agent asks."""
    ours = Images(orchestrator=orchestrator.name, dummy=dummy.name, baseline=dummy.name)
    script = "bash /home/agent/start.sh && /home/validate_submission.sh /home/submission/submission.csv"
    agent = {"name": "dummy", "image": dummy.name, "command": ["bash", "-c", script]}
    body = demo.spec(ours, "", agent=agent, seeds=1, competitions={"ids": ["demo-wine"]})
    crd.install(control_plane)
    with install(control_plane, store, ours) as installed:
        control_plane.apply(demo.experiment(installed.agents, "shipped", body))
        place = f"--namespace={installed.agents}"
        kubectl("wait", "exp/shipped", place, "--for=condition=Complete", "--timeout=300s")
        experiment = control_plane.get("exp", "shipped", place)
    (row,) = experiment["status"]["results"]
    client = store.client(store.controller)
    prefix = f"experiments/{installed.agents}/shipped-{experiment['metadata']['uid'][:8]}/runs/demo-wine/seed-0/"
    (log,) = [
        item.object_name
        for item in client.list_objects(RUNS, prefix, recursive=True)
        if item.object_name.endswith("agent.log")
    ]

    assert (row["state"], row["valid"]) == ("Graded", True)
    assert '"result": "Submission is valid."' in client.get_object(RUNS, log).read().decode()


def test_a_build_from_nothing_gives_the_same_image(workshop: Workshop, orchestrator: Made) -> None:
    """Every layer to the byte, because buildah dates files too; docker's differ in the dates of files."""
    touched = CHECKOUT / "LICENSE"
    os.utime(touched)  # a date on this disk is no part of it
    again = workshop.from_nothing().make("orchestrator")

    with archive.opened(orchestrator.archive) as first, archive.opened(again.archive) as second:
        assert first.manifest["layers"] == second.manifest["layers"]
        assert without_notes(first.config) == without_notes(second.config)


def without_notes(config: dict[str, Any]) -> dict[str, Any]:
    """Buildah notes which image of an earlier step, on that very machine, a step began from."""
    steps = [{name: value for name, value in step.items() if name != "comment"} for step in config["history"]]
    return {**config, "history": steps}
