"""Write the parts of the corpus from its notes, and what the datasheet says of them.

    python -m lab.corpus.build CORPUS [--datasheet]

reads ``CORPUS/notes/*.txt`` and writes ``train.jsonl``, ``dev.jsonl`` and ``test.jsonl``, and those
of the genre ``ewt`` below ``CORPUS/ewt``. A topic is in one part: topics are drawn by the checksum
of their names until a part has its share of the genre's pairs. The test part chooses nothing. The
pairs of ``CORPUS/styles/*.txt`` follow other conventions and are for training alone: they go to
``styles.jsonl``.
"""

from __future__ import annotations

import argparse
import json
import random
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from lab.corpus.agreement import agreement
from lab.corpus.notes import NotedPair, read_notes

EWT = "ewt"
"""The genre whose text is in part UD English EWT's, under a licence of its own."""
SHARES = {"test": 0.15, "dev": 0.15, "train": 0.7}
SEED = 20
N_SHOWN = 20


def parts(pairs: Sequence[NotedPair]) -> dict[str, list[NotedPair]]:
    """Return the pairs of a genre by part, in their order."""
    by_topic: dict[str, list[NotedPair]] = defaultdict(list)
    for pair in pairs:
        by_topic[pair.topic].append(pair)
    topics = sorted(by_topic, key=lambda topic: zlib.crc32(topic.encode()))
    part_of: dict[str, str] = {}
    names = list(SHARES)
    wanted = SHARES[names[0]] * len(pairs)
    taken = 0
    for topic in topics:
        if taken >= wanted and len(names) > 1:
            names.pop(0)
            taken, wanted = 0, SHARES[names[0]] * len(pairs)
        part_of[topic] = names[0]
        taken += len(by_topic[topic])
    return {name: [each for each in pairs if part_of[each.topic] == name] for name in SHARES}


def to_json(pair: NotedPair) -> dict[str, Any]:
    """Return a pair as an object of `tokalign.formats.jsonl`, with its other marks beside."""
    value: dict[str, Any] = {"id": pair.id, "genre": pair.genre, "topic": pair.topic}
    value |= {"task": pair.task} | ({"verdict": pair.verdict} if pair.verdict else {})
    for side, sentence in (("source", pair.source), ("target", pair.target)):
        offsets = list(zip(sentence.starts, sentence.ends, strict=True))
        value[side] = {"text": sentence.text, "tokens": sentence.tokens, "offsets": offsets}
    value["links"] = sorted(pair.sure)
    value["possible"] = sorted(pair.possible)
    value["relations"] = [
        [*link, kind] for link, kind in sorted(pair.relations.items()) if kind != "same"
    ]
    value["conflicts"] = [
        {"kind": each.kind, "source": each.source, "target": each.target} for each in pair.conflicts
    ]
    if pair.task == "claim":
        value["unsupported"] = sorted(pair.unsupported)
    return value


def read_folder(folder: Path) -> dict[str, list[NotedPair]]:
    """Return the pairs of each file of notes, by its genre."""
    return {path.stem: read_notes(path) for path in sorted(folder.glob("*.txt"))}


def write(
    corpus: Path, pairs: Mapping[str, Sequence[NotedPair]], styles: Iterable[NotedPair]
) -> None:
    """Write the files of all parts, and that of the pairs of other conventions."""
    lines: dict[Path, list[str]] = defaultdict(list)
    for genre, own in pairs.items():
        folder = corpus / EWT if genre == EWT else corpus
        for part, some in parts(own).items():
            lines[folder / f"{part}.jsonl"] += [
                json.dumps(to_json(pair), ensure_ascii=False) for pair in some
            ]
    lines[corpus / "styles.jsonl"] += [
        json.dumps(to_json(pair), ensure_ascii=False) for pair in styles
    ]
    for path, rows in lines.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(rows) + "\n", encoding="utf-8")


def datasheet(corpus: Path) -> Iterator[str]:
    """Yield the tables of the datasheet: sizes, agreement, and pairs drawn by a fixed seed."""
    final = read_folder(corpus / "notes")
    yield "| genre | pairs | train, dev, test | words | sure links | possible | conflicts |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for genre, pairs in [*final.items(), ("all", [p for own in final.values() for p in own])]:
        by_part: Counter[str] = Counter()
        for own in final.values() if genre == "all" else [pairs]:
            by_part.update({part: len(some) for part, some in parts(own).items()})
        words = sum(len(p.source) + len(p.target) for p in pairs)
        sizes = [
            len(pairs),
            ", ".join(str(by_part[part]) for part in ("train", "dev", "test")),
            words,
            sum(len(p.sure) for p in pairs),
            sum(len(p.possible) for p in pairs),
            sum(len(p.conflicts) for p in pairs),
        ]
        yield f"| {genre} | " + " | ".join(map(str, sizes)) + " |"
    yield ""
    yield (
        "| genre | sure links F1 | exact | all links F1 | relations, kappa | verdicts, kappa "
        "| conflicts F1 | unsupported F1 |"
    )
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    passes = [read_folder(corpus / "passes" / which) for which in ("first", "second")]
    every: tuple[list[NotedPair], list[NotedPair]] = ([], [])
    for genre in [*final, "all"]:
        if genre == "all":
            first, second = every
        else:
            first, second = passes[0][genre], passes[1][genre]
            every[0].extend(first)
            every[1].extend(second)
        a = agreement(first, second)
        figures = [100 * a.sure_f1, 100 * a.exact, 100 * a.links_f1]
        shown = [f"{each:.1f}" for each in figures]
        shown += [f"{a.relations:.2f}", f"{a.verdicts:.2f}"]
        shown += [f"{100 * a.conflicts_f1:.1f}", f"{100 * a.unsupported_f1:.1f}"]
        yield f"| {genre} | " + " | ".join(shown) + " |"
    yield ""
    yield from _shown([pair for own in final.values() for pair in own])


def _shown(pairs: Sequence[NotedPair]) -> Iterator[str]:
    from lab.corpus.decisions import write_notes

    drawn = random.Random(SEED).sample(list(pairs), N_SHOWN)
    yield "```text"
    yield from list(write_notes(drawn))[:-1]
    yield "```"


def main(arguments: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.corpus.build")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--datasheet", action="store_true", help="print its tables")
    options = parser.parse_args(None if arguments is None else list(arguments))
    if options.datasheet:
        print("\n".join(datasheet(options.corpus)))
    else:
        styles = read_folder(options.corpus / "styles").values()
        write(options.corpus, read_folder(options.corpus / "notes"), chain.from_iterable(styles))


if __name__ == "__main__":
    main()
