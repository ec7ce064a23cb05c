"""LaTeX: tables to `\\input`, the text of Methods and Results, their bibliography, and macros."""

from collections.abc import Iterator

from evallang.reporting.document import Paragraph, Runs, Table, Title
from evallang.reporting.formats.bibtex import bibliography
from evallang.reporting.formats.format import (
    FORMATS,
    FormatDeclaration,
    Writing,
    cited_keys,
)
from evallang.reporting.formats.latex_tables import (
    BROAD,
    FULL,
    NARROW,
    WIDE,
    latex_table,
    whole_in,
)
from evallang.reporting.formats.latex_text import (
    DEFINITION,
    FALLBACK,
    LatexWriter,
    needs_fallback,
)
from evallang.reporting.formats.macros import macros
from evallang.reporting.formats.works import study_key
from evallang.reporting.output_files import OutputFile

BIBLIOGRAPHY = "references.bib"


@FORMATS.register(FormatDeclaration(order=3, figures="pdf"), title="LaTeX")
def latex(writing: Writing) -> Iterator[OutputFile]:
    """Write tables, Methods, findings, macros and their references for a paper in LaTeX."""
    written = dict(latex_files(writing))
    parts = (part for text in written.values() for part in text.split(f"\\{FALLBACK}{{")[1:])
    odd = sorted({part[0] for part in parts if part[:1] != "}"})
    if odd:
        writing.notes.messages.append(
            f"pdfLaTeX has no font for {' '.join(odd[:20])} and prints code points instead; "
            "compile the LaTeX files by LuaLaTeX or XeLaTeX with a font that has them"
        )
    for path, text in written.items():
        yield OutputFile(path, text.encode())


def latex_files(writing: Writing) -> Iterator[tuple[str, str]]:
    """Iterate over the paths and texts of all files."""
    context = writing.context
    tables = writing.tables()
    texts = {"methods": methods_file_rows(writing), "findings": list(writing.all_findings())}
    for table in tables:
        name = table.name
        yield f"tables/{name}.tex", full_file(writing, table)
        narrow = table_source(writing, table.narrow or table, NARROW)
        narrow = _table_file(writing, f"at most {NARROW} mm wide", narrow)
        yield f"tables/{name}-narrow.tex", narrow
    titles = {"methods": "Methods", "findings": "findings"}
    for name, rows in texts.items():
        if rows:
            body = "\n\n".join(prose_source(writing, row) for row in rows)
            words = f"{titles[name]}; cites the works of {BIBLIOGRAPHY}"
            yield f"{name}.tex", _file(writing, words, f"{{\\sloppy\n{body}\n\\par}}\n")
    yield BIBLIOGRAPHY, bibliography(writing.works, writing.cited())
    numbers = macros(context, study_key(writing.results))
    yield "macros.tex", _file(writing, "the numbers of the study as macros", numbers)


def methods_rows(writing: Writing) -> list[Runs]:
    """Return the paragraphs of the methods text."""
    blocks = writing.blocks("methods")
    return [b.runs for b in blocks if isinstance(b, Paragraph) and b.role == "methods"]


def methods_file_rows(writing: Writing) -> list[Runs]:
    """Return the paragraphs of the file: the authors' own words where they cite, then Methods."""
    methods = methods_rows(writing)
    own = (title.question for title in writing.document.every(Title))
    return [*(words for words in own if cited_keys([words])), *methods] if methods else []


def table_source(writing: Writing, table: Table, millimetres: int) -> str:
    """Return a table as LaTeX to be pasted."""
    label = f"tab:{study_key(writing.results)}-{table.name}"
    pointer = f"tables/{table.name}.csv has them all"
    if not whole_in(table, millimetres):
        writing.notes.shortened.setdefault(table.name, table)
    return latex_table(
        table, LatexWriter(writing.works), millimetres=millimetres, label=label, pointer=pointer
    )


def full_file(writing: Writing, table: Table) -> str:
    """Return a table as a file, laid out for the width of the paper that reads it."""
    words, text = f"at most {FULL} mm wide", table_source(writing, table, FULL)
    wider = text
    for width in (BROAD, WIDE):
        source = table_source(writing, table, width)
        if source != wider:
            words += f", or {width} mm where the text of the paper is as wide"
            text = f"\\ifdim\\textwidth<{width}mm\n{text}\\else\n{source}\\fi\n"
            wider = source
    return _table_file(writing, words, text)


def _table_file(writing: Writing, width: str, body: str) -> str:
    words = rf"{width}; needs \usepackage{{booktabs}}"
    return _file(writing, words, body)


def prose_source(writing: Writing, row: Runs) -> str:
    """Return a paragraph as LaTeX to be pasted."""
    return LatexWriter(writing.works, bold=False).write(row).strip()


def _file(writing: Writing, words: str, body: str) -> str:
    head = f"% evallang report {writing.context.report_id}: {words}\n"
    if needs_fallback(body):
        head += f"{DEFINITION}\n"
    return head + body
