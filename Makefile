# Every target works on a fresh clone: the first one makes .venv and installs what it needs.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
VALIDATION := .venv/.ready-validation
REFERENCE := lightea lightea.exchange lightea.explanation lightea.synthetic lightea.errors

.PHONY: demo browser test test-slow check bench bench-scale paper docs clean help

help: ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "error: Python 3.11 or newer is needed; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

$(VALIDATION): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,validation]'
	@touch $@

demo: $(READY) ## align a small made-up pair of graphs and show the result
	$(BIN)/lightea demo

browser: ## install chromium for the tests of the report, on Debian and as root; without it they are skipped
	@if command -v chromium >/dev/null || command -v chromium-browser >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; \
	else echo "error: there is no chromium here, and only root on Debian can install it: apt-get install chromium"; exit 1; fi

test: $(READY) ## the default tests; those on benchmark data need LIGHTEA_DATA, those of the report `make browser`
	$(BIN)/pytest -rs -n auto

test-slow: $(VALIDATION) ## the tests that take long; the first time installs the validator of SSSOM
	$(BIN)/pytest -m slow -rs

check: $(READY) ## format, lint and types
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/mypy

bench: $(READY) ## measure speed and quality on the folders of LIGHTEA_DATA, and put the tables into README.md
	$(BIN)/python -m benchmarks.run
	$(BIN)/python -m benchmarks.names
	$(BIN)/python -m benchmarks.reading
	$(BIN)/python -m benchmarks.roofline
	$(BIN)/python -m benchmarks.tables

bench-scale: $(READY) ## measure cost by size, up to three million entities, and put the table into docs/scale.md
	$(BIN)/python -m benchmarks.scale

paper: $(READY) ## run the paper's experiments on the folders of LIGHTEA_DATA, what was run before excepted
	$(BIN)/python -m benchmarks.paper all

docs: $(READY) ## build the reference of the Python interface into docs/api, and run README.md and docs as written
	$(BIN)/pdoc --output-directory docs/api $(REFERENCE)
	$(BIN)/pytest tests/test_readme.py tests/test_guides.py tests/test_docs_inputs.py

clean: ## remove what the targets made
	rm -rf .venv docs/api lightea-demo build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
