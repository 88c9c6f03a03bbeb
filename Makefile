# Every target works on a fresh clone: the first one makes .venv and installs what it needs.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo test test-slow check bench paper docs clean help

help: ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "error: Python 3.11 or newer is needed; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

demo: $(READY) ## align a small made-up pair of graphs and show the result
	$(BIN)/lightea demo

test: $(READY) ## the default tests; those on benchmark data need LIGHTEA_DATA
	$(BIN)/pytest -rs

test-slow: $(READY) ## the tests that take long
	$(BIN)/pytest -m slow

check: $(READY) ## format, lint and types
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/mypy

bench: $(READY) ## measure speed and quality on the folders of LIGHTEA_DATA, and put the tables into README.md
	$(BIN)/python -m benchmarks.run
	$(BIN)/python -m benchmarks.reading
	$(BIN)/python -m benchmarks.roofline
	$(BIN)/python -m benchmarks.tables

paper: $(READY) ## run the paper's experiments on the folders of LIGHTEA_DATA, what was run before excepted
	$(BIN)/python -m benchmarks.paper all

docs: $(READY) ## run the commands of README.md as written; the pages are plain Markdown, so nothing is built
	$(BIN)/pytest tests/test_readme.py

clean: ## remove what the targets made
	rm -rf .venv lightea-demo build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
