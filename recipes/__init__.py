"""How every file of core/tokalign/data is made: one recipe for each, run by the Makefile.

===========================  =================  ============================================
run                          by                 to write
===========================  =================  ============================================
``recipes.models``           make models        en.tokalign, en-rte2.tokalign
``recipes.neural``           make models-neural en-neural.tokalign, encoder-en.table.xz and
                                                the two of en-rte2-neural
``recipes.annotators``       make annotators    tagger-en.table.xz, parser-en.table.xz
``recipes.vectors``          make vectors       vectors.table.xz
``recipes.wordnet``          make lexicon       wordnet.table.xz
``recipes.wordpieces``       make wordpieces    wordpieces.table.xz
``recipes.document_counts``  make counts        counts.table.xz
``recipes.question_weights`` make answers       question-weights.tsv
``recipes.unrelated``        make unrelated     pairs without links, for training; not shipped
``recipes.headers``          make figures-large what was measured, into the headers of models
===========================  =================  ============================================

Recipes use the library and one another; the library never imports them, and no wheel holds them.
``python -m recipes.NAME --help``, from the root of the sources, says what each one reads.

What users run themselves is in the library: training (`tokalign.training`), and compiling the
paraphrases that they have (`tokalign.lexicon.ppdb`). So are the compiled loops of the annotators'
training (`tokalign.annotate._tagger`, `tokalign.annotate._parser_training`): they share the
features of tagging and parsing, inlined, and would otherwise need a build of their own.
"""
