"""Recipes for what is committed but not written by hand: models, tables, parts of deploy/.

============================  =====================  =============================================
run                           by                     to write
============================  =====================  =============================================
``recipes.models``            make models            en.tokalign, en-rte2.tokalign,
                                                     en-open.tokalign
``recipes.rebuilt``           make test-models       what differs from the models that ship, printed
``recipes.neural``            make models-neural     en-neural.tokalign, encoder-en.table.xz,
                                                     those of en-rte2-neural, en-neural-large
``recipes.annotators``        make table-annotators  tagger-en.table.xz, parser-en.table.xz
``recipes.vectors``           make table-vectors     vectors.table.xz
``recipes.wordnet``           make table-wordnet     wordnet.table.xz
``recipes.wordpieces``        make table-wordpieces  wordpieces.table.xz
``recipes.document_counts``   make table-counts      counts.table.xz
``recipes.question_weights``  make table-answers     question-weights.tsv
``recipes.relations``         make table-relations   relations.table.xz
``recipes.edits``             make table-edits       edits.table.xz
``recipes.gates``             make table-gates       gates.table.xz
``recipes.support``           make table-support     support.table.xz
``recipes.refit``             make                   second-pass.table.xz, and the neural models
                              table-second-pass      with its weights
``recipes.grafana``           make api               deploy/grafana.json
``recipes.unrelated``         make build/unrelated   pairs without links, for training; not shipped
``recipes.styles``                                   figures of the styles of en, printed
``recipes.related``                                  figures of relations, printed
``recipes.terms``                                    terms, into the headers of tables
``recipes.headers``                                  measured figures, into the headers of models
============================  =====================  =============================================

The other modules are parts of these: `recipes.aligned` and `recipes.corpora` read corpora,
`recipes.settings` holds the settings and styles of the models, and `recipes.figures` finds their
measured figures. ``python -m recipes.NAME --help``, from the root of the sources, says what a
recipe reads.

Recipes use the library and one another; the library never imports them, and no wheel holds them.
Users train their own models by `tokalign.model.training.train`, and compile the paraphrases that
they have by `tokalign.english.lexicon.ppdb`. The compiled loops of the annotators' training are in
the library, too (`tokalign.english.annotate.tagger`, `tokalign.english.annotate.parser_training`):
they share the features of tagging and parsing, inlined, and would otherwise need a build of their
own.
"""
