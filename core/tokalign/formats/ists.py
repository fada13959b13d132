"""Interpretable similarity: chunk alignments as blocks of a .wa file, and chunked sentences.

A ``.wa`` file holds blocks ``<sentence id="1" status="">`` with both sentences after ``//``, their
numbered tokens, and a line for each alignment: ``8 9 <==> 11 12 // EQUI // 5 // comment``. Numbers
begin with 1; 0 stands for no partner. A sentence in chunks is ``[ Saudis ] [ to permit ]``.

References
----------
Agirre et al. (2016), SemEval: Task 2, Interpretable Semantic Textual Similarity.
"""

from tokalign.errors import FormatError, InputError, quoted
from tokalign.types.inputs import split_tokens
from tokalign.types.relations import ChunkedPair, ChunkLink, TokenChunk

_ARROW = "<==>"
_UNALIGNED = "-not aligned-"


def wa_block(pair: ChunkedPair) -> str:
    """Return the block of a pair, which ends in an empty line; raise FormatError if a token holds
    white space."""
    lines = [f'<sentence id="{pair.id}" status="">']
    for side in (pair.source, pair.target):
        if any(split_tokens(token) != [token] for token in side.tokens):
            raise FormatError(f"pair {quoted(pair.id)}: a token of a .wa file holds no white space")
        lines.append("// " + " ".join(side.tokens))
    for name, side in (("source", pair.source), ("translation", pair.target)):
        numbered = [f"{number} {token} : " for number, token in enumerate(side.tokens, 1)]
        lines += [f"<{name}>", *numbered, f"</{name}>"]
    lines += ["<alignment>", *(_row(pair, link) for link in pair.links), "</alignment>"]
    return "\n".join([*lines, "</sentence>", "", ""])


def _row(pair: ChunkedPair, link: ChunkLink) -> str:
    numbers, words = [], []
    for side, chunk in ((pair.source, link.source), (pair.target, link.target)):
        numbers.append(" ".join(str(token + 1) for token in chunk) or "0")
        words.append(" ".join(side.tokens[token] for token in chunk) or _UNALIGNED)
    score = "NIL" if link.score is None else f"{link.score:g}"
    return (
        f"{numbers[0]} {_ARROW} {numbers[1]} // {link.type} // {score} // "
        f"{words[0]} {_ARROW} {words[1]} "
    )


def split_chunks(text: str) -> tuple[list[str], list[TokenChunk]]:
    """Return the tokens and the chunks of a sentence in brackets.

    `text`: ``[ Saudis ] [ to permit ] [ women ]``; tokens outside of brackets are chunks of their
    own. An opening bracket inside another one closes that, as a sentence of the task's files needs.

    InputError is raised if a bracket is unmatched or empty, or there is no token.

    Examples
    --------
    >>> split_chunks("[ Saudis ] [ to permit ]")
    (['Saudis', 'to', 'permit'], [(0,), (1, 2)])
    """
    tokens: list[str] = []
    chunks: list[TokenChunk] = []
    opened: int | None = None
    for token in split_tokens(text):
        if token == "[":
            if opened is not None and opened < len(tokens):
                chunks.append(tuple(range(opened, len(tokens))))
            opened = len(tokens)
        elif token == "]":
            if opened is None:
                raise InputError(f"a bracket closes that did not open in {quoted(text)}")
            if opened == len(tokens):
                raise InputError(f"brackets without tokens in {quoted(text)}")
            chunks.append(tuple(range(opened, len(tokens))))
            opened = None
        else:
            if opened is None:
                chunks.append((len(tokens),))
            tokens.append(token)
    if opened is not None:
        raise InputError(f"a bracket does not close in {quoted(text)}")
    if not tokens:
        raise InputError("no tokens; wanted chunks such as [ to permit ] [ women ]")
    return tokens, chunks
