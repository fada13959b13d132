"""Parts that renderers share: harmless text, lines of a width, pages that load nothing."""
