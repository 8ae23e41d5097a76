"""manifests/install is what the chart renders, and nothing that somebody wrote beside it."""

from __future__ import annotations

import yaml

from helm import manifests
from helm.manifests import FOLDER, VALUES, rendered
from tests.chart.rendering import HELM, needs_helm


@needs_helm
def test_the_files_have_not_drifted():
    wanted = rendered(str(HELM))
    found = {path.name: path.read_text() for path in FOLDER.iterdir() if path.name != VALUES}
    assert sorted(found) == sorted(wanted)
    for name in wanted:
        assert found[name] == wanted[name], f"run: make manifests HELM={HELM}"


def test_the_kustomization_lists_them_all():
    listed = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())["resources"]
    assert sorted([*listed, "kustomization.yaml", VALUES]) == sorted(
        ["../crd", *(path.name for path in FOLDER.iterdir())]
    )


def test_they_promise_nothing_that_only_helm_would_keep():
    assert not [path.name for path in FOLDER.glob("*.yaml") if "helm.sh/" in path.read_text()]


def test_no_secret_is_among_them():
    kinds = {
        one["kind"]
        for path in FOLDER.glob("*.yaml")
        if path.name != VALUES
        for one in yaml.safe_load_all(path.read_text())
    }
    assert "Secret" not in kinds
    assert "Deployment" in kinds


def test_where_helm_is_not_it_is_said():
    assert manifests.main("no-such-helm") == (
        "There is no program no-such-helm: install Helm, or say where it is: make manifests HELM=path"
    )


@needs_helm
def test_a_value_that_the_chart_refuses_is_told_in_its_words_and_nothing_is_written(tmp_path, monkeypatch):
    (tmp_path / VALUES).write_text("controler: {}\n")
    monkeypatch.setattr(manifests, "FOLDER", tmp_path)
    assert "controler" in manifests.main(str(HELM))
    assert [path.name for path in tmp_path.iterdir()] == [VALUES]
