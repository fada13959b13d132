"""Texts of documents, which `tokalign diff` compares."""

from __future__ import annotations

import io
import zipfile

import pytest
from tokalign.cli.lines.document_text import document_text
from tokalign.errors import FormatError

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
ODT = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
)


def packed(**parts):
    """Return a ZIP file of parts; "--" in a name stands for a slash, "_" for a dot."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        for name, text in parts.items():
            file.writestr(name.replace("--", "/").replace("_", "."), text)
    return made.getvalue()


def docx(body):
    return packed(**{"word--document_xml": f"<w:document {W}>{body}</w:document>"})


def pdf(text):
    """Return a PDF of one page; without text, its page is a picture, as of a scanner."""
    stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET" if text else "0 0 9 9 re f"
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R"
        "/Resources<</Font<</F1 5 0 R>>>>>>",
        f"<</Length {len(stream)}>>stream\n{stream}\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    made, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(made))
        made += f"{number} 0 obj\n{each}\nendobj\n".encode()
    table = "".join(f"{each:010} 00000 n \n" for each in places)
    end = f"trailer<</Size 6/Root 1 0 R>>\nstartxref\n{len(made)}\n%%EOF"
    return made + f"xref\n0 6\n0000000000 65535 f \n{table}{end}".encode()


def test_word_has_headings_items_tables_and_the_new_text_of_tracked_changes():
    data = docx(
        '<w:p><w:pPr><w:pStyle w:val="Heading2"/><w:tabs><w:tab/></w:tabs></w:pPr>'
        "<w:r><w:t>Terms</w:t></w:r></w:p>"
        "<w:p><w:pPr><w:numPr/></w:pPr></w:p>\n<w:p> </w:p>"
        '<w:p><w:pPr><w:pStyle w:val="ListBullet"/></w:pPr><w:r>'
        "<w:t>One</w:t><w:br/><w:t>more</w:t></w:r></w:p>"
        '<w:p><w:r><w:t xml:space="preserve">It has </w:t></w:r>'
        "<w:del><w:r><w:delText>40</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>45</w:t></w:r></w:ins>\n"
        "<w:r><w:t xml:space='preserve'> rooms.</w:t></w:r></w:p>"
        "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc>"
        "<w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p><w:p><w:r><w:t>c</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
    )
    assert document_text(data, "x.docx") == (
        "## Terms\n\n- One\nmore\n\nIt has 45 rooms.\n\n| a | b c |\n"
    )


def test_open_document_has_headings_items_notes_and_no_deleted_text():
    content = (
        f"<office:document-content {ODT}><office:body><office:text>"
        "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>"
        '<text:h text:outline-level="1">Terms</text:h>'
        "<text:list><text:list-item><text:p>One<text:s/>or <text:span>two</text:span> more</text:p>"
        "</text:list-item></text:list>"
        "<text:p>Paid<text:note><text:note-citation>1</text:note-citation><text:note-body>"
        "<text:p>Once.</text:p></text:note-body></text:note> late.</text:p>"
        "<table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell>"
        "<table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>"
        "</office:text></office:body></office:document-content>"
    )
    data = packed(mimetype="application/vnd.oasis.opendocument.text", content_xml=content)
    assert document_text(data, "x.odt") == (
        "# Terms\n\n- One or two more\n\nPaid (Once.) late.\n\n| a | b |\n"
    )


def test_a_book_is_read_in_its_order():
    package = (
        '<package><manifest><item id="a" href="a%20b.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="b" href="b.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="b"/><itemref idref="a"/></spine></package>'
    )
    data = packed(
        **{
            "META-INF--container_xml": '<c><rootfile full-path="O/book.opf"/></c>',
            "O--book_opf": package,
            "O--a b_xhtml": "<html><head><title>x</title></head><body><p>Last.</p></body></html>",
            "O--b_xhtml": "<html><body><h1>First</h1></body></html>",
        }
    )
    assert document_text(data, "x.epub") == "# First\n\nLast.\n"


def test_a_page_has_paragraphs_code_and_cells_and_no_scripts():
    page = (
        "<!doctype html><head><title>T</title><style>p{}</style><body><h1>A &amp; b</h1>"
        "<p>It is\n  <b>old</b>.<script>alert()</script><ul><li>One<li>Two</ul>"
        "<pre>x = 1\n  y</pre><table><tr><td>a<td>b<tr><th>c</th></tr></table>End"
    )
    assert document_text(page.encode(), "x.html") == (
        "# A & b\n\nIt is old.\n\n- One\n\n- Two\n\n```\nx = 1\n  y\n```\n\n"
        "| a | b |\n\n| c |\n\nEnd\n"
    )
    assert document_text(b'<meta charset="latin-1"><p>caf\xe9', "x.htm") == "caf\xe9\n"
    assert document_text(page.encode(), "x.txt") is None


def test_a_pdf_has_its_text():
    pytest.importorskip("pypdf")
    assert document_text(pdf("It has 45 rooms."), "x.pdf") == "It has 45 rooms.\n"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (pdf(""), "a PDF without text; a scanned one has only pictures"),
        (b"%PDF-1.4\nnothing", "a PDF that cannot be read"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Word before 2007; save it as .docx"),
        (packed(mimetype="image/png"), "a ZIP file that is no .docx, .odt or .epub"),
        (packed(other="x"), "a document that cannot be read"),
        (b"PK\x03\x04", "a document that cannot be read"),
        (packed(**{"word--document_xml": "<w:p>"}), "a document that cannot be read"),
        (packed(**{"word--document_xml": "<a>" * 100_000}), "a document that cannot be read"),
        (packed(**{"word--document_xml": "<a>" * 9999 + "</a>" * 9999}), "cannot be read"),
    ],
)
def test_what_cannot_be_read_is_named(data, message):
    if data.startswith(b"%PDF"):
        pytest.importorskip("pypdf")
    with pytest.raises(FormatError, match=message) as caught:
        document_text(data, "x.docx")
    assert str(caught.value).startswith("x.docx: ")
