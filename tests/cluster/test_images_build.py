"""The project's own Dockerfiles, built by buildah on Debian's packages and run on the true node.

What differs from `make images` is where the base and the wheels come from: a registry of one image, and a folder.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from images import bases
from tests.cluster.images import offline, shipped
from tests.cluster.images.shipped import Workshop
from tests.cluster.rig import pods
from tests.cluster.rig.handle import ControlPlane
from tests.cluster.rig.pods import restricted_pod

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
def agent_base(workshop: Workshop) -> None:
    workshop.have_agent_base()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An agent's folder as the reference has them."""
    folder = tmp_path_factory.mktemp("folders") / "strange"
    folder.mkdir()
    (folder / "Dockerfile").write_text(REFERENCE)
    (folder / "start.sh").write_text("conda run -n agent python -V\n")
    return folder


def test_the_bases_digest_is_asked_of_the_registry_and_written_down(workshop: Workshop) -> None:
    assert workshop.order.base == bases.pinned("python", workshop.lock)
    assert workshop.order.base.endswith(f"@{offline.base().manifest.digest}")


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
