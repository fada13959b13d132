"""The README's picture: one aligned pair, drawn as the page of `tokalign view --html` draws it.

    python docs/picture.py            (make docs)

Colours, curves and marks are those of core/tokalign/view. Browsers measure text, a program does
not, so the width of every word is set from its number of characters.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

from tokalign import Aligner, Alignment

PICTURE = Path(__file__).resolve().parent / "images" / "viewer.svg"
PAIR = (
    "In 1987 Marta opened a small bakery in Leeds.",
    "Marta founded a little bakery with her sister in 1987.",
)
CHARACTER, PADDING, GAP = 8.0, 6.0, 8.0
TOP, BOTTOM, LEFT = 58, 208, 20
STYLE = (
    "text{font:15px system-ui,sans-serif;fill:#1d1d1f}.note{font-size:13px;fill:#555}"
    "path{fill:none;stroke:#00619a;stroke-width:2}.alone{fill:#666}"
    "rect{fill:none;stroke:#999;stroke-dasharray:3 3}"
)


def placed(words: list[str]) -> list[tuple[float, float]]:
    """Return where each word starts, and its width."""
    places, left = [], float(LEFT)
    for word in words:
        width = CHARACTER * len(word) + 2 * PADDING
        places.append((left, width))
        left += width + GAP
    return places


def row(words: list[str], places: list[tuple[float, float]], linked: set[int], y: int) -> list[str]:
    """Return the elements of one sentence; a word without a link is in a dashed box."""
    drawn = []
    for k, (word, (left, width)) in enumerate(zip(words, places, strict=True)):
        mark = "" if k in linked else ' class="alone"'
        if mark:
            drawn.append(f'<rect x="{left:g}" y="{y - 18}" width="{width:g}" height="26" rx="4"/>')
        drawn.append(
            f'<text x="{left + PADDING:g}" y="{y}" textLength="{width - 2 * PADDING:g}"{mark} '
            f'lengthAdjust="spacingAndGlyphs">{escape(word)}</text>'
        )
    return drawn


def svg(alignment: Alignment) -> str:
    """Return the picture of an alignment; a link is the fainter, the less sure it is."""
    sides = [list(alignment.source.tokens), list(alignment.target.tokens)]
    rows = [placed(words) for words in sides]
    width = max(left + size for places in rows for left, size in places) + LEFT
    drawn = [
        f'<text x="{LEFT}" y="26" class="note">score {alignment.score:.2f}, similarity '
        f"{alignment.similarity:.2f}, by {alignment.model} {alignment.version}</text>"
    ]
    top, bottom = TOP + 12, BOTTOM - 20
    for link in alignment.links:
        (a, a_width), (b, b_width) = rows[0][link.source], rows[1][link.target]
        x, y = a + a_width / 2, b + b_width / 2
        upper, lower = top + (bottom - top) * 0.55, top + (bottom - top) * 0.45
        drawn.append(
            f'<path d="M{x:g},{top} C{x:g},{upper:g} {y:g},{lower:g} {y:g},{bottom}" '
            f'opacity="{0.25 + 0.75 * link.confidence:.2f}"><title>confidence '
            f"{link.confidence:.2f}</title></path>"
        )
    drawn += row(sides[0], rows[0], {link.source for link in alignment.links}, TOP)
    drawn += row(sides[1], rows[1], {link.target for link in alignment.links}, BOTTOM)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{BOTTOM + 24}" '
        f'role="img"><style>{STYLE}</style><rect width="100%" height="100%" '
        'style="fill:#fff;stroke:none"/>' + "\n".join(drawn) + "</svg>\n"
    )


def picture() -> str:
    """Return the picture of the README's pair."""
    return svg(Aligner.load().align(*PAIR))


if __name__ == "__main__":
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture(), encoding="utf-8")
