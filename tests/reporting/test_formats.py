"""LaTeX, Markdown and CSV of the drawn studies, read as a paper, a README and a program do."""

import csv
import io
import json
import re
from functools import cache

import fixture
import pytest
from conftest import NAMES, ROOMS
from many_cases import for_each
from msgspec.structs import replace

import evallang as ev
from evallang.api.verifying import verify_results
from evallang.reporting.formats.latex_text import escape, width_of
from evallang.reporting.formats.works import short_form, slug, works_of
from evallang.reporting.report import write_report
from evallang.results.codec import to_plain
from evallang.results.records import ReferenceRecord

pytestmark = pytest.mark.pdf

TEXT = ("latex", "markdown", "csv")
CITE = re.compile(r"\\cite\{(.*?)\}")
ENTRY = re.compile(r"^@\w+\{(.*?),$", re.MULTILINE)
SETS = re.compile(r"\\evallang@set\{(\w+)\}\{(.*?)\}\{(.*?)\}\{(.*)\}% ")


def drawing(name):
    (made,) = {getattr(room, name) for room in ROOMS if hasattr(room, name)}
    return made()


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Return a function that writes the text formats of a study, and returns their texts."""

    @cache
    def write(name):
        folder = tmp_path_factory.mktemp(name)
        write_report(drawing(name), folder, TEXT, figures=False)
        files = [p for p in folder.rglob("*") if p.is_file() and not p.name.startswith(".")]
        return {p.relative_to(folder).as_posix(): p.read_bytes().decode() for p in files}

    return write


def check_citations(files):
    """Every work is cited, and every citation has its entry."""
    texts = [text for path, text in files.items() if path.endswith(".tex")]
    cited = {key for text in texts for found in CITE.findall(text) for key in found.split(",")}
    entries = ENTRY.findall(files["references.bib"])
    assert len(entries) == len(set(entries))
    assert set(entries) == cited


def check_footnotes(files):
    """Footnotes of Markdown are defined and used."""
    for path, text in files.items():
        if path.endswith(".md"):
            used = set(re.findall(r"\[\^([^\]]+)\](?!:)", text))
            defined = set(re.findall(r"^\[\^([^\]]+)\]:", text, re.MULTILINE))
            assert used == defined, path


def check_prose(files):
    """Prose for a paper refers to no part of the report."""
    for path in ("methods.tex", "findings.tex", "methods.md"):
        words = files.get(path, "")
        assert not re.search(r"\b(Table|Figure|page|below|above)\b ?\d*", words), path


def check_characters(files):
    """Braces of LaTeX are balanced; outside of ASCII are letters only."""
    for path, text in files.items():
        if path.endswith((".tex", ".bib")):
            bare = re.sub(r"\\[{}]", "", re.sub(r"(?<!\\)%.*", "", text))
            assert bare.count("{") == bare.count("}"), path
            kept = re.sub(r"\\evalchar\{.\}|(?<!\\)%.*", "", text)
            assert not re.search(r"[\u2000-\uffff]", kept), path


def check_tables(files):
    """Rows of tables have a cell for every column."""
    for path, text in files.items():
        if path.endswith(".csv"):
            rows = list(csv.reader(io.StringIO(text)))
            assert {len(row) for row in rows} == {len(rows[0])}, path
            assert len(set(rows[0])) == len(rows[0]), path
        if path.startswith("tables/") and path.endswith(".md"):
            lines = [line for line in text.split("\n") if line.startswith("|")]
            counts = {len(re.findall(r"(?<!\\)\|", line)) for line in lines}
            assert len(counts) == 1, path
            heads = re.split(r"(?<!\\)\|", lines[0])[2:-1]
            assert len(set(heads)) == len(heads), path


@pytest.mark.parametrize("name", NAMES)
def test_the_text_formats_of_a_study_are_whole(written, name):
    files = written(name)
    for check in (check_citations, check_footnotes, check_prose, check_characters, check_tables):
        check(files)


def test_csv_has_every_digit_of_the_results(written):
    results = fixture.cancer()
    (table,) = [t for p, t in written("cancer").items() if p == "tables/estimates-1.csv"]
    rows = {row["Model"]: row for row in csv.DictReader(io.StringIO(table))}
    labels = {model.name: model.label or model.name for model in results.models}
    checked = 0
    for estimate in results.estimates:
        row = rows[labels[estimate.model]]
        if estimate.metric in row and estimate.value is not None:
            assert float(row[estimate.metric]) == estimate.value
            low = row.get(f"{estimate.metric} 95% CI low")
            if low and estimate.interval is not None:
                assert float(low) == estimate.interval.low
            checked += 1
    assert checked >= len(rows)


def test_pairs_in_csv_are_those_of_the_results(written):
    results = fixture.cancer()
    text = written("cancer")["tables/comparison-1.csv"]
    found = {(float(r["difference"]), float(r["p"])) for r in csv.DictReader(io.StringIO(text))}
    pairs = results.comparisons[0].pairwise
    assert found == {(pair.estimate.value, pair.p) for pair in pairs}


def test_macros_have_the_number_of_each_pair_in_both_directions(written):
    results = fixture.cancer()
    found = {
        (name, place, key): value
        for name, place, key, value in SETS.findall(written("cancer")["macros.tex"])
    }
    comparison = results.comparisons[0]
    for pair in comparison.pairwise:
        first, second = pair.models
        decisive = pair.p if pair.p_adjusted is None else pair.p_adjusted
        for key, sign in ((f"{first}@{second}", 1), (f"{second}@{first}", -1)):
            shown = found["p", comparison.metric, key]
            number = float(re.search(r"[=<>] (\d*\.\d+)", shown)[1])
            bound = "<" in shown or ">" in shown
            assert bound or abs(number - decisive) <= 0.0005 + 1e-12
            difference = found["difference", comparison.metric, key]
            plain = float(re.match(r"[+-]?[\d.]+", difference.replace("$-$", "-"))[0])
            assert abs(plain - sign * 100 * pair.estimate.value) <= 0.05 + 1e-9


@for_each(
    ("text", "expected"),
    [
        ("a_b & 50% of #1", r"a\_b \& 50\% of \#1"),
        ("\\input{x} $y$", r"\textbackslash{}input\{x\} \$y\$"),
        ("p < .001", "p $<$ .001"),
        ("−0.3", "$-$0.3"),
        ("2.8\u00a0×\u00a010⁻⁵", r"2.8~$\times$~10$^{-5}$"),
        ("χ²", r"$\chi$$^{2}$"),
        ("Müller–Łoś, p–r", r"Müller\mbox{--}Łoś, p--r"),
        ('of "north" & "x"', "of ``north'' \\& ``x''"),
        ("随机", r"\evalchar{随}{968F}\hspace{0pt}\evalchar{机}{673A}"),
    ],
)
def test_text_becomes_inert_latex(text, expected):
    assert escape(text) == expected


def test_widths_are_those_of_tex():
    """Widths of an \\hbox in pdfTeX 1.40, \\footnotesize of an article of 10 points, in points.

    Computer Modern in OT1 and Latin Modern in T1 differ by less than .001.
    """
    measured = {
        "Logistic regression": 68.27,
        "[−0.2,\u00a08.4]": 38.25,
        "0123456789": 42.50,
        "W": 8.73,
        "Nearest neighbours (k = 5)": 101.63,
    }
    for text, width in measured.items():
        assert width <= width_of(text) <= 1.1 * width, text


def test_keys_and_labels_are_plain():
    assert slug("Señor Núñez / 2") == "Senor-Nunez-2"
    assert slug("随机") == "x968f-673a"
    authors = ("Nadeau C", "Bengio Y")
    work = ReferenceRecord("n", authors, 2003, "T", "J", "", "", "", "article")
    assert short_form(work) == "Nadeau & Bengio, 2003"


def test_keys_of_data_are_those_of_one_study_and_keys_of_methods_those_of_all():
    results = fixture.cancer()
    data = replace(results.data[0], cite="Street 1993, an own sample")
    keys = []
    for path in ("here/pilot.eval", "there/main.eval"):
        of_path = replace(results, data=(data,), spec=replace(results.spec, path=path))
        works = works_of(of_path).values()
        assert [w.key.partition("-")[0] for w in works if w.data] == [path[:-5].partition("/")[2]]
        keys.append([work.key for work in works if work.data is None])
    assert keys[0] == keys[1] != []


def test_formulas_are_quoted_in_csv(written):
    for path, text in written("hostile").items():
        if path.endswith(".csv"):
            for row in csv.reader(io.StringIO(text)):
                for cell in row:
                    assert not cell.startswith(("=", "@", "\t"))
                    assert not re.match(r"[+-](?!\d|inf)", cell)


def test_files_of_an_earlier_report_go_and_those_of_a_user_stay(tmp_path):
    write_report(fixture.cancer(), tmp_path, TEXT)
    own = tmp_path / "tables" / "mine.tex"
    own.write_text("mine", encoding="utf-8")
    listed = json.loads((tmp_path / ".evallang-files").read_text(encoding="utf-8"))
    assert set(listed) >= set(TEXT)
    assert "tables/comparison-1.tex" in listed["latex"]
    write_report(drawing("no_intervals"), tmp_path, ("latex",))
    names = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")}
    again = json.loads((tmp_path / ".evallang-files").read_text(encoding="utf-8"))
    left = {name for name in names if name.endswith(".tex")}
    assert left == {*again["latex"], "tables/mine.tex"} - {"references.bib"}
    assert "tables/comparison-1.csv" in names  # of a format that was not written again


def test_a_link_in_place_of_the_tables_is_replaced_and_not_followed(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "tables").symlink_to(elsewhere)
    write_report(fixture.cancer(), folder, ("csv",))
    assert list(elsewhere.iterdir()) == []
    assert (folder / "tables" / "estimates-1.csv").is_file()


def test_results_of_an_older_version_give_every_format(tmp_path):
    """Fields that were added to the schema are missing in older files."""
    plain = to_plain(fixture.cancer())
    for name in ("style_sheet", "template_sha256", "best_of_many"):
        del plain[name]
    for name in ("style", "template", "bibliography"):
        del plain["report"][name]
    for work in plain["references"]:
        del work["bibtex"]
    (tmp_path / "results.json").write_text(json.dumps(plain), encoding="utf-8")
    results = ev.Results.load(tmp_path)
    assert results.render("html", *TEXT, folder=tmp_path) == ()
    now = tmp_path / "now"
    write_report(fixture.cancer(), now, ("html", *TEXT))
    for path in sorted(p for p in now.rglob("*.*") if p.suffix != ".html"):
        assert (tmp_path / path.relative_to(now)).read_bytes() == path.read_bytes()


def test_the_authors_own_works_keep_their_keys_and_entries(tmp_path):
    (tmp_path / "refs.bib").write_text(
        "@article{mcnemar1947, author = {Street, W. N.}, title = {Mine}, journal = {J}, "
        "year = 1993, note = {kept}}\n@book{other, title = {No}, year = 2000}\n",
        encoding="utf-8",
    )
    (tmp_path / "study.eval").write_text(
        "evallang 1\nstudy\n  seed 1\ncounts trial\n  models a, b\n  table [[60, 20], [9, 11]]\n"
        '  cite "mcnemar1947"\ncompare a vs b with mcnemar\nreport latex\n'
        '  bibliography "refs.bib"\n',
        encoding="utf-8",
    )
    ev.run(tmp_path / "study.eval", out=tmp_path / "out", look=False)
    text = (tmp_path / "out" / "references.bib").read_text(encoding="utf-8")
    assert "note = {kept}" in text and "{other" not in text
    assert ENTRY.findall(text).count("mcnemar1947") == 1
    assert "mcnemar1947-2" in ENTRY.findall(text)
    methods = (tmp_path / "out" / "methods.tex").read_text(encoding="utf-8")
    assert "mcnemar1947-2" in methods and re.search(r"\\cite\{mcnemar1947\}", methods)
    assert ev.Results.load(tmp_path / "out").render("latex", folder=tmp_path / "again") == ()
    again = (tmp_path / "again" / "references.bib").read_text(encoding="utf-8")
    assert again == text


def test_verify_finds_a_number_that_was_changed_in_a_macro(tmp_path):
    (tmp_path / "study.eval").write_text(
        "evallang 1\nstudy\n  seed 1\ncounts trial\n  models a, b\n  table [[60, 20], [9, 11]]\n"
        "compare a vs b with mcnemar\nreport latex, csv\n",
        encoding="utf-8",
    )
    folder = tmp_path / "out"
    ev.run(tmp_path / "study.eval", out=folder, look=False)
    assert verify_results(folder).same
    path = folder / "macros.tex"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("11.0", "12.0"), encoding="utf-8")
    (folder / "tables" / "estimates-1.csv").unlink()
    changed = {one.place.partition(",")[0] for one in verify_results(folder).differences}
    assert changed == {"macros.tex", "tables/estimates-1.csv"}
