"""The time of grounding an answer beside that of aligning the same pairs.

Processor time of `ground`, of an answer in passages, and of `pipe` with the pairs of sentences that
it aligns, raw text in full detail; in one process, each with an aligner of its own, for one that
has met a pair remembers its words. Answers and passages are other ones in each turn: the answer's
sentences share words with some of the passages', as sentences of pairs do. The ratio is the median
of the turns'.
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections import deque

from tokalign.aligner import Aligner
from tokalign.grounding.answer_words import AnswerWords
from tokalign.grounding.sources import Sources
from tokalign.texts.split_text import sentences_of
from tokalign.types.options import GroundOptions

from bench.pairs import make_pairs
from bench.program import cpu_s, print_row


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--model", default="en")
    parser.add_argument("--sentences", type=int, default=8, help="of an answer")
    parser.add_argument("--passages", type=int, default=5)
    parser.add_argument("--passage-sentences", type=int, default=10)
    parser.add_argument("--tokens", type=int, default=20, help="of a sentence, on average")
    parser.add_argument("--turns", type=int, default=15)


def answer_and_passages(arguments: argparse.Namespace, turn: int) -> tuple[str, list[str]]:
    """Return an answer of a turn and its passages."""
    n = arguments.passages * arguments.passage_sentences
    pairs = make_pairs(n, (arguments.tokens, arguments.tokens), seed=turn)
    sources = [_sentence(source) for source, _ in pairs]
    answer = [_sentence(target) for _, target in pairs[: arguments.sentences]]
    random.Random(turn).shuffle(sources)
    size = arguments.passage_sentences
    passages = [" ".join(sources[first : first + size]) for first in range(0, n, size)]
    return " ".join(answer), passages


def _sentence(tokens: list[str]) -> str:
    text = " ".join(token for token in tokens if token.isalnum())
    return text[:1].upper() + text[1:] + "."


def pairs_of(aligner: Aligner, answer: str, passages: list[str]) -> list[tuple[str, str]]:
    """Return the pairs of sentences that grounding aligns."""
    sources = Sources.of(passages)
    found = []
    for span in sentences_of(answer, "answer"):
        (sentence,) = aligner.annotate([span.text])
        words = AnswerWords.of(sentence, sources)
        numbers = sources.candidates(words.holders, words.weights, GroundOptions().candidates)
        found += [(sources.sentences[number].span.text, span.text) for number in numbers]
    return found


def run(arguments: argparse.Namespace) -> None:
    """Print a row."""
    grounds, aligns, other = (Aligner.load(arguments.model) for _ in range(3))
    taken = []
    n_pairs = []
    for turn in range(arguments.turns + 1):
        answer, passages = answer_and_passages(arguments, turn)
        pairs = pairs_of(other, answer, passages)
        n_pairs.append(len(pairs))

        def ground(answer: str = answer, passages: list[str] = passages) -> object:
            return grounds.ground(answer, passages)

        def pipe(pairs: list[tuple[str, str]] = pairs) -> object:
            return deque(aligns.pipe(pairs), maxlen=0)

        taken.append((cpu_s(ground), cpu_s(pipe)))
    taken = taken[1:]  # the first turn is no measurement
    grounding, aligning = (statistics.median(column) for column in zip(*taken, strict=True))
    print_row(
        {"sentences": arguments.sentences, "passages": arguments.passages},
        {
            "pairs": statistics.mean(n_pairs[1:]),
            "of_pipe": statistics.median(first / second for first, second in taken),
            "ms": 1e3 * grounding,
            "pipe_ms": 1e3 * aligning,
        },
    )
