"""The LaTeX files of every kind of study, compiled: no error, no overfull box, every citation."""

import re
import shutil
import subprocess

import pdfplumber
import pytest
from kinds import KINDS
from programs import missing

from evallang.reporting.document import Cell, Column, Row, Spanner, Table, runs
from evallang.reporting.formats.latex_tables import FULL, NARROW, latex_table
from evallang.reporting.formats.latex_text import DEFINITION, LatexWriter

ARTICLE = r"\usepackage{lmodern}\usepackage[textheight=190mm]{geometry}"
PAPERS = {
    "full": (r"\documentclass[11pt]{article}", "OT1", ARTICLE, ("121mm", "5.5in", "159mm", "17cm")),
    "narrow": (r"\documentclass[twocolumn]{article}", "T1", ARTICLE, ("159.2mm",)),
    "narrow, IEEE": (r"\documentclass[conference]{IEEEtran}", "T1", "", ()),
}
"""Papers of the two forms of a table: class, encoding, packages, and the widths of the text."""
DOCUMENT = r"""%s
\usepackage[%s]{fontenc}
\usepackage{booktabs}
%s
\input{macros}
\begin{document}
%s
\bibliographystyle{plain}
\bibliography{references}
\end{document}
"""
MACROS = re.compile(r"^\\evallang@set.*?% (\\eval[^:]*): (.*)$", re.MULTILINE)


@pytest.fixture(scope="session")
def tex():
    if shutil.which("pdflatex") is None:
        missing("TeX")


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("name", sorted(KINDS))
def test_all_files_compile_without_error_or_overfull_box(tex, rendered, tmp_path, name, paper):
    folder = tmp_path / "paper"
    shutil.copytree(rendered(name).folder, folder)
    tables = sorted(path.name for path in (folder / "tables").glob("*.tex"))
    wanted = [t for t in tables if t.endswith("-narrow.tex") == paper.startswith("narrow")]
    assert wanted
    *head, texts = PAPERS[paper]
    body = []
    for text in texts or ("",):
        body += [rf"\newgeometry{{textwidth={text},textheight=190mm}}"] if text else []
        body += [rf"\input{{tables/{name}}}\clearpage" for name in wanted]
    body += [rf"\input{{{path.stem}}}" for path in sorted(folder.glob("*s.tex")) if _prose(path)]
    body += [rf"\cite{{{key}}}" for key in _unused(folder, wanted)]
    body += [f"{use}." for use in list(_macros(folder))[:40]]
    text = DOCUMENT % (*head, "\n\n".join(body))
    (folder / "paper.tex").write_text(text, encoding="utf-8")
    log = _compiled(folder, written=False)
    assert re.findall(r"^(?:!|Overfull|LaTeX Warning: Float too).*", log, re.MULTILINE) == []
    assert "undefined" not in log
    bib = (folder / "paper.blg").read_text(errors="replace")
    assert re.findall(r"^(?:Warning--|I |.*error).*", bib, re.MULTILINE) == []


def _prose(path):
    return path.name in ("methods.tex", "findings.tex")


def _macros(folder):
    """Return the calls of macros, each with what its comment says that it prints."""
    found = dict(MACROS.findall((folder / "macros.tex").read_text(encoding="utf-8")))
    assert any(use.startswith(r"\evalestimate") for use in found)
    return found


def _unused(folder, tables):
    """Return the keys that only the tables of the other width cite."""
    texts = [(folder / "tables" / name).read_text(encoding="utf-8") for name in tables]
    texts += [p.read_text(encoding="utf-8") for p in folder.glob("*.tex") if _prose(p)]
    cited = {
        k for t in texts for found in re.findall(r"\\cite\{(.*?)\}", t) for k in found.split(",")
    }
    bib = (folder / "references.bib").read_text(encoding="utf-8")
    return sorted(set(re.findall(r"^@\w+\{(.*?),", bib, re.MULTILINE)) - cited)


def _compiled(folder, *, written=True, engine="pdflatex"):
    """Compile a paper and return its log; its PDF is written where it is read."""
    latex = [engine, "-interaction=nonstopmode"]
    draft = [*latex, "-draftmode" if engine == "pdflatex" else "-no-pdf", "paper"]
    last = [*latex, "paper"] if written else draft
    for command in (draft, ["bibtex", "paper"], draft, last):
        subprocess.run(command, cwd=folder, capture_output=True, check=False)
    return (folder / "paper.log").read_text(encoding="latin-1")


@pytest.mark.parametrize("name", ["hostile names", "regression", "groups"])
def test_every_macro_prints_the_number_that_the_study_has(tex, rendered, tmp_path, name):
    folder = tmp_path / "paper"
    shutil.copytree(rendered(name).folder, folder)
    wanted = list(_macros(folder).items())
    lines = "\n\n".join(f"({i}) {use} end" for i, (use, _) in enumerate(wanted))
    text = "\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\usepackage{lmodern}\n"
    text += f"\\input{{macros}}\n\\begin{{document}}\n{lines}\n\\end{{document}}\n"
    (folder / "paper.tex").write_text(text, encoding="utf-8")
    assert re.findall(r"^!.*", _compiled(folder), re.MULTILINE) == []
    with pdfplumber.open(folder / "paper.pdf") as document:
        words = _plain(" ".join(page.extract_text() for page in document.pages))
    for i, (use, shown) in enumerate(wanted):
        assert f"({i}){_plain(shown)}end" in words, use
    estimates = rendered(name).results.record.estimates
    values = {(e.model, e.metric): e.value for e in estimates if e.subgroup is None}
    primary = estimates[0].metric
    for use, shown in wanted:
        model = re.fullmatch(r"\\evalestimate\{(\w+)\}", use)
        if model:
            value = values[model[1], primary] * (100 if "%" in shown else 1)
            assert float(shown.rstrip("%")) == pytest.approx(value, rel=0.01), use


def _plain(text):
    """Return a text as one word, whatever a font and a line make of signs and blanks."""
    return re.sub(r"\s+", "", text).replace("\N{MINUS SIGN}", "-")


def paper_of_two(folder, rendered, body):
    """Compile a paper that reads the macros of two studies of one file name; return log and PDF."""
    for name, kind in (("one", "four models, one metric"), ("two", "groups")):
        (folder / name).mkdir()
        shutil.copy(rendered(kind).folder / "macros.tex", folder / name)
    (folder / "paper.tex").write_text(
        "\\documentclass{article}\n\\input{one/macros}\n\\def\\evalname{grouped}\\input{two/macros}\n"
        f"\\begin{{document}}\n{body}\n\\end{{document}}\n",
        encoding="utf-8",
    )
    return _compiled(folder), folder / "paper.pdf"


def test_two_studies_share_a_paper_and_keep_their_numbers(tex, rendered, tmp_path):
    body = r"\evalstudy{study}\evalp{m0}{m1}; {\evalstudy{grouped}\evalp{m0}{m1};} \evalp{m0}{m1}"
    log, pdf = paper_of_two(tmp_path, rendered, body)
    assert re.findall(r"^!.*", log, re.MULTILINE) == []
    with pdfplumber.open(pdf) as document:
        found = re.findall(r"=\s*(\.\d+)", document.pages[0].extract_text())
    shown = []
    for kind in ("four models, one metric", "groups"):
        (pair,) = [
            pair
            for pair in rendered(kind).results.record.comparisons[0].pairwise
            if set(pair.models) == {"m0", "m1"}
        ]
        shown.append(pair.p_adjusted)
    assert found[0] == found[2] != found[1]
    assert [float(p) for p in found[:2]] == pytest.approx(shown, abs=0.0005)


@pytest.mark.parametrize(
    ("command", "repeated"), [(r"\evalbibliography", False), (r"\bibliography", True)]
)
def test_works_that_two_studies_cite_are_listed_once(tex, rendered, tmp_path, command, repeated):
    works = []
    for name, kind in (("one", "four fitted models"), ("two", "groups")):
        shutil.copytree(rendered(kind).folder, tmp_path / name)
        text = (tmp_path / name / "references.bib").read_text(encoding="utf-8")
        works.append(set(re.findall(r"^@\w+\{(.*?),", text, re.MULTILINE)))
    assert works[0] & works[1] and works[0] ^ works[1]
    (tmp_path / "paper.tex").write_text(
        "\\documentclass{article}\n\\usepackage{booktabs}\n\\input{one/macros}\n"
        "\\def\\evalname{grouped}\\input{two/macros}\n\\begin{document}\n\\input{one/methods}\n"
        "\\input{two/methods}\n\\nocite{*}\\bibliographystyle{plain}\n"
        f"{command}{{one/references,two/references}}\n\\end{{document}}\n",
        encoding="utf-8",
    )
    log = _compiled(tmp_path)
    assert re.findall(r"^!.*|undefined", log, re.MULTILINE) == []
    assert ("Repeated" in (tmp_path / "paper.blg").read_text(errors="replace")) is repeated
    listed = re.findall(r"\\bibitem\{(.*?)\}", (tmp_path / "paper.bbl").read_text(errors="replace"))
    assert sorted(listed) == sorted(works[0] | works[1])


NAMES = ("αβ-divergence & χ²", "支持向量机 & Co", "Łoś–Ångström")


def test_names_survive_in_xelatex_and_pdflatex_warns_of_those_it_has_no_font_for(tex, tmp_path):
    rows = [Row((Cell(runs(name)), Cell(runs("12.3")))) for name in NAMES]
    columns = (Column(runs("Model"), "left"), Column(runs("Value")))
    table = Table("t", runs("C."), columns, tuple(rows))
    made = latex_table(table, LatexWriter({}), millimetres=FULL, label="tab:t", pointer="t.csv")
    logs = {}
    for engine, package in (
        ("pdflatex", r"\usepackage[T1]{fontenc}\usepackage{lmodern}"),
        ("xelatex", r"\usepackage{fontspec}\setmainfont{Noto Serif CJK SC}"),
    ):
        if shutil.which(engine) is None:
            missing("XeTeX")
        (tmp_path / engine).mkdir()
        text = f"\\documentclass{{article}}\n\\usepackage{{booktabs}}{package}\n{DEFINITION}\n"
        text += f"\\begin{{document}}\n{made}\n\\end{{document}}\n"
        (tmp_path / engine / "paper.tex").write_text(text, encoding="utf-8")
        logs[engine] = _compiled(tmp_path / engine, engine=engine)
        assert re.findall(r"^(?:!|Overfull).*", logs[engine], re.MULTILINE) == []
    assert "no font for U+652F" in logs["pdflatex"] and "no font" not in logs["xelatex"]
    with pdfplumber.open(tmp_path / "xelatex" / "paper.pdf") as document:
        found = _plain(" ".join(page.extract_text() for page in document.pages))
    assert "支持向量机&Co" in found and "divergence&" in found


SCRIPTS = (
    "支持向量机 RBF",
    "サポートベクターマシン",
    "최근접 이웃 분류기",
    "الانحدار اللوجستي المنظم",
)
"""Names that pdfTeX has no font for: Chinese, Japanese, Korean and Arabic."""


def test_names_of_other_scripts_fit_as_heads_stubs_and_groups(tex, tmp_path):
    columns = (Column(runs("Model"), "left"), *(Column(runs(name)) for name in SCRIPTS))
    rows = [Row((Cell(runs(SCRIPTS[3])),), group=True)]
    rows += [Row((Cell(runs(name)), *[Cell(runs("12.3"))] * 4), strong=True) for name in SCRIPTS]
    spanners = (Spanner(runs(SCRIPTS[1]), 1, 2), Spanner(runs(SCRIPTS[0]), 3, 4))
    table = Table("t", runs(*SCRIPTS), columns, tuple(rows), spanners, whole=True)
    made = [
        latex_table(table, LatexWriter({}), millimetres=size, label="tab:t", pointer="t.csv")
        for size in (FULL, NARROW)
    ]
    text = "\\documentclass[twocolumn,a4paper]{article}\n\\usepackage{booktabs}\n"
    text += f"{DEFINITION}\n\\begin{{document}}\n{''.join(made)}\n\\end{{document}}\n"
    (tmp_path / "paper.tex").write_text(text, encoding="utf-8")
    log = _compiled(tmp_path)
    assert re.findall(r"^(?:!|Overfull).*", log, re.MULTILINE) == []
    with pdfplumber.open(tmp_path / "paper.pdf") as document:
        found = _plain(" ".join(page.extract_text() for page in document.pages))
    assert found.count("U+652F") >= 6 and found.count("12.3") == 32
