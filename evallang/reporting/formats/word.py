"""Word: the main part of the report with tables to edit, pictures, captions and references."""

import io
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from msgspec.structs import replace

from evallang.installation import install_extras
from evallang.printable import without_isolates
from evallang.reporting import fonts, pdf
from evallang.reporting.document import (
    PANEL_LETTERS,
    Block,
    Caution,
    Cite,
    Code,
    Column,
    Document,
    Emphasis,
    Figure,
    Heading,
    Link,
    Listing,
    Mark,
    NumberedFindings,
    Paragraph,
    Ref,
    References,
    Row,
    Run,
    Runs,
    Stat,
    Strong,
    Subscript,
    Table,
    Title,
    runs,
)
from evallang.reporting.figures.figure import POINTS_PER_MM
from evallang.reporting.formats.format import FORMATS, FormatDeclaration, Writing
from evallang.reporting.long_tables import PAGE_WIDTH
from evallang.reporting.numbering import Numbering, number
from evallang.reporting.numbers import NBSP
from evallang.reporting.output_files import OutputFile
from evallang.reporting.report import alternative_text, arrange, figure_name, svg_file
from evallang.reporting.run_writer import RunWriter, plain
from evallang.reporting.style_sheets import DrawingStyle

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
NAMESPACE = f'xmlns:w="{W[1:-1]}"'
ROWS = 50  # of a table, as in the PDF
SERIF, SANS, MONO = "Times New Roman", "Arial", "Courier New"
INK, MUTED = "1A1A1A", "5A6068"
SIZES = (8.0, 7.5, 7.0, 6.5)  # points of the text of a table: the first that fits
WIDER = {False: 1.18, True: 1.29}  # letters of Arial against those of Source Sans, plain and bold
LOOSE = 1.2  # columns take so much more where there is room: not every machine has Arial
SIDE = 3.0  # points to the left and right of the text of a cell
LONGEST_WORD = 90.0  # points of a word that is not broken
WIDEST_HEAD = 72.0  # points of a head in one line
SHORTEST_HEAD = 30.0  # points of a head that stays in one line where there is little room
SHORT = 15  # rows of a table that stays on one page
MARGIN = 20  # mm
PAGES = {"a4": (210, 297), "letter": (215.9, 279.4)}  # mm
SINGLE = 100 * POINTS_PER_MM  # the width of a figure with one panel
TALLEST = 215 * POINTS_PER_MM
DOTS_PER_POINT = 300 / 72
UNPRINTABLE = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # by XML 1.0
EARLIEST = (1980, 1, 1, 0, 0, 0)
FACES = ("<w:rFonts", "<w:b/", "<w:i/", "<w:color", "<w:vertAlign")
"""What marks a run, in the order of the schema."""
RAISED, LOWERED = '<w:vertAlign w:val="superscript"/>', '<w:vertAlign w:val="subscript"/>'
BOLD, ITALIC, GREY = "<w:b/>", "<w:i/>", f'<w:color w:val="{MUTED}"/>'
LOW = '<w:vAlign w:val="bottom"/>'
RULE, THIN = 'w:val="single" w:sz="8" w:color="1A1A1A"', 'w:val="single" w:sz="4" w:color="9AA0A6"'


@FORMATS.register(FormatDeclaration(order=6, figures="pdf"), title="Word", name="docx")
def word(writing: Writing) -> Iterator[OutputFile]:
    """Write the main part of the report for Word and LibreOffice."""
    try:
        import docx
        import pypdfium2
    except ImportError:
        writing.notes.messages.append(
            "report.docx was not written because python-docx is not installed: "
            + install_extras("word")
        )
        return
    main = replace(writing.document, part="main")
    numbered, numbering = number(main, ROWS)
    cut = {table.id for table in numbered.every(Table) if table.left_out}
    for table in main.every(Table):
        if table.id in cut:
            writing.notes.shortened.setdefault(table.name, table)

    made = docx.Document()
    _lay_out(made, numbered)
    file = _File(made, numbering, numbered)
    for section in numbered.sections:
        if section.heading:
            file.paragraph("Heading1", runs(section.heading), bookmark=section.id)
        for block in section.blocks:
            if isinstance(block, Figure):
                try:
                    pictures = _picture(block, main.drawing_style, pypdfium2.PdfDocument)
                except pdf.PangoMissingError:
                    message = f"report.docx has no figures: {pdf.PangoMissingError.reason}"
                    if message not in writing.notes.messages:
                        writing.notes.messages.append(message)
                    continue
                file.figure(block, *pictures)
            else:
                file.block(block)
    file.describe()
    saved = io.BytesIO()
    made.save(saved)
    yield OutputFile("report.docx", _same_bytes(saved.getvalue()))


def _same_bytes(content: bytes) -> bytes:
    """Return an archive without the time at which it was written."""
    made = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as before,
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as after,
    ):
        for name in before.namelist():
            entry = zipfile.ZipInfo(name, EARLIEST)
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED
            after.writestr(entry, before.read(name))
    return made.getvalue()


def _picture(
    figure: Figure, style: DrawingStyle, read: Callable[[bytes], Any]
) -> tuple[bytes, float]:
    """Return a figure as PNG of 300 dots per inch, and its width in points."""
    drawings = [panel.drawing for panel in figure.panels]
    width = PAGE_WIDTH if len(drawings) > 1 else SINGLE
    sheet, alt = arrange(drawings, width), alternative_text(figure)
    drawn = fonts.spelled(style.applied(svg_file(sheet.printed(), alt)))
    styles = fonts.print_rules(fonts.DRAWN) + style.faces
    page = pdf.write_drawing(drawn, sheet.width, sheet.height, figure_name(figure.id), alt, styles)
    image = io.BytesIO()
    read(page)[0].render(scale=DOTS_PER_POINT).to_pil().save(image, "PNG")
    return image.getvalue(), min(width, width * TALLEST / sheet.height)


# --- styles --------------------------------------------------------------------------------------

STYLES = {  # family, size, bold, colour, points before and after
    "Normal": (SERIF, 10.5, False, INK, 0, 6),
    "Title": (SERIF, 20, True, INK, 0, 4),
    "Subtitle": (SERIF, 12, False, MUTED, 0, 6),
    "Heading 1": (SANS, 13, True, INK, 16, 6),
    "Heading 2": (SANS, 11, True, INK, 12, 4),
    "Caption": (SANS, 8.5, False, INK, 10, 4),
    "List Number": (SERIF, 10.5, False, INK, 0, 5),
    "Table Text": (SANS, 8, False, INK, 1, 1),
    "Table Note": (SANS, 8, False, MUTED, 3, 12),
    "Figure": (SANS, 8, False, INK, 10, 0),
    "Code": (MONO, 8, False, INK, 0, 6),
    "Works": (SERIF, 9.5, False, INK, 0, 3),
}


def _lay_out(made: Any, document: Document) -> None:
    """Set page, styles, properties and the line at the foot of each page."""
    from docx.enum.style import WD_STYLE_TYPE
    from docx.shared import Mm, Pt, RGBColor

    for name, (family, size, bold, colour, before, after) in STYLES.items():
        known = name in made.styles
        style = made.styles[name] if known else made.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
        for part in list(style.element.iter()):
            if part.tag.endswith(("}rPr", "}pBdr")):  # colours, fonts of a theme, a line below
                part.getparent().remove(part)
        style.font.name, style.font.size, style.font.bold = family, Pt(size), bold
        style.font.color.rgb = RGBColor.from_string(colour)
        style.font.italic = False
        layout = style.paragraph_format
        layout.space_before, layout.space_after = Pt(before), Pt(after)
        layout.line_spacing = 1.15 if family == SERIF else 1.0
        layout.widow_control = True
        layout.keep_with_next = name.startswith("Heading")
    works = made.styles["Works"].paragraph_format
    works.left_indent, works.first_line_indent = Mm(8), -Mm(8)
    section = made.sections[0]
    section.page_width, section.page_height = map(Mm, PAGES[document.page])
    section.left_margin = section.right_margin = int((section.page_width - Pt(PAGE_WIDTH)) / 2)
    section.top_margin = section.bottom_margin = Mm(MARGIN)
    section.footer.is_linked_to_previous = False
    section.footer.paragraphs[0].style = made.styles["Table Note"]
    section.footer.paragraphs[0].text = f"evallang report {document.report_id} · {document.footer}"
    for setting in made.settings.element.iter(f"{W}compatSetting"):
        if setting.get(f"{W}name") == "compatibilityMode":
            setting.set(f"{W}val", "15")  # of Word since 2013
    authors = next((title.authors for title in document.every(Title)), "")
    properties = made.core_properties
    properties.title, properties.author = _printable(document.title), _printable(authors)
    properties.subject, properties.keywords = "Evaluation report", document.report_id
    properties.comments, properties.last_modified_by = "", "evallang"
    properties.language, properties.revision = "en", 1
    date = pdf.NO_DATE if document.created is None else datetime.fromisoformat(document.created)
    properties.created = properties.modified = date.replace(tzinfo=None)


# --- writing -------------------------------------------------------------------------------------


def _printable(text: str) -> str:
    return UNPRINTABLE.sub("\ufffd", without_isolates(text)).replace("\u2060", "")


class WordWriter(RunWriter):
    """The runs of a report as runs of Word."""

    def __init__(
        self,
        numbering: Numbering,
        bookmarks: dict[str, str],
        relate: Callable[[str], str],
    ) -> None:
        self.numbering, self.bookmarks, self.relate = numbering, bookmarks, relate
        self.faces: tuple[str, ...] = ()

    def run(self, run: Run) -> str:
        """Return one run."""
        match run:
            case Strong():
                return self.faced(BOLD, run.runs)
            case Emphasis():
                return self.faced(ITALIC, run.runs)
            case Subscript():
                return self.faced(LOWERED, runs(run.text))
            case Mark():
                return self.faced(RAISED, runs(run.text))
            case Code():
                return self.faced(f'<w:rFonts w:ascii="{MONO}" w:hAnsi="{MONO}"/>', runs(run.text))
        return super().run(run)

    def faced(self, face: str, row: Runs) -> str:
        """Return runs with one mark more than those around them."""
        before, self.faces = self.faces, tuple(dict.fromkeys((*self.faces, face)))
        made = self.write(row)
        self.faces = before
        return made

    def text(self, text: str) -> str:
        """Return words."""
        if not text:
            return ""
        marks = "".join(f for start in FACES for f in self.faces if f.startswith(start))
        lines = (line.replace("\t", " ") for line in _printable(text).split("\n"))
        words = "<w:br/>".join(f'<w:t xml:space="preserve">{escape(line)}</w:t>' for line in lines)
        return f"<w:r><w:rPr>{marks}</w:rPr>{words}</w:r>"

    def stat(self, run: Stat) -> str:
        """Return a statistic with its letter in italics."""
        df = f"({f',{NBSP}'.join(run.df)})" if run.df else ""
        letter = self.text(run.symbol) if run.upright else self.faced(ITALIC, runs(run.symbol))
        return letter + self.text(f"{df}{NBSP}{run.relation}{NBSP}{run.text}")

    def cite(self, run: Cite) -> str:
        """Cite works by their raised numbers."""
        before, self.faces = self.faces, self.faces if run.spelled else (*self.faces, RAISED)
        numbers = self.numbering.cited(run.keys)
        made = "".join(self.text(sign) + self.link_to(f"ref-{n}", str(n)) for sign, n in numbers)
        self.faces = before
        return f"{self.text(f'{NBSP}(ref.{NBSP}')}{made}{self.text(')')}" if run.spelled else made

    def ref(self, run: Ref) -> str:
        """Refer to another part of the report."""
        if run.page:
            return self.text("below")
        words = run.words or self.numbering.labels[run.target]
        return self.text(" " * run.aside) + self.link_to(run.target, words)

    def link_to(self, target: str, words: str) -> str:
        """Return words that lead to a place of the file."""
        if target not in self.bookmarks:
            return self.text(words)
        return f'<w:hyperlink w:anchor="{self.bookmarks[target]}">{self.text(words)}</w:hyperlink>'

    def link(self, run: Link) -> str:
        """Return a link to the outside."""
        return (
            f'<w:hyperlink xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/'
            f'relationships" r:id={quoteattr(self.relate(run.href))}>{self.text(run.words)}'
            "</w:hyperlink>"
        )


class _File:
    """A file that is being written, block after block."""

    def __init__(self, made: Any, numbering: Numbering, document: Document) -> None:
        from docx.opc.constants import RELATIONSHIP_TYPE
        from docx.oxml import parse_xml

        self.made, self.parsed, self.numbering = made, parse_xml, numbering
        blocks = [block for section in document.sections for block in section.blocks]
        places = [section.id for section in document.sections]
        places += [block.id for block in blocks if isinstance(block, Heading | Table | Figure)]
        for block in blocks:
            if isinstance(block, References):
                places += [f"ref-{numbering.citations[work.key]}" for work in block.works]
        self.bookmarks = {place: f"place{n}" for n, place in enumerate(places, start=1)}
        self.writer = WordWriter(
            numbering,
            self.bookmarks,
            lambda href: made.part.relate_to(href, RELATIONSHIP_TYPE.HYPERLINK, is_external=True),
        )
        self.alternatives: list[tuple[str, str]] = []

    def add(self, xml: str) -> None:
        """Add an element to the end of the text."""
        element = self.parsed(xml.replace(">", f" {NAMESPACE}>", 1))
        self.made.element.body[-1].addprevious(element)  # what is last states the page

    def paragraph(self, style: str, row: Runs, *, bookmark: str = "", stays: bool = False) -> None:
        """Add a paragraph; one that `stays` is on the page of what follows."""
        self.add(self.paragraph_xml(style, self.writer.write(row), bookmark=bookmark, stays=stays))

    def paragraph_xml(
        self, style: str, text: str, *, more: str = "", bookmark: str = "", stays: bool = False
    ) -> str:
        """Return a paragraph; `more` are properties of it."""
        if bookmark:
            name, n = self.bookmarks[bookmark], list(self.bookmarks).index(bookmark)
            text = f'<w:bookmarkStart w:id="{n}" w:name="{name}"/>{text}<w:bookmarkEnd w:id="{n}"/>'
        keeps = "<w:keepNext/>" * stays
        return f'<w:p><w:pPr><w:pStyle w:val="{style}"/>{keeps}{more}</w:pPr>{text}</w:p>'

    def block(self, block: Block) -> None:
        """Add a block, but for a figure."""
        match block:
            case Title():
                self.title(block)
            case Heading():
                self.paragraph("Heading2", runs(block.text), bookmark=block.id)
            case Paragraph():
                small = block.role in ("note", "pointer")
                self.paragraph("TableNote" if small else "Normal", block.runs)
            case NumberedFindings():
                for item in block.items:
                    self.paragraph("ListNumber", item)
            case Caution():
                accepted = f" Accepted by the authors because {block.accepted}."
                words = runs(Strong(runs(f"{block.lead}.")), " ", block.body)
                words += runs(accepted if block.accepted else "", f" ({block.code}, {block.name})")
                self.paragraph("Normal", words)
            case Listing():
                self.paragraph("TableNote", runs(block.label), stays=True)
                self.paragraph("Code", runs(block.text))
            case References():
                for work in block.works:
                    n = self.numbering.citations[work.key]
                    text = f"<w:r><w:t>{n}.</w:t><w:tab/></w:r>{self.writer.write(work.runs)}"
                    self.add(self.paragraph_xml("Works", text, bookmark=f"ref-{n}"))
            case Table():
                self.table(block)

    def title(self, block: Title) -> None:
        """Add the head of the report."""
        self.paragraph("Title", runs(block.text))
        if block.subtitle:
            self.paragraph("Subtitle", runs(block.subtitle))
        if block.authors:
            self.paragraph("Normal", runs(block.authors))
        facts = [runs(f"{f.name} ", Strong(runs(f.value))) for f in block.facts]
        self.paragraph("TableNote", tuple(r for f in facts for r in (*f, *runs(" \u2003")))[:-1])
        if block.question:
            self.paragraph("Normal", (Emphasis(block.question),))

    def caption(self, block: Table | Figure, *after: Runs, stays: bool = False) -> str:
        """Return the caption of a table or figure, whose number Word counts."""
        label, _, number_ = self.numbering.labels[block.id].partition(NBSP)
        lead = self.writer.faced(BOLD, runs(f"{label} "))
        shown = self.writer.faced(BOLD, runs(number_))
        lead += f'<w:fldSimple w:instr=" SEQ {label} \\* ARABIC ">{shown}</w:fldSimple>'
        words = self.writer.write(runs(Strong(runs(".")), " ", block.caption, *after))
        return self.paragraph_xml("Caption", lead + words, bookmark=block.id, stays=stays)

    def figure(self, figure: Figure, picture: bytes, width: float) -> None:
        """Add a picture with its caption below."""
        from docx.shared import Pt

        place = self.made.add_paragraph(style="Figure")
        place.paragraph_format.keep_with_next = place.paragraph_format.keep_together = True
        place.add_run().add_picture(io.BytesIO(picture), width=Pt(width))
        self.alternatives.append((figure_name(figure.id), alternative_text(figure)))
        titles: Runs = ()
        if len(figure.panels) > 1 and not plain(figure.caption).startswith(f"{PANEL_LETTERS[0]}, "):
            for letter, panel in zip(PANEL_LETTERS, figure.panels, strict=False):
                titles += runs("; " if titles else " ", Strong(runs(letter)), " ", panel.title)
            titles += runs(".")
        self.add(self.caption(figure, titles))

    def describe(self) -> None:
        """Write the alternative text of each picture, and the numbers of pages."""
        for inline in self.made.element.iter("{*}inline"):
            inline.set("distL", "0")
            inline.set("distR", "0")
        pictures = self.made.element.iter("{*}docPr")
        for picture, (name, text) in zip(pictures, self.alternatives, strict=True):
            picture.set("name", name)
            picture.set("descr", _printable(text))
        page = f'<w:fldSimple {NAMESPACE} w:instr=" PAGE "><w:r><w:t>1</w:t></w:r></w:fldSimple>'
        for part in self.made.part.package.iter_parts():
            if part.content_type.endswith("footer+xml"):
                gap = f'<w:r {NAMESPACE}><w:t xml:space="preserve"> · page </w:t></w:r>'
                part.element[-1].extend([self.parsed(gap), self.parsed(page)])

    # --- tables ----------------------------------------------------------------------------------

    def table(self, table: Table) -> None:
        """Add a table with its caption above and its notes below."""
        size, widths = _widths(table)
        self.add(self.caption(table, stays=True))
        heads = self.heads(table, widths, size)
        short = len(table.rows) <= SHORT
        body = []
        for i, row in enumerate(table.rows):
            if table.left_out and i == table.gap_after:
                rest = "row is" if table.left_out == 1 else "rows are"
                file = f"tables/{table.name}.csv"
                words = runs(f"{table.left_out} {rest} omitted here; {file} has them all.")
                body.append(self.wide_row(words, widths, size))
            stays = short and (i < len(table.rows) - 1 or bool(table.notes))
            if row.group:
                words = (Emphasis(row.cells[0].runs),)
                body.append(self.wide_row(words, widths, size, stays=True))
            else:
                body.append(self.row(table, row, widths, size, stays=stays))
        grid = "".join(f'<w:gridCol w:w="{_twips(w)}"/>' for w in widths)
        edges = f"<w:top {RULE}/><w:bottom {RULE}/>"
        space = "".join(f'<w:{s} w:w="{_twips(SIDE)}" w:type="dxa"/>' for s in ("left", "right"))
        self.add(
            f'<w:tbl><w:tblPr><w:tblW w:w="{sum(map(_twips, widths))}" w:type="dxa"/>'
            f'<w:tblBorders>{edges}</w:tblBorders><w:tblLayout w:type="fixed"/>'
            f"<w:tblCellMar>{space}</w:tblCellMar>"
            f'<w:tblLook w:firstRow="1" w:firstColumn="1"/></w:tblPr>'
            f"<w:tblGrid>{grid}</w:tblGrid>{heads}{''.join(body)}</w:tbl>"
        )
        notes = [part for note in table.notes for part in (*note, *runs(" "))]
        self.paragraph("TableNote", tuple(notes[:-1]))

    def heads(self, table: Table, widths: Sequence[float], size: float) -> str:
        """Return the rows of heads, which every page of the table repeats."""
        spanned = {i for s in table.spanners for i in range(s.first, s.last + 1)}
        first, last = "", ""
        below = f"<w:tcBorders><w:bottom {RULE}/></w:tcBorders>{LOW}"
        for i, column in enumerate(table.columns):
            words = self.faced_cell(column.head, column, size, bold=True, stays=True)
            merged = table.spanners and i not in spanned
            empty = self.faced_cell((), column, size, stays=True)
            state = "continue" if merged else ""
            last += _cell(empty if merged else words, widths[i], below, merge=state)
            if merged:
                first += _cell(words, widths[i], LOW, merge="restart")
            for s in table.spanners:
                if s.first == i:
                    over = replace(column, align="center")
                    words = self.faced_cell(s.head, over, size, bold=True, stays=True)
                    line = f"<w:tcBorders><w:bottom {THIN}/></w:tcBorders>{LOW}"
                    wide = sum(widths[s.first : s.last + 1])
                    first += _cell(words, wide, line, span=s.last - s.first + 1)
        lines = (first, last) if table.spanners else (last,)
        return "".join(
            f"<w:tr><w:trPr><w:cantSplit/><w:tblHeader/></w:trPr>{line}</w:tr>" for line in lines
        )

    def row(
        self, table: Table, row: Row, widths: Sequence[float], size: float, *, stays: bool
    ) -> str:
        """Return a row of cells."""
        cells = ""
        for i, column in enumerate(table.columns):
            words = row.cells[i].runs if i < len(row.cells) else ()
            text = self.faced_cell(words, column, size, bold=row.strong, stays=stays)
            cells += _cell(text, widths[i])
        return f"<w:tr><w:trPr><w:cantSplit/></w:trPr>{cells}</w:tr>"

    def wide_row(
        self, words: Runs, widths: Sequence[float], size: float, *, stays: bool = False
    ) -> str:
        """Return a row of one cell."""
        text = self.faced_cell(words, Column((), "left"), size, stays=stays)
        cell = _cell(text, sum(widths), span=len(widths))
        return f"<w:tr><w:trPr><w:cantSplit/></w:trPr>{cell}</w:tr>"

    def faced_cell(
        self, row: Runs, column: Column, size: float, *, bold: bool = False, stays: bool = False
    ) -> str:
        """Return the paragraph of a cell."""
        text = self.writer.faced(BOLD, row) if bold else self.writer.write(row)
        small = f'<w:sz w:val="{round(2 * size)}"/>'
        text = re.sub(r"(<w:vertAlign[^>]*/>)?</w:rPr>", rf"{small}\1</w:rPr>", text)
        align = f'<w:jc w:val="{column.align}"/>'
        return self.paragraph_xml("TableText", text, more=align, stays=stays)


def _twips(points: float) -> int:
    return round(20 * points)


def _cell(text: str, width: float, borders: str = "", *, span: int = 1, merge: str = "") -> str:
    """Return a cell; one that is part of a merged one states it."""
    over = f'<w:gridSpan w:val="{span}"/>' if span > 1 else ""
    if merge:
        over += f'<w:vMerge w:val="{merge}"/>'
    size = f'<w:tcW w:w="{_twips(width)}" w:type="dxa"/>'
    return f"<w:tc><w:tcPr>{size}{over}{borders}</w:tcPr>{text}</w:tc>"


def _widths(table: Table) -> tuple[float, list[float]]:
    """Return the size of the text of a table, and the widths of its columns in points.

    Heads and columns of words are broken into lines where the others need the room.
    """
    for size in SIZES:
        every = range(len(table.columns))
        natural = [_width(table, i, size) for i in every]
        least = [_width(table, i, size, least=True) for i in every]
        for spanner in table.spanners:
            inside = slice(spanner.first, spanner.last + 1)
            for columns, most in ((natural, WIDEST_HEAD), (least, SHORTEST_HEAD)):
                wide = _head(plain(spanner.head), size, most) + 2 * SIDE
                columns[spanner.last] += max(0.0, wide - sum(columns[inside]))
        if sum(least) <= PAGE_WIDTH:
            break
    over, spare = sum(natural) - PAGE_WIDTH, sum(natural) - sum(least)
    if over <= 0:
        loose = min(LOOSE, PAGE_WIDTH / sum(natural))
        return size, [n * loose for n in natural]
    if over <= spare:
        return size, [n - (n - m) * over / spare for n, m in zip(natural, least, strict=True)]
    return size, [m * PAGE_WIDTH / sum(least) for m in least]


def _width(table: Table, i: int, size: float, *, least: bool = False) -> float:
    """Return the width of a column with lines that are not broken, or its `least`."""
    cells = [
        (plain(row.cells[i].runs), row.strong)
        for row in table.rows
        if not row.group and i < len(row.cells)
    ]
    column = table.columns[i]
    measured = _longest_word if least and column.align == "left" else _line
    body = max((measured(text, size, bold=bold) for text, bold in cells), default=0.0)
    head = _head(plain(column.head), size, SHORTEST_HEAD if least else WIDEST_HEAD)
    return max(body, head) + 2 * SIDE


def _head(text: str, size: float, most: float) -> float:
    """Return the width of a head, which is broken into lines where it is wider than `most`."""
    return min(_line(text, size, bold=True), max(most, _longest_word(text, size, bold=True)))


def _line(text: str, size: float, *, bold: bool = False) -> float:
    return WIDER[bold] * fonts.width(_printable(text), size, bold=bold)


def _longest_word(text: str, size: float, *, bold: bool = False) -> float:
    widths = [_line(word, size, bold=bold) for word in text.split(" ")]
    return min(max(widths), LONGEST_WORD)
