# `make demo` runs a whole experiment on this machine; `make test` runs every test that needs neither root nor a cluster.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: venv demo test lint format bench bench-competitions docs clean

venv: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

demo: venv
	$(BIN)/mlectl run manifests/samples/demo.yaml

test: venv
	$(BIN)/pytest --numprocesses 2 --dist worksteal

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
	$(BIN)/python -m orchestrator.cli.reference

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
