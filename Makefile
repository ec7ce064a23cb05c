# Two commands do everything on a bare machine: `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
TESTED := $(VENV)/.tested
CODE   := $(VENV)/code-server-4.139.1
LOWEST := .venv-lowest
LOWEST_TESTS := tests/test_examples.py tests/conformance/test_metrics.py \
  tests/conformance/test_models.py tests/conformance/test_protocols.py tests/data \
  tests/editor/test_server.py tests/models/test_registered_packages.py \
  tests/reporting/test_html_report.py tests/reporting/test_pdf_report.py

.PHONY: demo test site site-serve look-site look look-word look-editors vscode browser tex office coverage test-lowest lint types layers unit docs bench fuzz validate validate-full system member clean

demo: $(STAMP)
	$(BIN)/evallang demo

# Types are checked beside the tests: mypy uses one core, and writes one line if all is well
test: lint layers
	@$(MAKE) --no-print-directory --jobs=2 types unit

lint: $(TESTED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(TESTED)
	$(BIN)/mypy

layers: $(TESTED)
	$(BIN)/lint-imports

# Compiled first: the commands that tests start import the package, some where nothing is written
unit: $(TESTED)
	$(BIN)/python -m compileall -q evallang grammar templates
	$(BIN)/python -m pytest -n auto --dist worksteal

# Lines and branches of the package that tests run; one part: make coverage TESTS=tests/syntax
TESTS ?= tests
coverage: $(TESTED)
	$(BIN)/python -m pytest -n auto --dist worksteal --cov --cov-report=term:skip-covered $(TESTS)

# What a member of a registry lacks, and the tests about it: make member NAME=mcnemar
member: $(TESTED)
	@PYTHONPATH=tests:. $(BIN)/python tests/member.py $(NAME)

# The pages of 30 kinds of report, measured in the PDF, the HTML in a browser, the LaTeX in TeX
look: $(VENV)/.looked | browser tex
	$(BIN)/python -m pytest -n auto tests/look --ignore=tests/look/test_word.py

$(VENV)/.looked: pyproject.toml $(TESTED)
	$(call install_extra,look)
	@touch $@

browser:
	@if command -v chromium >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	  apt-get install -y -qq --no-install-recommends chromium >/dev/null; then :; \
	else echo "without Chromium the screens are not looked at: apt-get install chromium"; fi

# The same reports in Word's format, laid out by LibreOffice
look-word: $(TESTED) | office
	$(BIN)/python -m pytest -n auto tests/look/test_word.py

# Visual Studio Code in a browser: an error underlined, its fix applied, a run, its report
look-editors: $(VENV)/.looked $(CODE)/.installed vscode | browser
	CODE_SERVER=$(CODE) $(BIN)/python -m pytest tests/look_editors

# The extension of Visual Studio Code, which `code --install-extension` installs
vscode: editors/vscode/evallang.vsix

$(VENV)/.node: pyproject.toml $(STAMP)
	$(call install_extra,node)
	@touch $@

# Node from the Python index, in the version that code-server needs; no script of a package runs
NPM := PATH="$(CURDIR)/$(BIN):$$PATH" npm
NPM_OPTIONS := --ignore-scripts --no-audit --no-fund --loglevel=error

EXTENSION := $(addprefix editors/vscode/,extension.js package.json README.md icon.png \
  language-configuration.json snippets/evallang.json syntaxes/evallang.tmLanguage.json)
editors/vscode/evallang.vsix: $(EXTENSION) editors/vscode/node_modules/.installed
	cp LICENSE editors/vscode/
	cd editors/vscode && $(NPM) exec -- vsce package --allow-missing-repository --out evallang.vsix

editors/vscode/node_modules/.installed: editors/vscode/package-lock.json | $(VENV)/.node
	cd editors/vscode && $(NPM) ci $(NPM_OPTIONS)
	@touch $@

$(CODE)/.installed: | $(VENV)/.node
	$(NPM) install --prefix $(CODE) $(NPM_OPTIONS) $(notdir $(subst server-,server@,$(CODE)))
	cd $(CODE)/node_modules/code-server/lib/vscode && $(NPM) install --omit=dev $(NPM_OPTIONS)
	@touch $@

OFFICE := libreoffice-writer fonts-liberation
office:
	@if command -v soffice >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	  apt-get install -y -qq --no-install-recommends $(OFFICE) >/dev/null; then :; \
	else echo "without LibreOffice report.docx is not looked at: apt-get install $(OFFICE)"; fi

TEX := texlive-latex-base texlive-latex-recommended texlive-fonts-recommended texlive-publishers \
  texlive-xetex lmodern fonts-noto-cjk
tex:
	@if command -v pdflatex >/dev/null && command -v xelatex >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	  apt-get install -y -qq --no-install-recommends $(TEX) >/dev/null; then :; \
	else echo "without TeX the LaTeX files are not compiled: apt-get install $(TEX)"; fi

# All examples and a fast part of the tests with the lowest versions that pyproject.toml declares
test-lowest: $(LOWEST)/.tested
	PYTHONWARNINGS=default $(LOWEST)/bin/python -m pytest -n auto -m 'not slow' $(LOWEST_TESTS)

# The reference pages, from the registries; a test compares them with what this writes. The pictures
# of metrics and analyses are drawn where their example has changed: all of them by PICTURES=--all
docs: $(TESTED)
	$(BIN)/python -m docs.generator.pictures $(PICTURES)
	$(BIN)/python -m docs.generator.gallery
	$(BIN)/python -m docs.generator

# The site, in build/site: files that open from disk, and from any host under any path
site: $(VENV)/.sited build/reports/.made build/playground/checker.zip
	@rm -rf build/site build/doctrees
	$(BIN)/sphinx-build -q -W --keep-going -j 2 -d build/doctrees docs build/site
	cp -r build/playground/. build/site/playground/

PORT ?= 8000
site-serve: site
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory build/site $(PORT)

# Every page of the site in Chromium, at three widths, light and dark; every link inside it
look-site: site $(VENV)/.looked | browser
	$(BIN)/python -m pytest -n auto tests/look_site

$(VENV)/.sited: pyproject.toml $(TESTED)
	$(call install_extra,site)
	@touch $@

# The reports that the gallery shows, made again after a change of what makes them
build/reports/.made: $(VENV)/.sited docs/reports.md docs/generator/reports.py \
  $(shell find evallang examples templates -name '*.py' -o -name '*.eval' -o -name '*.j2' -o -name '*.css' -o -name '*.toml') | browser
	$(BIN)/python -m docs.generator.reports
	@touch $@

# What the playground loads: Pyodide, and the checker compiled by it
build/playground/checker.zip: build/pyodide/.installed $(wildcard docs/playground/*.* docs/playground/wrong/*) \
  $(shell find evallang grammar examples templates -name '*.py' -o -name '*.eval' -o -name '*.lark' -o -name '*.toml')
	$(BIN)/python -m docs.playground.build build/pyodide/node_modules build/playground

build/pyodide/.installed: docs/playground/package-lock.json | $(VENV)/.node
	@mkdir -p build/pyodide && cp docs/playground/package*.json build/pyodide
	cd build/pyodide && $(NPM) ci $(NPM_OPTIONS)
	@touch $@

# Figures beside other packages, written to benchmarks/RESULTS.md, in under 28 minutes;
# BENCH="NAME ..." runs some of them
bench: $(TESTED)
	$(BIN)/python -m benchmarks $(BENCH)

# 100,000 inputs that nobody means: no traceback, no more than 1 GB.
fuzz: $(TESTED)
	cd tests && ../$(BIN)/python -m fuzzing

# What tests and intervals keep of what they promise, by simulation: a tenth, under an hour
validate: $(TESTED)
	$(BIN)/python -m benchmarks.validation --share 0.1

# The whole, which writes the page: hours; a run that was stopped goes on where it was. Those whose
# name has a word in minutes: make validate-full ONLY=mcnemar
validate-full: $(TESTED)
	$(BIN)/python -m benchmarks.validation --only "$(ONLY)" \
	  --record benchmarks/validation/measured.json --write docs/validation.md

# The PDF needs Pango, and HarfBuzz's subsetter for the same bytes from run to run; where they
# cannot be installed, one line says so, and all else works.
PANGO := libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0
system:
	@if PATH="$$PATH:/sbin:/usr/sbin" ldconfig -p 2>/dev/null | \
	  awk '/libpangoft2-1[.]0/ {p = 1} /libharfbuzz-subset/ {h = 1} END {exit !(p && h)}'; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	  apt-get install -y -qq --no-install-recommends $(PANGO) >/dev/null; then :; \
	elif [ "$$(uname)" = Darwin ]; then echo "for PDF reports: brew install pango"; \
	else echo "for PDF reports: apt-get install $(PANGO)"; fi

# Debian keeps what `python3 -m venv` needs in a package of its own; a folder without pip is
# what a failed attempt leaves, so pip is the target and the folder is made anew.
$(BIN)/pip:
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	    apt-get install -y -qq --no-install-recommends python3-venv >/dev/null; } || \
	  { echo "$(PYTHON) cannot make an environment: apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)

$(STAMP): pyproject.toml | system $(BIN)/pip
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	$(BIN)/python -m compileall -q evallang grammar templates
	@touch $@

# uv finds versions that fit together in a minute, for which pip takes several. It reads no pip.conf:
# where an index is named there only, pip finds them.
install_extra = $(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python -e '.[$(1)]' || \
  $(BIN)/pip install --quiet --disable-pip-version-check -e '.[$(1)]'

$(TESTED): pyproject.toml | system $(BIN)/pip
	$(BIN)/pip install --quiet --disable-pip-version-check 'uv>=0.9'
	$(call install_extra,test)
	@touch $@ $(STAMP)

$(LOWEST)/.tested: pyproject.toml tests/lowest.py $(TESTED)
	$(PYTHON) -m venv --clear $(LOWEST)
	$(BIN)/python tests/lowest.py >$(LOWEST)/constraints.txt
	$(BIN)/uv pip install --quiet --python $(LOWEST)/bin/python \
	  --constraint $(LOWEST)/constraints.txt -e '.[unit]'
	@touch $@

clean:
	rm -rf $(VENV) $(LOWEST) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
