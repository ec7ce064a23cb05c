"""Tables of LaTeX: long ones lose rows and say so, wide and tall ones go on in a next float."""

import re

import fixture
import pytest

from evallang.reporting.document import (
    Cell,
    Column,
    Emphasis,
    Row,
    Spanner,
    Subscript,
    Table,
    runs,
)
from evallang.reporting.formats.latex_tables import MOST_ROWS, TALLEST, WIDE, latex_table, whole_in
from evallang.reporting.formats.latex_text import LatexWriter, width_of
from evallang.reporting.report import write_report

WRITER = LatexWriter({})


def table(rows, columns, **fields) -> Table:
    return Table(
        "t",
        runs("Caption."),
        (Column(runs("Model"), align="left"), *(Column(runs(f"Head {i}")) for i in range(columns))),
        tuple(
            Row((Cell(runs(f"m{r}")), *(Cell(runs(f"{r}.{c}")) for c in range(columns))))
            for r in range(rows)
        ),
        **fields,
    )


def latex(found, millimetres=183) -> str:
    return latex_table(found, WRITER, millimetres=millimetres, label="tab:t", pointer="see t.csv")


def names(text) -> list[str]:
    return re.findall(r"^\s*(m\d+) &", text, re.MULTILINE)


def test_a_short_table_is_one_float_with_all_rows():
    text = latex(table(5, 3))
    assert text.count(r"\begin{table*}") == 1
    assert names(text) == ["m0", "m1", "m2", "m3", "m4"]
    assert "omitted" not in text


@pytest.mark.parametrize("rows", [MOST_ROWS + 1, 200])
def test_a_long_table_keeps_its_first_and_last_rows_and_counts_the_others(rows):
    text = latex(table(rows, 3))
    shown = names(text)
    assert len(shown) < rows
    assert rf"{rows - len(shown)} row" in text
    assert "omitted; see t.csv." in text
    assert shown[0] == "m0"
    assert shown[-1] == f"m{rows - 1}"
    assert text.count(r"\ldots") == 1
    assert not whole_in(table(rows, 3), 183)


def test_a_table_that_must_be_whole_is_not_cut():
    assert len(names(latex(table(60, 2, whole=True)))) == 60


def test_a_wide_table_goes_on_in_a_float_of_the_same_number():
    text = latex(table(30, 30), millimetres=89)
    floats = text.split(r"\begin{table*}")[1:]
    assert len(floats) > 1
    assert floats[0].count(r"\label{tab:t}") == 1
    for later in floats[1:]:
        assert r"\addtocounter{table}{-1}" in later
        assert "Caption. (continued)" in later
        assert r"\label" not in later
    heads = set(re.findall(r"Head\D+?(\d+)", text))
    assert heads == {str(i) for i in range(30)}
    for one in floats:
        lines = sum(len(part.split(r"\\")) for part in one.split(r"\begin{tabular}{")[1:])
        assert lines * 9 < 1.3 * TALLEST


def test_columns_below_one_spanner_stay_together_where_they_fit():
    spanned = table(3, 6, spanners=(Spanner(runs("Both"), 5, 6),))
    text = latex(spanned, millimetres=60)
    parts = [p for p in text.split(r"\toprule")[1:] if "Both" in p]
    assert len(parts) == 1
    assert "0.4" in parts[0]
    assert "0.5" in parts[0]


def test_a_head_keeps_the_space_before_words_in_italics():
    head = runs("Cohen’s ", Emphasis(runs("d")), Subscript("z"))
    columns = (Column(runs("Model"), "left"), Column(head))
    found = Table("t", runs("Caption."), columns, (Row((Cell(runs("m")), Cell(runs("1.2")))),))
    assert r"Cohen's \textit{d}\textsubscript{z}" in latex(found)


def test_a_table_is_laid_out_for_the_text_of_the_paper_that_reads_it(drawn, tmp_path):
    results = drawn("cancer").results
    write_report(results, tmp_path, ("latex",), figures=False)
    text = (tmp_path / "tables" / "estimates-1.tex").read_text(encoding="utf-8")
    layouts = re.findall(r"\\begin\{table\*\}.*?\\end\{table\*\}", text, re.DOTALL)
    assert text.count(r"\ifdim\textwidth<") == len(layouts) - 1
    assert rf"\textwidth<{WIDE}mm" in text
    assert len({frozenset(names_of_models(layout)) for layout in layouts}) == 1
    parts = [layout.count(r"\toprule") for layout in layouts]
    assert parts == sorted(parts, reverse=True) and parts[0] > parts[-1]
    narrow = (tmp_path / "tables" / "estimates-1-narrow.tex").read_text(encoding="utf-8")
    assert r"\begin{table}" in narrow and "table*" not in narrow
    assert "Accuracy: 95\\% Wilson score interval." in narrow


def names_of_models(text) -> set[str]:
    return {label for label in fixture.LABELS.values() if label in text}


def test_columns_of_words_are_broken_next_to_each_other_but_not_within_a_word():
    words = "lowest n_long_component_name above both of the references"
    columns = (Column(runs("M"), "left"), Column(runs("Quantity"), "left"), Column(runs("Value")))
    row = Row((Cell(runs("Logistic regression")), Cell(runs(words)), Cell(runs("0.020"))))
    text = latex(Table("t", runs("C."), columns, (row,)), millimetres=77)
    assert text.count(r"\toprule") == 1
    (width,) = re.findall(r"@\{\}lp\{([\d.]+)pt\}", text)  # the name stays on one line
    assert width_of("n_long_component_name") <= float(width) < width_of(words)


def test_a_head_without_a_font_in_pdftex_is_broken_by_the_engine_that_prints_it():
    columns = (Column(runs("M"), "left"), Column(runs("支持向量机分类器")))
    text = latex(Table("t", runs("C."), columns, (Row((Cell(runs("m")), Cell(runs("1.2")))),)))
    (width,) = re.findall(r"\\parbox\[b\]\{([\d.]+)pt\}\{\\raggedleft\\hspace\{0pt\}", text)
    assert 8 * 3 <= float(width) <= 62
    assert r"\evalchar{支}{652F}\hspace{0pt}\evalchar{持}{6301}" in text
