PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Compiling every installed file takes longer than compiling those that are used.
INSTALL := $(PIP) install --quiet --no-compile --constraint constraints.txt

# Used files stay compiled between commands, whatever the shell's setting: each test that starts a program would compile it again.
unexport PYTHONDONTWRITEBYTECODE

# Tests wait for servers and browsers, so more workers than a small machine has cores; those of one file share a worker and what they set up.
PYTEST := LONGREACH_THREADS=1 $(BIN)/python -m pytest --dist loadfile --no-loadscope-reorder

# Where `make wheel` puts its file.
DIST ?= dist

.PHONY: setup demo wheel test test-browser test-all fuzz lint bench docs clean

setup: $(VENV)/.ready

demo: setup
	$(BIN)/longreach demo -o demo --lora examples/train/smollm2-135m.lora.gguf

# A file that pip installs anywhere: pip install dist/longreach-*.whl
wheel:
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) wheel --quiet --no-deps --wheel-dir $(DIST) .
	@ls $(DIST)/longreach-*.whl

# In a fresh copy the first to collect compiles for all workers. Lint runs beside the tests and is silent unless it fails; then `make test` fails too.
test: $(VENV)/.ready-dev
	@$(MAKE) --no-print-directory lint > $(VENV)/lint.log 2>&1 & lint=$$!; \
	trap 'kill $$lint 2> /dev/null; echo "interrupted; make test runs all tests again" >&2; exit 130' INT TERM; \
	test -d tests/__pycache__ || $(BIN)/python -m pytest --collect-only > /dev/null 2>&1; \
	$(PYTEST) -n 4; tests=$$?; \
	wait $$lint || { cat $(VENV)/lint.log; echo "lint, types or import rules failed: see above, or run make lint"; exit 1; }; exit $$tests

# What `make test` skips where there is no Chromium.
test-browser: $(VENV)/.ready-dev
	$(PYTEST) -n 4 -m 'browser and not long'

# Two workers: simulations compute, the others wait for servers and engines.
test-all: lint
	@$(INSTALL) -e '.[ray]' vllm-router sglang-router
	LONGREACH_CASES=searching $(PYTEST) -m '' -n 2

fuzz: $(VENV)/.ready-dev
	@$(INSTALL) -e '.[fuzz]'
	$(BIN)/python -m tests.trust.fuzz all --seconds 140

lint: $(VENV)/.ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.ready-dev
	for name in contexts runner plan verbatim grounded page; do $(BIN)/python -m benchmarks.bench_$$name || exit 1; done

docs: $(VENV)/.ready-dev
	$(BIN)/python -m docs.reference.write
	$(BIN)/mkdocs build --strict

# Whatever prevents the set-up is one line, here or from install.py.
$(VENV)/.ready $(VENV)/.ready-dev: pyproject.toml constraints.txt install.py
	@command -v $(PYTHON) > /dev/null || { echo "Longreach needs Python 3.11 or newer, and $(PYTHON) is not found; install it, or run: make PYTHON=/path/to/python3 ..." >&2; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Longreach needs Python 3.11 or newer, and $(PYTHON) is %d.%d; run: make PYTHON=python3.12 ..." % sys.version_info[:2])'
	@$(PYTHON) install.py $(VENV) $(if $(filter %-dev,$@),dev,embedded)
	@touch $@ $(VENV)/.ready

clean:
	rm -rf $(VENV) demo site dist
