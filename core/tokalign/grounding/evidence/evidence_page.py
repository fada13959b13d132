"""An answer with its evidence as one HTML page that needs no network.

The answer stands beside the passages. Its words are hyperlinks to their partners, so that the page
works without its script, which highlights partners under the pointer and the focus. Every text is
escaped.
"""

from collections.abc import Iterator, Sequence

from tokalign.grounding.evidence.cited_sources import (
    CHECKED,
    CITED,
    CONFLICT,
    PARTNER,
    PLAIN,
    UNSUPPORTED,
    WORD,
    CitedSource,
    conflicts_of,
    source_of,
    sources_of,
    uncovered,
)
from tokalign.showing.painting import Around, HtmlPainter, Marking, page_of, page_text
from tokalign.showing.text import one_line
from tokalign.types.grounding import (
    GroundedSentence,
    GroundedWord,
    Grounding,
    SourceConflict,
    SourcePassage,
    WordKind,
)

_LEGEND = (
    '<p class="legend"><span><span class="unsupported">without support</span></span> '
    '<span><span class="conflict">in conflict</span></span> '
    '<span><span class="cite">1</span> cited sentence</span> '
    "<span><kbd>Tab</kbd> next word <kbd>→</kbd> its partner <kbd>←</kbd> back</span></p>"
)
_SAID = "Support is evidence, not a verdict on truth."
_MOST_EVIDENCE = 3
"""Contributions shown per word."""

SCRIPT = "tokalign.grounding.evidence", ("evidence_page.js",)
"""Package and modules of the page's script."""
_PAINTER = HtmlPainter()


def html_page(grounding: Grounding, name: str = "answer") -> str:
    """Return the HTML of a page.

    `grounding`: with offsets that count code points. `name`: name of the answer.
    """
    title = f"Evidence for {page_text(name)}"
    body = "\n".join(_Page(grounding).parts(title))
    return page_of("ground", title, body, *SCRIPT)


class _Page:
    """Writes the parts of a page."""

    def __init__(self, grounding: Grounding) -> None:
        self._grounding = grounding
        self._sources = sources_of(grounding)
        self._conflicts = conflicts_of(grounding)
        self._ids: set[str] = set()
        self._partners: dict[tuple[str, int, int], int] = {}
        for sentence in grounding.sentences:
            for citation in sentence.citations:
                for link in citation.links:
                    place = citation.passage, link.start, link.end
                    self._partners.setdefault(place, len(self._partners))

    def parts(self, title: str) -> Iterator[str]:
        """Yield the parts from the title to the last passage."""
        yield f'<header>\n<h1>{title}</h1>\n<p class="note">{self._counts()} {_SAID}</p>\n</header>'
        yield '<main>\n<section class="answer" aria-label="answer" tabindex="0">'
        yield f'<div class="text">{"".join(self._answer())}</div>'
        yield from self._listed_conflicts()
        yield f'{_LEGEND}\n<output id="note" aria-live="polite"></output>\n</section>'
        yield '<section class="passages" aria-label="passages" tabindex="0">'
        for passage in self._grounding.passages:
            yield self._passage(passage)
        yield "</section>\n</main>"

    def _counts(self) -> str:
        sentences = self._grounding.sentences
        counts = [
            (len(sentences), "sentence", ""),
            (len(self._grounding.passages), "passage", ""),
            (len(self._sources), "cited sentence", ""),
            (sum(len(each.unsupported) for each in sentences), "span", " without support"),
            (len(self._conflicts), "conflict", ""),
        ]
        said = (f"{n} {what}{'' if n == 1 else 's'}{more}" for n, what, more in counts)
        return ", ".join(said) + "."

    def _answer(self) -> Iterator[str]:
        n_conflicts = 0
        number = 0
        for text, sentence in uncovered(self._grounding):
            if sentence is None:
                yield page_text(text)
                continue
            number += 1
            yield f'<span class="sentence" id="s{number}">'
            yield from self._sentence(sentence, n_conflicts)
            yield f"</span>{self._numbers(sentence)}"
            n_conflicts += len(sentence.conflicts)

    def _sentence(self, sentence: GroundedSentence, n_conflicts: int) -> Iterator[str]:
        def unsupported(marks: tuple[int, ...]) -> Around:
            support = sentence.unsupported[marks[0]].support
            title = f"without support: {support:.2f}"
            return f'<span class="unsupported" title="{title}">', "</span>"

        def conflict(marks: tuple[int, ...]) -> Around:
            return self._conflict([n_conflicts + mark for mark in marks], is_answer=True)

        def word(marks: tuple[int, ...]) -> Around:
            return self._word(sentence, marks[0])

        layers = [
            Marking(look, [(each.start, each.end) for each in values], element)
            for look, values, element in (
                (UNSUPPORTED, sentence.unsupported, unsupported),
                (CONFLICT, sentence.conflicts, conflict),
                (WORD, sentence.words, word),
            )
        ]
        yield _PAINTER.nested(self._grounding.answer, (sentence.start, sentence.end), layers)

    def _word(self, sentence: GroundedSentence, position: int) -> Around:
        """Return the tag of a word: a link to its first partner, if it has any."""
        word = sentence.words[position]
        best: list[int] = []
        others: list[int] = []
        for number, citation in enumerate(sentence.citations):
            for link in citation.links:
                if link.word == position:
                    here = best if number == word.citation else others
                    here.append(self._partners[citation.passage, link.start, link.end])
        if word.kind is WordKind.MARK:
            return "", ""
        note = page_text(self._note(sentence, word))
        if not best and not others:
            if word.kind not in CHECKED:
                return "", ""
            return f'<span class="word" data-note="{note}">', "</span>"
        numbers = [*best, *others]
        joined = " ".join(map(str, numbers))
        passed_over = "" if word.kind in CHECKED else ' tabindex="-1"'
        return (
            f'<a class="word"{passed_over} href="#p{numbers[0]}" data-p="{joined}" '
            f'data-best="{numbers[0]}" '
            f'data-note="{note}">'
        ), "</a>"

    def _note(self, sentence: GroundedSentence, word: GroundedWord) -> str:
        """Return the note for a word under the pointer."""
        parts = [self._grounding.answer[word.start : word.end], word.kind.value]
        if word.kind in CHECKED:
            parts.append(f"support {word.support:.2f}")
        if word.citation is not None and word.partners:
            citation = sentence.citations[word.citation]
            source = self._sources[citation.passage, citation.start]
            there = " ".join(source.passage.text[start:end] for start, end in word.partners)
            parts.append(f"“{one_line(there)}” in [{source.number}]")
        parts += [
            f"{piece.name} {piece.value * piece.weight:+.2f}"
            for piece in word.evidence[:_MOST_EVIDENCE]
        ]
        return " · ".join(parts)

    def _numbers(self, sentence: GroundedSentence) -> str:
        if sentence.error is not None:
            return f' <small class="failed">no evidence: {page_text(str(sentence.error))}</small>'
        sources = [self._sources[each.passage, each.start] for each in sentence.citations]
        links = "".join(
            f'<a class="cite" href="#c{source.number}" title="{page_text(source.passage.id)}, '
            f"line {source.line}, cover {citation.cover:.2f}"
            f'{", says it also" if citation.says_also else ""}">{source.number}</a>'
            for source, citation in zip(sources, sentence.citations, strict=True)
        )
        return links and f'<span class="cites">{links}</span>'

    def _listed_conflicts(self) -> Iterator[str]:
        if not self._conflicts:
            return
        yield '<section class="conflicts" aria-label="conflicts">\n<h2>Conflicts</h2>\n<ul>'
        for number, each in enumerate(self._conflicts):
            here, there = self._sides(each)
            source = source_of(self._sources, each)
            yield (
                f'<li><span class="kind">{PLAIN[each.kind]}</span> '
                f'<a href="#k{number}" data-k="{number}">{here}</a> in the answer, '
                f'<a href="#l{number}" data-k="{number}">{there}</a> in '
                f'<a class="cite" href="#c{source.number}">{source.number}</a></li>'
            )
        yield "</ul>\n</section>"

    def _sides(self, conflict: SourceConflict) -> tuple[str, str]:
        source = source_of(self._sources, conflict)
        here = self._grounding.answer[conflict.start : conflict.end]
        there = source.passage.text[conflict.passage_start : conflict.passage_end]
        return page_text(one_line(here)), page_text(one_line(there))

    def _conflict(self, numbers: Sequence[int], *, is_answer: bool) -> Around:
        """Return the tag of words in conflict, in the answer or in a passage."""
        first = self._conflicts[numbers[0]]
        other = self._sides(first)[1 if is_answer else 0]
        title = f"{PLAIN[first.kind]}: {other}"
        return self._element(
            "conflict", "k", numbers, f' title="{title}"', prefix="k" if is_answer else "l"
        )

    def _element(
        self, name: str, data: str, numbers: Sequence[int], attributes: str, *, prefix: str
    ) -> Around:
        """Return an element with numbers, and an id for each number that has none yet."""
        ids = [f"{prefix}{number}" for number in numbers]
        new = [each for each in ids if each not in self._ids]
        self._ids.update(new)
        joined = " ".join(map(str, numbers))
        first = f' id="{new[0]}"' if new else ""
        opening = f'<span class="{name}"{first} data-{data}="{joined}"{attributes}>'
        anchors = [f'<span id="{each}">' for each in new[1:]]
        return opening + "".join(anchors), "</span>" * (1 + len(anchors))

    def _passage(self, passage: SourcePassage) -> str:
        sources = [each for each in self._sources.values() if each.passage is passage]
        conflicts = [k for k, each in enumerate(self._conflicts) if each.passage == passage.id]
        partners = [
            (start, end, number)
            for (name, start, end), number in self._partners.items()
            if name == passage.id
        ]

        def source(marks: tuple[int, ...]) -> Around:
            return _cited(sources[marks[0]])

        def conflict(marks: tuple[int, ...]) -> Around:
            return self._conflict([conflicts[mark] for mark in marks], is_answer=False)

        def partner(marks: tuple[int, ...]) -> Around:
            numbers = [partners[mark][2] for mark in marks]
            return self._element("partner", "p", numbers, ' tabindex="-1"', prefix="p")

        odd = [self._conflicts[k] for k in conflicts]
        layers = [
            Marking(CITED, [(each.start, each.end) for each in sources], source),
            Marking(CONFLICT, [(each.passage_start, each.passage_end) for each in odd], conflict),
            Marking(PARTNER, [(start, end) for start, end, _ in partners], partner),
        ]
        text = _PAINTER.nested(passage.text, (0, len(passage.text)), layers)
        is_open = " open" if sources else ""
        cited = f"{len(sources)} cited" if sources else "not cited"
        return (
            f"<details{is_open}><summary><b>{page_text(one_line(passage.id))}</b> "
            f'<small>{cited}</small></summary><div class="text">{text}</div></details>'
        )


def _cited(source: CitedSource) -> Around:
    """Return the tag of a cited sentence, with its number before it."""
    sentences = sorted({number + 1 for number, _ in source.cited})
    covers = ", ".join(f"{citation.cover:.2f}" for _, citation in source.cited)
    back = (
        f'<a class="cite" href="#s{sentences[0]}" title="line {source.line}, cover {covers}; '
        f'cited for sentence {", ".join(map(str, sentences))}">{source.number}</a>'
    )
    joined = " ".join(map(str, sentences))
    return f'<span class="cited" id="c{source.number}" data-s="{joined}">{back}', "</span>"
