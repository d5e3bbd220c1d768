# make demo · make test · make check · make fuzz · make bench · make clean
# ARGS passes options on: make demo ARGS=--no-browser

VENV := .venv
BIN := $(VENV)/bin
# The first Python 3.11 or newer on the path.
PYTHON ?= $(firstword $(foreach p,python3 python3.14 python3.13 python3.12 python3.11,$(shell command -v $(p) >/dev/null 2>&1 && $(p) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $(p))))
ARGS ?=
# Slow tests run in CI and with test-all; tests marked "night" take half an hour and run with test-all only.
QUICK := -m "$(if $(CI),not night,not slow and not night)"
# Each of the two workers starts with one half of the tests, in their order, so that most modules start their servers once.
XDIST := -n 2 --dist worksteal
.DEFAULT_GOAL := help

.PHONY: help demo test test-all fuzz check bench clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# Packages are installed again when pyproject.toml or constraints.txt is newer than the stamp.
$(VENV)/demo.stamp: pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "Reroll needs Python 3.11 or newer; found none. Name one: make PYTHON=/path/to/python3.12 ..."; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { echo "Could not make $(VENV); on Debian and Ubuntu: apt install python3-venv"; exit 2; }
	@echo "Setting up $(VENV) (first time only) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dashboard]'
	@touch $@

$(VENV)/dev.stamp: $(VENV)/demo.stamp
	@echo "Adding the tools of the tests ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

demo: $(VENV)/demo.stamp  ## simulate a small library of all games and open the dashboard
	@$(BIN)/reroll demo $(ARGS)

test: $(VENV)/dev.stamp  ## run the tests (in CI also the slow ones)
	@$(BIN)/python -m pytest $(XDIST) $(QUICK) $(ARGS)

test-all: $(VENV)/dev.stamp  ## run all tests, also those that take half an hour
	@$(BIN)/python -m pytest $(XDIST) $(ARGS)

fuzz: $(VENV)/dev.stamp  ## fuzz all readers of untrusted texts, three minutes each (one: ARGS="log --seconds 600")
	@$(BIN)/python tests/faults/fuzz.py $(or $(ARGS),all --seconds 180)

check: $(VENV)/dev.stamp  ## lint, check types and the imports between packages
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/oxlint --deny-warnings pipelines dashboard

bench: $(VENV)/dev.stamp  ## measure speed
	@$(BIN)/reroll bench $(ARGS)

clean:  ## remove the environment and caches, never the runs
	@rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache dist build *.egg-info
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
