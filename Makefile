# Two commands: `make demo` and `make test`. Everything else is a part of them.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
STAMPS := $(VENV)/.stamps

.PHONY: demo test lint types contracts unit soak bench clean help
.DEFAULT_GOAL := help

help:
	@echo "make demo   install Brain into $(VENV) and walk through a brain built from the sample"
	@echo "make test   install the test tools and run the whole suite"
	@echo "make soak   the long tests: every cut-off point, thousands of broken transcripts"
	@echo "make clean  remove $(VENV) and what the tools left"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Brain needs Python 3.11 or newer; nothing was installed. Try: make PYTHON=python3.11"; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(STAMPS)/brain: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/test: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[test]'
	@mkdir -p $(STAMPS) && touch $@ $(STAMPS)/brain

demo: $(STAMPS)/brain
	$(BIN)/brain demo

test: lint types contracts unit

lint: $(STAMPS)/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMPS)/test
	$(BIN)/mypy

contracts: $(STAMPS)/test
	$(BIN)/lint-imports

unit: $(STAMPS)/test
	$(BIN)/python -m pytest -n 2 -m "not slow" --cov --cov-report=term

soak: $(STAMPS)/test
	$(BIN)/python -m pytest -n 2 -m slow

bench: $(STAMPS)/brain
	$(BIN)/python -m brain.eval.bench index

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .coverage
