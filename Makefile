# `make demo` runs a whole experiment on this machine; `make test` runs every test that needs neither root nor a cluster;
# `make test-cluster` brings up a real Kubernetes and runs the tests that need one (tests/cluster/README.md).
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: venv demo test test-cluster test-images first-hour chaos night cluster-build cluster-up cluster-down lint format bench bench-competitions docs manifests site images clean

venv: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

demo: venv
	$(BIN)/mlectl run manifests/samples/demo.yaml

test: venv
	$(BIN)/pytest --numprocesses 2 --dist worksteal

# As root on Debian: packages by apt-get, programs from source (once), images from the checkout.
cluster-build: venv
	$(BIN)/python -m tests.cluster.rig install
	$(BIN)/python -m tests.cluster.rig build
	$(BIN)/python -m tests.cluster.images

# UP='--fake-nodes 250' asks for something else: see python -m tests.cluster.rig --help.
UP ?= --fake-nodes 20 --node --gpus 1
cluster-up: cluster-build
	$(BIN)/python -m tests.cluster.rig up $(UP)

cluster-down: venv
	$(BIN)/python -m tests.cluster.rig down --purge

# These tests mostly wait, so two at a time; the order of files is kept, because the longest have the fewest tests. The
# last ones stop what all the others need, or measure seconds.
test-cluster: cluster-build
	$(BIN)/pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder tests/cluster tests/chart tests/dashboards \
	    --ignore tests/cluster/test_first_hour.py --ignore tests/cluster/test_images_build.py \
	    --ignore tests/cluster/test_policies_outage.py --ignore tests/cluster/test_lease.py
	$(BIN)/pytest tests/cluster/test_policies_outage.py tests/cluster/test_lease.py

# The images that are shipped, from their Dockerfiles by buildah, and what they do in containerd.
test-images: cluster-build
	$(BIN)/pytest tests/cluster/test_images_build.py

# An operator's first hour, from an empty machine to a report in a browser: the times of all steps, and the report.
first-hour: cluster-build
	MLECTL_FIRST_HOUR=first-hour $(BIN)/pytest -s -rs --quiet tests/cluster/test_first_hour.py

# By night: SEEDS of them, from FIRST on. Each says what it did, so that a seed that fails can be tried again alone.
SEEDS ?= 20
FIRST ?= 1
chaos: cluster-build
	MLECTL_CHAOS_SEEDS=$(SEEDS) MLECTL_CHAOS_FIRST=$(FIRST) $(BIN)/pytest tests/cluster/test_chaos.py

# What takes too long for every change, and speed, which wants a machine to itself.
night: test-images chaos bench
	MLECTL_FUZZ=long $(BIN)/pytest --numprocesses 2 --dist worksteal tests/graders/fuzz

lint: venv
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: venv
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: venv
	$(BIN)/python -m benchmarks

# ONLY=id,id measures these; WRITE=1 renews docs/benchmarks.md. Interrupted, it goes on where it was.
bench-competitions: venv
	$(BIN)/python -m benchmarks.competitions $(if $(ONLY),--only $(ONLY)) $(if $(WRITE),--write)

docs: venv
	$(BIN)/python -m catalog.pages
	$(BIN)/python -m orchestrator.api.generate
	cp manifests/crd/experimentruns.yaml helm/mlectl/files/
	$(BIN)/python -m orchestrator.cli.reference
	$(BIN)/python -m dashboards
	$(BIN)/python -m helm.page
	$(BIN)/python -m orchestrator.cli.reference_facts

# The chart as plain files, in manifests/install; HELM=path where helm is not on the path.
HELM ?= helm
manifests: venv
	$(BIN)/python -m helm.manifests $(HELM)

# The documentation as pages that need no server, in site/.
site: venv
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# With docker or buildah, into dist/images. LIGHT=1: the agent base without torch and the like; RELEASE=1: only what a
# stranger could build again; REGISTRY=registry.example/mlectl; more: python -m images --help.
images: venv
	$(BIN)/python -m images $(if $(RELEASE),--release) $(if $(LIGHT),--light) $(if $(REGISTRY),--registry $(REGISTRY))

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
