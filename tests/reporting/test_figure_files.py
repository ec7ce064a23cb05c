"""The files of figures that are written with a report, and the folder that they are in."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import fixture
import pikepdf
import pytest

import evallang as ev
from evallang.reporting.document import Document, Figure, Panel, Section
from evallang.reporting.figures.figure import LEAST_SHARE, LEAST_SIZE, Canvas
from evallang.reporting.report import WIDTHS, arrange, figure_files, figures, write_report

pytestmark = pytest.mark.pdf

STUDY = (
    "evallang 1\nstudy\n  seed 1\ncounts trial\n  models a, b\n  table [[60, 20], [9, 11]]\n"
    "compare a vs b with mcnemar\nreport html\n"
)
MILLIMETRE = 72 / 25.4


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.eval").write_text(STUDY, encoding="utf-8")
    return tmp_path / "study.eval"


def names(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("formats", "kinds"),
    [
        (("latex",), ("pdf",)),
        (("html", "pdf"), ("pdf", "svg")),
        (("html", "csv"), ("svg",)),
    ],
)
def test_every_figure_is_a_file_of_each_width_and_has_a_description(tmp_path, formats, kinds):
    written, messages = write_report(fixture.cancer(), tmp_path, formats)
    assert messages == ()
    drawn = figures(fixture.cancer())
    panels = {
        f"figures/{name}-{letter}": panel.alt
        for name, figure in drawn.items()
        for letter, panel in zip("abcdef", figure.panels, strict=False)
        if len(figure.panels) > 1
    }
    stems = {f"figures/{name}-{width}" for name in drawn for width in ("single", "double")}
    assert stems
    wanted = {f"{stem}.{kind}" for stem in (*stems, *panels) for kind in kinds}
    wanted |= {"figures/ALT.txt"}
    assert {name for name in names(tmp_path) if name.startswith("figures/")} == wanted
    assert wanted <= {path.relative_to(tmp_path).as_posix() for path in written}
    listed = json.loads((tmp_path / ".evallang-files").read_text(encoding="utf-8"))
    assert {path for kind in kinds for path in listed[f"figures {kind}"]} == wanted
    descriptions = (tmp_path / "figures" / "ALT.txt").read_text(encoding="utf-8")
    for stem in stems:
        millimetres = 89 if stem.endswith("single") else 183  # Nature's guide to figures
        if "svg" in kinds:
            root = ElementTree.parse(tmp_path / f"{stem}.svg").getroot()
            assert root.get("width") == f"{millimetres}mm"
            alt = root.find("{http://www.w3.org/2000/svg}title").text
            assert f"Alternative text: {alt}\n" in descriptions
            assert float(root.get("height").removesuffix("mm")) <= 240
        if "pdf" in kinds:
            with pikepdf.open(tmp_path / f"{stem}.pdf") as pdf:
                assert float(pdf.pages[0].mediabox[2]) == pytest.approx(
                    millimetres * MILLIMETRE, 0.01
                )


@pytest.mark.parametrize(
    ("journal", "widths"),
    [("ieee", {"single": 88.9, "double": 181.9}), ("neurips", {"text": 139.7}),
     ("jmlr", {"text": 152.4})],
)  # fmt: skip
def test_the_clause_chooses_the_widths_of_the_files(study, journal, widths):
    study.write_text(f"{STUDY}  figures {journal}\n", encoding="utf-8")
    ev.run(study, out="out", look=False)
    for word, millimetres in widths.items():
        root = ElementTree.parse(f"out/figures/estimates-1-{word}.svg").getroot()
        assert root.get("width") == f"{millimetres}mm"
    panel = ElementTree.parse("out/figures/estimates-1-a.svg").getroot()
    assert panel.get("width") == "89mm"
    ratio = 89 / float(panel.get("height").removesuffix("mm"))
    text = (study.parent / "out" / "figures" / "ALT.txt").read_text(encoding="utf-8")
    told = float(re.search(r"Panels: a, [^;]*to height ([\d.]+)\)", text)[1])
    assert told == pytest.approx(ratio, abs=0.006)
    for word in widths:
        svg = Path(f"out/figures/estimates-1-{word}.svg").read_text(encoding="utf-8")
        both = re.findall(r'y="([\d.]+)"[^>]*font-weight:600[^>]*>[ab]<', svg)
        assert len(both) == 2 and (word == "single") == (len(set(both)) == 2)
        sizes = [float(size) for size in re.findall(r"font-size:([\d.]+)px", svg)]
        assert min(sizes) >= 5 and max(sizes) <= 8


def test_the_smallest_text_can_be_read_where_drawings_are_scaled():
    assert LEAST_SIZE * LEAST_SHARE >= 5
    narrowest = min(widths["text"] for widths in WIDTHS.values() if "text" in widths)
    sheet = arrange([Canvas(100.0), Canvas(80.0)], narrowest * MILLIMETRE)
    assert sheet.height < 100 + 15  # the two are in one row


def test_panels_that_are_too_tall_together_are_several_files():
    def drawing():
        canvas = Canvas(200.0)
        canvas.words(10, 10, "a name")
        return canvas

    figure = Figure("figure-x-1", (), tuple(Panel(drawing(), f"{i}.", ()) for i in range(6)))
    section = Section("x", "X", (figure,))
    files, _ = figure_files(Document("T", "1", None, "", "a4", (section,)), "svg")
    heights = {}
    for file in files[:-1]:
        root = ElementTree.fromstring(file.content)
        heights[file.path] = float(root.get("height").removesuffix("mm"))
    assert {name for name in heights if "single" in name} == {
        "figures/x-1-single.svg",
        "figures/x-1-single-2.svg",
    }
    assert max(heights.values()) <= 240


def test_a_further_format_keeps_the_figures_of_the_others(tmp_path):
    write_report(fixture.cancer(), tmp_path, ("html",))
    of_page = names(tmp_path)
    write_report(fixture.cancer(), tmp_path, ("latex",))
    assert of_page < names(tmp_path)


def test_formats_without_figures_write_none(tmp_path):
    write_report(fixture.cancer(), tmp_path, ("markdown", "csv"))
    assert not (tmp_path / "figures").exists()


def test_a_report_without_figures_has_no_folder_of_them(study):
    study.write_text(STUDY.replace("report html", "report html\n  hide estimates, comparisons"),
                     encoding="utf-8")  # fmt: skip
    ev.run(study, out="out", look=False)
    assert names(study.parent / "out") >= {"report.html", "results.json"}
    assert not (study.parent / "out" / "figures").exists()


def test_figures_of_an_earlier_report_go_and_those_of_a_user_stay(study):
    ev.run(study, out="out", look=False)
    folder = study.parent / "out"
    assert (folder / "figures" / "estimates-1-single.svg").is_file()
    (folder / "figures" / "own.svg").write_text("mine", encoding="utf-8")
    (folder / "figures" / "more").mkdir()
    study.write_text(STUDY.replace("html", "html\n  hide estimates"), encoding="utf-8")
    ev.run(study, out="out", look=False)
    assert not (folder / "figures" / "estimates-1-single.svg").exists()
    assert (folder / "figures" / "own.svg").read_text(encoding="utf-8") == "mine"
    assert (folder / "figures" / "more").is_dir()


def test_a_folder_of_figures_of_the_user_is_joined_with_ours(study):
    ev.run(study, look=False).save("out", ("csv",))
    folder = study.parent / "out"
    (folder / "figures").mkdir()
    (folder / "figures" / "own.svg").write_text("mine", encoding="utf-8")
    messages = ev.run(study, look=False).save("out")
    assert messages == ()
    assert (folder / "figures" / "own.svg").read_text(encoding="utf-8") == "mine"
    assert (folder / "figures" / "estimates-1-single.svg").is_file()
    assert [path.name for path in study.parent.iterdir() if "out" in path.name] == ["out"]


def test_a_page_that_is_only_shown_writes_no_figures(study, tmp_path, monkeypatch):
    results = ev.run(study, look=False)
    monkeypatch.setattr("tempfile.mkdtemp", lambda prefix: str(tmp_path / "shown"))
    monkeypatch.setattr("evallang.api.results._opened", lambda path: True)
    results.show()
    assert names(tmp_path / "shown") == {"report.html"}


def test_verify_names_a_figure_that_is_not_of_the_results(study):
    from evallang.api.verifying import verify_results

    ev.run(study, out="out", look=False).render("pdf", folder="out")
    folder = study.parent / "out"
    found = verify_results(folder, study)
    assert found.same and "figures" in found.compared
    drawing = folder / "figures" / "estimates-1-single.svg"
    number = ">80.0"  # (60 + 20) / 100: the accuracy of the first model
    text = drawing.read_text(encoding="utf-8")
    assert number in text
    drawing.write_text(text.replace(number, ">90.0"), encoding="utf-8")
    (folder / "figures" / "estimates-1-double.pdf").write_bytes(b"%PDF-1.7")
    (folder / "figures" / "ALT.txt").unlink()
    places = {
        change.place.partition(",")[0] for change in verify_results(folder, study).differences
    }
    assert places == {f"figures/{name}" for name in
                      ("estimates-1-single.svg", "estimates-1-double.pdf", "ALT.txt")}  # fmt: skip
