"""Recipes for what is committed but not written by hand: models, tables, parts of deploy/.

====================  ======================  ================================================
recipe                run by                  writes
====================  ======================  ================================================
``models``            make models             en.tokalign, en-research.tokalign, en-rte2.tokalign
``rebuilt``           make test-models        what differs from the models that ship, printed
``neural``            make models-neural      en-neural.tokalign, encoder-en.table.xz, those
                                              of the other neural models
``annotators``        make table-annotators   tagger-en.table.xz, parser-en.table.xz
``vectors``           make table-vectors      vectors.table.xz
``wordnet``           make table-wordnet      wordnet.table.xz
``wordpieces``        make table-wordpieces   wordpieces.table.xz
``document_counts``   make table-counts       counts.table.xz
``question_weights``  make table-answers      question-weights.tsv
``relations``         make table-relations    relations.table.xz, relations-research.table.xz
``conflicts``         make table-conflicts    conflicts.table.xz
``edits``             make table-edits        edits.table.xz
``gates``             make table-gates        gates.table.xz, gates-open.table.xz
``support``           make table-support      support.table.xz
``refit``             make table-second-pass  second-pass.table.xz, and the neural models with
                                              its weights
``open_choice``       make table-open-choice  en-neural-open.tokalign with its choice of a style
``grafana``           make api                deploy/grafana.json
``unrelated``         make build/unrelated    pairs without links, for training; not shipped
``related``                                   figures of relations, printed
``headers``                                   measured figures, into the headers of models
====================  ======================  ================================================

The other modules are parts of these. ``python -m lab.recipes.NAME --help``, from the root of the
sources, says what a recipe reads.

Recipes use the library and one another. Users train their own models by
`tokalign.model.training.train`, and compile the paraphrases that they have by
`tokalign.english.lexicon.lexical_resources`. The compiled loops of the annotators'
training (`lab.recipes.annotators.training`) take the features of tagging and parsing from the
library, inlined; `lab.kernels` opens other kernels of the library to recipes and tests.
"""
