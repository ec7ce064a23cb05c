# Two commands do everything on a bare machine: `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
TESTED := $(VENV)/.tested

.PHONY: demo test lint types layers unit bench validate system clean

demo: $(STAMP)
	$(BIN)/evallang demo

test: lint types layers unit

lint: $(TESTED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(TESTED)
	$(BIN)/mypy -p evallang

layers: $(TESTED)
	$(BIN)/lint-imports

unit: $(TESTED)
	$(BIN)/python -m pytest -n auto

bench: $(TESTED)
	$(BIN)/python -m benchmarks

# The PDF needs Pango; without root, one line says what to install, and all else works.
system:
	@if ldconfig -p 2>/dev/null | grep -q libpangoft2-1.0; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq && apt-get install -y -qq --no-install-recommends \
	    libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 >/dev/null; \
	else \
	  echo "for PDF reports: apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"; \
	fi

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(STAMP): pyproject.toml | system $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	$(BIN)/python -m compileall -q evallang grammar templates
	@touch $@

$(TESTED): pyproject.toml | system $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[test]'
	@touch $@ $(STAMP)

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
