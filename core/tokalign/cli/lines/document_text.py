"""The text of documents: Word, OpenDocument, EPUB, HTML and PDF.

Paragraphs become lines with blank lines between them. Headings begin with ``#``, items of lists
with ``-``, rows of tables are ``| cell | cell |``, and preformatted text is fenced, as in Markdown.
Of tracked changes the new text is read. PDF needs the extra ``pdf``; the others only Python.
"""

import io
import posixpath
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from html.parser import HTMLParser
from urllib.parse import unquote
from xml.etree.ElementTree import Element, ParseError

from tokalign.errors import FormatError, MissingPackageError

MOST_BYTES = 1 << 28
"""Most unpacked bytes of a part of a document."""
_HTML_SUFFIXES = (".html", ".htm", ".xhtml")
_OLD_WORD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ODT = b"application/vnd.oasis.opendocument.text"


def document_text(data: bytes, name: str) -> str | None:
    """Return the text of a document, or None if it is none.

    Documents are told by their first bytes, HTML by the name. FormatError if one is damaged,
    encrypted, of another kind, or a PDF without text; MissingPackageError if the extra is missing.
    """
    if data.startswith(b"%PDF-"):
        return _pdf_text(data, name)
    if data.startswith(_OLD_WORD):
        raise FormatError("a document of Word before 2007; save it as .docx", path=name)
    if data.startswith(b"PK\x03\x04"):
        return _packed_text(data, name)
    if name.lower().endswith(_HTML_SUFFIXES):
        return html_text(_decoded(data, name))
    return None


class ParagraphWriter:
    """Collects the paragraphs of a document."""

    def __init__(self) -> None:
        self._done: list[str] = []
        self._text: list[str] = []
        self._mark = ""
        self._cells: list[str] = []
        self._in_cell = False

    def say(self, text: str) -> None:
        """Add text to the paragraph."""
        self._text.append(text)

    def mark(self, mark: str) -> None:
        """Begin a paragraph with a mark, such as ``#`` of a heading."""
        self.end()
        self._mark = mark

    def end(self) -> None:
        """End the paragraph; in a cell of a table, a space follows."""
        if self._in_cell:
            self._text.append(" ")
            return
        if text := _one_space("".join(self._text)):
            self._done.append(f"{self._mark} {text}".strip())
            self._mark = ""
        self._text.clear()

    def code(self, text: str) -> None:
        """Add preformatted text as a paragraph of its own."""
        self.end()
        self._done.append(f"```\n{text.strip(chr(10))}\n```")

    def begin_cell(self) -> None:
        """Begin a cell of a table; of a table in a cell, the cells are of the same row."""
        self.end_cell()
        self.end()
        self._in_cell = True

    def end_cell(self) -> None:
        """End the cell, if one is open."""
        if self._in_cell:
            self._cells.append(_one_space("".join(self._text).replace("\n", " ")))
            self._text.clear()
            self._in_cell = False

    def end_row(self) -> None:
        """End a row of cells."""
        self.end_cell()
        if self._cells:
            self._done.append(f"| {' | '.join(self._cells)} |")
            self._cells.clear()

    def text(self) -> str:
        """Return the paragraphs, with blank lines between them."""
        self.end_row()
        self.end()
        return "".join(f"{each}\n\n" for each in self._done)[:-1]


def _one_space(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(filter(None, lines))


class _HtmlReader(HTMLParser):
    """Reads the paragraphs of a page."""

    HIDDEN = frozenset(("head", "script", "style", "template", "noscript", "svg"))
    INLINE = frozenset(
        (
            "a", "abbr", "b", "bdi", "bdo", "br", "cite", "code", "data", "del", "dfn", "em",
            "font", "i", "img", "ins", "kbd", "label", "mark", "q", "s", "samp", "small", "span",
            "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
        )
    )  # fmt: skip

    def __init__(self, writer: ParagraphWriter) -> None:
        super().__init__(convert_charrefs=True)
        self._writer = writer
        self._hidden: list[str] = []
        self._code: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in self.HIDDEN:
            self._hidden.append(tag)
        elif tag == "body":
            self._hidden.clear()  # a head may lack its end
        elif tag == "br":
            (self._writer.say if self._code is None else self._code.append)("\n")
        elif tag == "pre":
            self._code = []
        elif tag in ("td", "th"):
            self._writer.begin_cell()
        elif re.fullmatch("h[1-6]", tag):
            self._writer.mark("#" * int(tag[1]))
        elif tag == "li":
            self._writer.mark("-")
        elif tag == "tr":
            self._writer.end_row()
        elif tag not in self.INLINE:
            self._writer.end()

    def handle_endtag(self, tag: str) -> None:
        if tag in self._hidden:
            del self._hidden[self._hidden.index(tag) :]
        elif tag == "pre" and self._code is not None:
            self._writer.code("".join(self._code))
            self._code = None
        elif tag in ("td", "th"):
            self._writer.end_cell()
        elif tag in ("tr", "table"):
            self._writer.end_row()
        elif tag not in self.INLINE:
            self._writer.end()

    def handle_data(self, data: str) -> None:
        if self._hidden:
            return
        if self._code is not None:
            self._code.append(data)
        else:
            self._writer.say(re.sub(r"\s+", " ", data))


def html_text(page: str) -> str:
    """Return the text of a page of HTML."""
    writer = ParagraphWriter()
    reader = _HtmlReader(writer)
    reader.feed(page)
    reader.close()
    return writer.text()


def _decoded(data: bytes, name: str) -> str:
    """Return a page as text, in the encoding that it names."""
    named = re.search(rb"(?:charset|encoding)\s*=\s*[\"']?([\w.:-]+)", data[:1024])
    encoding = named[1].decode() if named else "utf-8"
    try:
        return data.decode(encoding)
    except LookupError:
        raise FormatError(f"a page in the unknown encoding {encoding}", path=name) from None
    except UnicodeDecodeError as error:
        raise FormatError(
            f"byte {error.start} is no {encoding}; convert the file", path=name
        ) from None


def _packed_text(data: bytes, name: str) -> str:
    """Return the text of a document that is a ZIP file."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            for known, read in _READERS.items():
                if known in parts.namelist():
                    return read(parts)
            if _read(parts, "mimetype").startswith(_ODT):
                return _paragraphs_of(parts, ["content.xml"])
    except (zipfile.BadZipFile, KeyError, ParseError, RuntimeError, UnicodeDecodeError) as error:
        raise FormatError(f"a document that cannot be read: {error}", path=name) from None
    raise FormatError("a ZIP file that is no .docx, .odt or .epub", path=name)


def _read(parts: zipfile.ZipFile, part: str) -> bytes:
    """Return a part of a document; KeyError without it, RuntimeError if it is too large."""
    size = parts.getinfo(part).file_size
    if size > MOST_BYTES:
        raise RuntimeError(f"{part} has {size} bytes; at most {MOST_BYTES} are read")
    return parts.read(part)


def _root(parts: zipfile.ZipFile, part: str) -> Element:
    from xml.etree.ElementTree import fromstring

    return fromstring(_read(parts, part))


def _paragraphs_of(parts: zipfile.ZipFile, names: list[str]) -> str:
    writer = ParagraphWriter()
    for name in names:
        _walk(_root(parts, name), writer)
        writer.end()
    return writer.text()


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _own(element: Element, attribute: str) -> str:
    """Return an attribute by its name without the name space; empty if it is absent."""
    own: Mapping[str, str] = element.attrib
    return next((value for name, value in own.items() if _local(name) == attribute), "")


def _docx_text(parts: zipfile.ZipFile) -> str:
    notes = ("word/footnotes.xml", "word/endnotes.xml")
    present = [each for each in notes if each in parts.namelist()]
    return _paragraphs_of(parts, ["word/document.xml", *present])


_SKIPPED = frozenset(
    (
        "annotation", "del", "delText", "Fallback", "instrText", "moveFrom", "note", "pPr",
        "sequence-decls", "tracked-changes",
    )
)  # fmt: skip
_SIGNS = {"br": "\n", "cr": "\n", "line-break": "\n", "noBreakHyphen": "-", "s": " ", "tab": " "}
_MIXED = frozenset(
    f"{{urn:oasis:names:tc:opendocument:xmlns:text:1.0}}{tag}" for tag in ("a", "h", "p", "span")
)
"""Elements of OpenDocument in which text stands beside others. Word has an element for text."""


def _walk(element: Element, writer: ParagraphWriter) -> None:
    """Write what an element of Word or of OpenDocument holds."""
    tag = _local(element.tag)
    if tag == "note":
        body = (each for each in element if _local(each.tag) == "note-body")
        writer.say(f" ({' '.join(''.join(each.itertext()) for each in body)})")
    if tag in _SKIPPED:
        return
    mark = _mark_of(element, tag)
    if mark:
        writer.mark(mark)
    elif tag == "p":
        writer.end()
    elif tag in ("tc", "table-cell"):
        writer.begin_cell()
    writer.say(_SIGNS.get(tag, ""))
    is_mixed = element.tag in _MIXED
    if is_mixed or tag == "t":
        writer.say(re.sub(r"\s+", " ", element.text or ""))
    for each in element:
        _walk(each, writer)
        if is_mixed:
            writer.say(re.sub(r"\s+", " ", each.tail or ""))
    if tag in ("p", "h"):
        writer.end()
    elif tag in ("tc", "table-cell"):
        writer.end_cell()
    elif tag in ("tr", "table-row"):
        writer.end_row()
    if mark:
        writer.mark("")  # of an empty heading or item


def _mark_of(element: Element, tag: str) -> str:
    """Return the sign of a heading or an item of a list; empty for others."""
    if tag == "list-item":
        return "-"
    if tag == "h":
        return "#" * min(int(_own(element, "outline-level") or 1), 6)
    properties = next((each for each in element if _local(each.tag) == "pPr"), ())
    for each in properties:
        name = _local(each.tag)
        found = (
            re.fullmatch(r"[Hh]eading ?([1-6])", _own(each, "val")) if name == "pStyle" else None
        )
        if found:
            return "#" * int(found[1])
        if name == "numPr" or (name == "pStyle" and _own(each, "val").startswith("List")):
            return "-"
    return ""


def _epub_text(parts: zipfile.ZipFile) -> str:
    """Return the text of a book's pages in reading order."""
    return "\n".join(html_text(_read(parts, page).decode()) for page in _pages(parts))


def _pages(parts: zipfile.ZipFile) -> Iterator[str]:
    container = _root(parts, "META-INF/container.xml")
    package = next(_own(each, "full-path") for each in container.iter() if _own(each, "full-path"))
    book = _root(parts, package)
    items = {_own(each, "id"): each for each in book.iter() if _local(each.tag) == "item"}
    for each in book.iter():
        if _local(each.tag) == "itemref":
            item = items[_own(each, "idref")]
            if _own(item, "media-type") == "application/xhtml+xml":
                yield posixpath.normpath(
                    posixpath.join(posixpath.dirname(package), unquote(_own(item, "href")))
                )


_READERS: Mapping[str, Callable[[zipfile.ZipFile], str]] = {
    "word/document.xml": _docx_text,
    "META-INF/container.xml": _epub_text,
}


def _pdf_text(data: bytes, name: str) -> str:
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ImportError as error:
        raise MissingPackageError.of("PDF", error, "pdf") from None
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise FormatError("an encrypted PDF; wanted one without a password", path=name)
        pages = [page.extract_text() for page in reader.pages]
    except PyPdfError as error:
        raise FormatError(f"a PDF that cannot be read: {error}", path=name) from None
    if not any(map(str.strip, pages)):
        raise FormatError(
            "a PDF without text; a scanned one has only pictures: read it by OCR first", path=name
        )
    return "\n".join(f"{page.rstrip()}\n" for page in pages)
