# make demo · make test · make test-ci · make check · make check-versions · make fuzz · make bench · make clean
# ARGS passes options on: make demo ARGS=--no-browser

VENV := .venv
BIN := $(VENV)/bin
# The first Python 3.11 or newer on the path.
PYTHON ?= $(firstword $(foreach p,python3 python3.14 python3.13 python3.12 python3.11,$(shell command -v $(p) >/dev/null 2>&1 && $(p) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $(p))))
ARGS ?=
# Without compiled files each process that a test starts compiles its modules anew.
unexport PYTHONDONTWRITEBYTECODE
# Python compiles a module when it is first imported; pip would compile all of them, and most are never imported.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt
# Each worker starts with an equal part of the tests, in their order, so that most modules start their servers once.
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --hypothesis-profile=$(PROFILE) $(if $(CI),--slowest) $(ARGS)
# The profile says how many examples Hypothesis draws (tests/examples.py).
PROFILE := $(if $(CI),ci,dev)
test-ci slowest: PROFILE := ci
test-all: PROFILE := night
# The slow tests often wait: for a browser, a server, a process. So a third worker has two processors to itself for a while.
WORKERS := 2
test-ci test-all: private WORKERS := 3
.DEFAULT_GOAL := help

.PHONY: help demo test test-ci test-all slowest fuzz check check-versions bench clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# Packages are installed again when pyproject.toml or constraints.txt is newer than the stamp.
$(VENV)/demo.stamp: pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "Reroll needs Python 3.11 or newer; found none. Name one: make PYTHON=/path/to/python3.12 ..."; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { echo "Could not make $(VENV); on Debian and Ubuntu: apt install python3-venv"; exit 2; }
	@echo "Setting up $(VENV): about a minute and 0.9 GB, the first time only ..."
	@$(INSTALL) -e '.[dashboard]'
	@touch $@

$(VENV)/dev.stamp: $(VENV)/demo.stamp
	@echo "Adding the tools of the tests ..."
	@$(INSTALL) -e '.[dev]'
	@touch $@

demo: $(VENV)/demo.stamp  ## simulate a small library of all games and open the dashboard
	@$(BIN)/reroll demo $(ARGS)

# Each test is in one tier (tests/tiers.py). A command runs the tiers before its own first, so that no test runs twice.
test: $(VENV)/dev.stamp  ## run the quick tests: the ones that you need while you work
	@$(PYTEST) -m quick

test-ci: test  ## run the quick tests, then the slow ones: browsers, servers, processes, long runs
	@$(PYTEST) -m "slow and not night"

test-all: test-ci  ## run all tests, also those that take half an hour
	@$(PYTEST) -m night

slowest: $(VENV)/dev.stamp  ## run the tests of CI; list those in the wrong tier and the seconds of each folder
	@$(PYTEST) --slowest -m "not night"

fuzz: $(VENV)/dev.stamp  ## fuzz all readers of untrusted texts, three minutes each (one: ARGS="log --seconds 600")
	@$(BIN)/python tests/faults/fuzz.py $(or $(ARGS),all --seconds 180)

check: $(VENV)/dev.stamp  ## lint, check types and the imports between packages
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/oxlint --deny-warnings pipelines dashboard

check-versions: $(VENV)/dev.stamp  ## run tests with the lowest and the highest versions of all packages, on each Python from 3.11 to 3.14
	@$(BIN)/python -P tests/check_versions.py $(ARGS)

bench: $(VENV)/dev.stamp  ## measure speed
	@$(BIN)/reroll bench $(ARGS)

clean:  ## remove the environment and caches, never the runs
	@rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache dist build *.egg-info
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
