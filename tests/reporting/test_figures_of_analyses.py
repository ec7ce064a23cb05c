"""What the figures of confusion, agreement, sensitivity and power draw, against scikit-learn."""

import re

import numpy as np
import pytest
from drawings import ungrouped
from sklearn import metrics as peers
from studies import write_rows

import evallang as ev
from evallang.reporting.figures.class_matrix import matrix_of_classes
from evallang.reporting.figures.stacks import LABEL, LABEL_OF_PAIR, stacked_bars
from evallang.reporting.numbers import Scale
from evallang.reporting.report import figures as report_figures, plain
from evallang.results.codec import to_plain

RNG = np.random.default_rng(4)
TRUTH = RNG.choice(["a", "b", "c"], 90, p=[0.6, 0.3, 0.1])
NET = np.where(RNG.random(90) < 0.25, RNG.choice(["a", "b", "c"], 90), TRUTH)
RULE = np.where(RNG.random(90) < 0.4, "a", TRUTH)
STUDY = """evallang 1
study
  seed 1
predictions exam "Exam" from "p.csv"
  id id
  truth truth
  models net "Net", rule "Rule"
measure accuracy
compare net, rule with mcnemar
analyze confusion, agreement, sensitivity, power(difference=5%)
report html
"""
DEPTH = re.compile(r"fill-opacity:([\d.]+)")
BOX = re.compile(
    r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="([\d.]+)" style="fill:(#?\w+)'
)


def widths(svg):
    """Return the widths of the boxes of a drawing."""
    return np.array([float(wide) for _, wide, *_ in BOX.findall(ungrouped(svg))])


TO_BE_FITTED = """evallang 1
study
  seed 1
data iris from sklearn iris
model bayes = GaussianNB
model tree = DecisionTreeClassifier
protocol holdout test=60%
measure accuracy
compare with mcnemar
analyze power
"""


@pytest.fixture(scope="module")
def figures(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exam")
    rows = [[i, *row] for i, row in enumerate(zip(TRUTH, NET, RULE, strict=True))]
    write_rows(folder, "p.csv", "id,truth,net,rule", rows)
    (folder / "study.eval").write_text(STUDY, encoding="utf-8")
    results = ev.run(folder / "study.eval", out=folder / "out", look=False)
    return report_figures(results.record), to_plain(results.record)


def panels(figures, name):
    return [panel for figure in figures[0].values() if figure.id == name for panel in figure.panels]


def test_the_depth_of_colour_is_the_share_of_a_true_class(figures):
    drawn = panels(figures, "figure-confusion-1")
    for panel, labels in zip(drawn, (NET, RULE), strict=True):
        matrix = peers.confusion_matrix(TRUTH, labels)
        shares = (matrix / matrix.sum(axis=1, keepdims=True)).ravel()
        depths = np.array(list(map(float, DEPTH.findall(ungrouped(panel.svg)))))
        expected = shares[shares > 0]
        assert depths / depths.max() == pytest.approx(expected / expected.max(), abs=0.02)
        counts = [int(n) for n in re.findall(r">(\d+)</text>", panel.svg)]
        assert counts == matrix.ravel().tolist()
        for share, n, name in zip(
            shares.reshape(3, 3).diagonal(), matrix.diagonal(), "abc", strict=True
        ):
            assert f"{name} {n}, {100 * share:.1f}% right" in panel.alt


def test_the_bars_of_agreement_are_the_numbers_of_examples(figures):
    (panel,) = panels(figures, "figure-agreement-1")
    net, rule = NET == TRUTH, RULE == TRUTH
    known = [(net & rule).sum(), (net & ~rule).sum(), (~net & rule).sum(), (~net & ~rule).sum()]
    spoken = [int(n) for n in re.findall(r" (\d+)(?=[,.])", panel.alt)]
    assert spoken == known
    wide = np.array(
        [
            float(wide)
            for _, wide, *_ in BOX.findall(ungrouped(panel.svg))[: np.count_nonzero(known)]
        ]
    )
    assert wide / wide.sum() == pytest.approx(np.array(known)[np.array(known) > 0] / 90, abs=0.01)


def test_settings_for_and_against_are_those_of_the_table(figures):
    (panel,) = panels(figures, "figure-sensitivity-1")
    (one,) = (a["values"] for a in figures[1]["analyses"] if a["kind"] == "sensitivity")
    (hypothesis,) = one["hypotheses"]
    words = f"for the reported decision {hypothesis['same']}, against it {hypothesis['against']}"
    assert words in panel.alt


def test_detectable_differences_are_drawn_for_each_share_of_discordant_examples(tmp_path):
    (tmp_path / "study.eval").write_text(TO_BE_FITTED, encoding="utf-8")
    found = ev.run(tmp_path / "study.eval", out=tmp_path / "out", look=False)
    figures = report_figures(found.record), to_plain(found.record)
    (panel,) = panels(figures, "figure-power")
    (one,) = (a["values"] for a in figures[1]["analyses"] if a["kind"] == "power")
    every = [answer["detectable"] for answer in one["answers"]]
    sizes = [size for size in every if size is not None]
    assert 1 < len(sizes) < len(every)  # with 5 % discordant no difference is detected
    wide = np.array(
        [float(wide) for _, wide, *_ in BOX.findall(ungrouped(panel.svg))[: len(sizes)]]
    )
    assert wide / wide.max() == pytest.approx(np.array(sizes) / max(sizes), abs=0.01)
    assert plain(panel.title) == "McNemar’s test of accuracy"


def test_many_classes_have_numbers_above_their_columns():
    names = [f"class {i}" for i in range(12)]
    cells = {
        (t, p): {"count": 5.0 if t == p else 0.0, "share": 1.0 if t == p else 0.0}
        for t in names
        for p in names
    }
    drawing, alt = matrix_of_classes("net", names, cells)
    svg = ungrouped(drawing.svg())
    assert len(DEPTH.findall(svg)) == 12
    assert ">12</text>" in svg
    assert svg.count(">5</text>") == 13  # the head of the fifth column, and the counts
    assert alt.startswith("net, shares of a true class: class 0 5, 100.0% right; ")


def test_a_class_without_examples_and_predictions_of_no_class_are_drawn():
    cells = {
        ("x", "x"): {"count": 1.5, "share": 0.75},
        ("x", "y"): {"count": 0.0, "share": 0.0},
        ("x", ""): {"count": 0.5, "share": 0.25},
        ("y", "x"): {"count": 0.0, "share": None},
        ("y", "y"): {"count": 0.0, "share": None},
        ("y", ""): {"count": 0.0, "share": None},
    }
    drawing, alt = matrix_of_classes("net", ["x", "y"], cells)
    svg = ungrouped(drawing.svg())
    assert alt == (
        "net, shares of a true class: x 1.5, 75.0% right, 25.0% as no class; y has no examples."
    )
    assert len(DEPTH.findall(svg)) == 2
    assert "no class" in svg and ">1.5</text>" in svg


def test_the_names_of_a_usual_pair_are_not_cut():
    name = "Logistic regression and Random forest"
    for label, whole in ((LABEL_OF_PAIR, True), (LABEL, False)):
        drawing, alt = stacked_bars(
            [(name, [3, 1])], ["same", "other"], "Rows", Scale(0), "A", label
        )
        svg = ungrouped(drawing.svg())
        assert (name in svg) == whole
        assert f"{name}: same 3, other 1" in alt


@pytest.mark.parametrize(
    ("counts", "ticks"), [([1, 0], ["0", "1"]), ([2, 1], ["0", "1", "2", "3"])]
)
def test_the_axis_of_few_counts_has_whole_numbers(counts, ticks):
    drawing, _ = stacked_bars([("line", counts)], ["for", "against"], "Settings", Scale(0), "A")
    svg = ungrouped(drawing.svg())
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    assert [text for text in texts if re.fullmatch(r"[\d.]+", text)] == ticks
