"""Figures of more panels than letters, and figures that draw a part of what a study has."""

import numpy as np
import pdfplumber
import pytest
from drawings import ungrouped
from msgspec.structs import replace

import evallang as ev
from evallang.reporting import fonts
from evallang.reporting.context import Context
from evallang.reporting.document import PANEL_LETTERS, Figure
from evallang.reporting.estimate_figures import Spread, spread
from evallang.reporting.figures.figure import RULE
from evallang.reporting.html import render
from evallang.reporting.numbers import Scale
from evallang.reporting.report import figure_files, plain
from evallang.reporting.section import build

pytestmark = pytest.mark.pdf


def record_of(n_models, rest, clauses="", *, n=200, classes=2, sets=1):
    rng = np.random.default_rng(4)
    truth = rng.integers(0, classes, n)
    noise = rng.random(n)
    table = {"truth": truth, "site": np.arange(n) % sets}
    scores = []
    for i in range(n_models):
        wrong = noise < 0.05 + 0.4 * i / n_models
        table[f"m{i}"] = np.where(wrong, (truth + 1) % classes, truth)
        table[f"p{i}"] = np.where(table[f"m{i}"] == 1, 0.6, 0.2) + 0.2 * rng.random(n)
        scores.append(f'  score m{i} = "p{i}"\n')
    models = ", ".join(f'm{i} "Model {i}"' for i in range(n_models))
    text = (
        f'evallang 1\nstudy "Many"\n  seed 1\npredictions p from "p.csv"\n  truth truth\n'
        f"  models {models}\n"
        + ("  positive 1\n" + "".join(scores) if classes == 2 else "")
        + clauses
        + rest
    )
    try:
        return ev.run(ev.parse(text), data={"p": table}, store="off").record
    except ev.api.RunFailed as failed:
        return failed.results.record


def document_of(record):
    return build(Context(record))


def figures_named(document, start):
    blocks = (block for section in document.sections for block in section.blocks)
    return [b for b in blocks if isinstance(b, Figure) and b.id.startswith(start)]


@pytest.mark.parametrize(
    ("n_models", "panels"), [(6, [1, 6]), (14, [6, 6])]
)  # up to six models a figure shows all together, and up to twelve have a panel of their own
def test_curves_are_in_as_many_figures_as_their_panels_need(n_models, panels):
    record = record_of(n_models, "measure roc_auc\nanalyze roc\n")
    document = document_of(record)
    found = [*figures_named(document, "figure-curve"), *figures_named(document, "figure-band")]
    assert [len(figure.panels) for figure in found] == panels
    last = "figure-band-1" if n_models == 6 else "figure-curve-1-2"
    assert [figure.id for figure in found] == ["figure-curve-1", last]
    assert max(panels) <= len(PANEL_LETTERS)
    first, second = (plain(figure.caption) for figure in found)
    assert (second == "ROC curve, continued from curve-1.") == (n_models == 14)
    names = {plain(p.title) for figure in found for p in figure.panels} - {""}
    best = sorted(record.estimates, key=lambda estimate: -estimate.value)[:12]
    assert names == {f"Model {estimate.model[1:]}" for estimate in best}
    told = "Drawn are the best 12 of 14 models; the others are in the table."
    assert (told in first) == (n_models == 14)
    render(document, "screen")
    files, messages = figure_files(document, "svg")
    assert messages == []
    assert {f"figures/{f.id.removeprefix('figure-')}-single.svg" for f in found} <= {
        file.path for file in files
    }


def test_of_many_models_the_best_are_drawn_and_the_caption_says_so():
    record = record_of(23, "measure accuracy\ncompare with mcnemar holm\n", n=400)
    (figure,) = figures_named(document_of(record), "figure-comparison")
    diagram, matrix = figure.panels
    ordered = Context(record).models_best_first(
        Context(record).settings[0], record.comparisons[0].metric
    )
    for place, model in enumerate(ordered):
        shown = f">Model {model[1:]}</text>"
        assert (shown in diagram.svg) == (place < 20)
        assert (f"\u2002Model {model[1:]}</text>" in matrix.svg) == (place < 20)
    caption = plain(figure.caption)
    assert "Drawn are the best 20 of 23 models; all pairs are in the table of pairs." in caption
    rejected = {frozenset(p.models) for p in record.comparisons[0].pairwise if p.reject}
    groups = [
        part.split(": ")[1].rstrip(".").split(", ")
        for part in diagram.alt.split("Not shown to differ, ")[1].split("; ")
    ]
    assert groups and all(
        frozenset((f"m{a.split()[1]}", f"m{b.split()[1]}")) not in rejected
        for members in groups
        for a in members
        for b in members
        if a != b
    )


def test_estimates_of_some_data_sets_are_panels_of_a_figure_and_those_of_many_are_not_drawn():
    found = {}
    for sets in (4, 14):
        record = record_of(3, "measure accuracy\n", "  dataset site\n", n=600, sets=sets)
        found[sets] = figures_named(document_of(record), "figure-estimates")
    (figure,) = found[4]
    labels = [one.label or one.name for one in record.data[:4]]
    assert [plain(panel.title) for panel in figure.panels] == labels
    assert all(
        p.alt.startswith(f"{label}: ") for p, label in zip(figure.panels, labels, strict=True)
    )
    for anchor in ("center", "right"):  # the numbers of the axis, and the names of the models
        texts = [[m.text for m in p.drawing.marks if m.anchor == anchor] for p in figure.panels]
        names = [[t for t in some if anchor == "center" or t[0].isalpha()] for some in texts]
        assert names[0] and all(some == names[0] for some in names)
    assert figure.further and not found[14]


def test_a_character_without_a_font_is_a_code_in_figures_and_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(fonts, "without_system_font", frozenset)
    table = {"truth": [0, 1] * 20, "a": [0, 1] * 19 + [1, 1], "b": [0, 1] * 15 + [1, 0] * 5}
    text = (
        'evallang 1\nstudy "S"\n  seed 1\npredictions p from "p.csv"\n  truth truth\n'
        '  models a "Model \u0915", b "Other"\nmeasure accuracy\n'
    )
    results = ev.run(ev.parse(text), data={"p": table}, store="off")
    (message,) = results.render("html", folder=tmp_path)
    assert results.render("latex", folder=tmp_path)[-1] == message
    assert "no font of this machine has \u0915 (U+0915), which PDFs show as" in message
    svg = (tmp_path / "figures/estimates-1-single.svg").read_text()
    assert "Model \u0915" in svg
    with pdfplumber.open(tmp_path / "figures/estimates-1-single.pdf") as document:
        assert "[U+0915]" in document.pages[0].extract_text()


def test_numbers_too_long_for_a_forest_have_three_digits_and_leave_room_for_the_axis():
    rng = np.random.default_rng(2)
    truth = rng.normal(5e12, 1e12, 80)
    table = {"truth": truth}
    for i in range(3):
        table[f"m{i}"] = truth + rng.normal(0, 2e11 * (i + 1), 80)
    text = (
        'evallang 1\nstudy "Large"\n  seed 1\npredictions p from "p.csv"\n  truth truth\n'
        '  models m0 "Logistic regression", m1 "Random forest", m2 "Nearest neighbours"\n'
        "measure mae\ncompare with t holm\n"
    )
    record = ev.run(ev.parse(text), data={"p": table}, store="off").record
    (figure, *_) = figures_named(document_of(record), "figure-estimates")
    of_estimates = figure.panels[0].svg
    for estimate in record.estimates:
        mantissa, _, power = f"{estimate.value:.2e}".partition("e")
        raised = str(int(power)).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
        assert f">{mantissa} × 10{raised} [".replace(" ×", "\u00a0×").replace(
            "× ", "×\u00a0"
        ) in of_estimates  # fmt: skip
    for panel in figure.panels[:2]:
        left, right = panel.drawing.plot
        assert right - left > 40


def test_folds_of_models_are_joined_only_where_every_model_has_all():
    folds = (0.8, 0.9, 0.7), (0.6, 0.8, 0.75)
    rows = [Spread(name, values, 0.8) for name, values in zip("ab", folds, strict=True)]
    drawing, _ = spread(rows, "Accuracy", "folds", Scale(2))
    assert ungrouped(drawing.svg()).count(f"stroke:{RULE};stroke-width:0.5") == 3
    drawing, _ = spread([rows[0], replace(rows[1], whole=False)], "Accuracy", "folds", Scale(2))
    assert f"stroke:{RULE};stroke-width:0.5" not in drawing.svg()
