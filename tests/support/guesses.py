"""Table of what people type first: expressions, and what each gives.

Tests run each in an interpreter that has read SETUP and nothing else, and check their types.
"""

from __future__ import annotations

SETUP = """
import tokalign
from tokalign import Aligner

old, new = "Marta opened a bakery.", "The bakery Marta founded."
question = "Who opened a bakery?"
rows = [
    {"id": 7, "source": old, "target": new},
    {"id": 8, "premise": old, "hypothesis": new},
]
aligner = Aligner("en")
alignment = aligner.align(old, new)
sure = aligner.align(old, new, posteriors=True)
link, sentence = alignment.links[1], alignment.source
"""

_OF_EITHER = {
    "align(old, new).to_pharaoh()": "'0-2 1-3 2-0 3-1 4-4'",
    "similarity(old, new)": r"0\.79\d+",
    "rank(question, [new, old])": r"\[<Ranked candidate 1: score 0\.9.*>, <Ranked candidate 0.*>\]",
    "ground(new, [old])": "<Grounding 'The bakery Marta founded.': 1 sentences, 1 passages>",
    "ground(new, [{'id': 'a', 'text': old}]).sentences[0].citations[0].passage": "'a'",
    "diff(old, new)": "<TextDiff 'Marta opened .*': 1 of 1 blocks changed>",
    "split(f'{old} {new}')[1].text": "'The bakery Marta founded.'",
    "align_texts(old, new)": "<TextAlignment .*: 1 and 1 sentences, 1 blocks>",
    "similarities(old, [old, new]).round(1).tolist()": r"\[1\.0, 0\.8\]",
}

GUESSES = {
    "tokalign.__version__": r"'\d+\.\d+\.\d+.*'",
    **{f"{of}.{call}": said for of in ("tokalign", "aligner") for call, said in _OF_EITHER.items()},
    "aligner": "<Aligner en 1.0.0: annotator native, "
    "styles strict, paraphrase, free, edits, questions>",
    "aligner(old, new) == alignment": "True",
    "aligner.styles": r"\('strict', 'paraphrase', 'free', 'edits', 'questions'\)",
    "[each.to_pharaoh() for each in aligner.pipe(rows)]": r"\['0-2 1-3 .*', '0-2 1-3 .*'\]",
    "alignment": "<Alignment 'Marta opened a bakery.' - 'The bakery .*>",
    "str(alignment).splitlines()[3]": r"'opened = founded \(1\.00\)'",
    "link": r"<Link 1-3 'opened' = 'founded' \(1\.00\)>",
    "link.source_text, link.target_text": r"\('opened', 'founded'\)",
    "link.source_span, link.target_span": r"\(\(6, 12\), \(17, 24\)\)",
    "round(link.confidence, 2)": r"1\.0",
    "sentence": "<Sentence 'Marta opened a bakery.': 5 tokens>",
    "sentence[0], len(sentence), list(sentence)[-1]": r"\('Marta', 5, '\.'\)",
    "alignment.source_words[1].text": "'opened'",
    "alignment.source_words[1].links == (link,)": "True",
    "sure.target_words[0].unlinked": r"0\.\d+",
    "alignment.to_dict(id='7')['links'][1]": r"\[1, 3, 0\.996575\]",
    "__import__('json').loads(alignment.to_json()) == alignment.to_dict()": "True",
    "alignment.to_html()": "'<figure.*</figure>'",
    "alignment.to_svg()": "'<svg .*</svg>'",
    "alignment.to_pandas()['source_text'].tolist()": r"\['Marta', 'opened', 'a', 'bakery', '\.'\]",
    "alignment.to_polars()['target_text'].to_list()": r"\['Marta', 'founded', .*\]",
}
"""Expression -> a pattern of the repr of its value."""
