"""Tables of curves of fits: a column for each size, the best candidates first."""

import csv

import pytest

import evallang as ev

STUDY = """evallang 1
study "Curves"
  seed 1
data wine from sklearn wine
model bayes "Naive Bayes" = GaussianNB
model tree "Tree" = DecisionTreeClassifier(max_depth in 1..4, min_samples_leaf in 1..5)
protocol nested cv outer=2 inner=2
measure accuracy
analyze tuning of tree
analyze learning_curve(sizes={}, repeats=1) of tree, bayes
report csv, markdown
"""


def made(folder, sizes):
    study, results = folder / "s.eval", folder / "out"
    text = STUDY.format(sizes)
    if len(sizes) > 3:  # faster without the search
        for part, other in (
            ("analyze tuning of tree\n", ""), ("nested cv outer=2 inner=2", "holdout"),
            ("(max_depth in 1..4, min_samples_leaf in 1..5)", ""),
        ):  # fmt: skip
            text = text.replace(part, other)
    study.write_text(text, encoding="utf-8")
    found = ev.run(study, out=results, look=False)
    return found.record, results / "tables"


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    return made(tmp_path_factory.mktemp("few"), [20, 40, 80])


def rows_of(path):
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_learning_curve_has_a_column_for_each_size_and_a_file_with_one_number_in_each(few):
    record, tables = few
    lines = (tables / "learning-1.md").read_text(encoding="utf-8").splitlines()
    head = next(line for line in lines if line.startswith("| Model"))
    assert [cell.strip() for cell in head.strip("|").split("|")] == [
        "Model", *(f"Training rows: {n}" for n in (20, 40, 80)),
    ]  # fmt: skip
    points = {
        item.model: item.values["points"]
        for item in record.analyses
        if item.kind == "learning_curve"
    }
    best = next(e.model for e in sorted(record.estimates, key=lambda e: -e.value))
    rows = rows_of(tables / "learning-1.csv")
    assert [(row["Model"], row["Training rows"]) for row in rows[:3]] == [
        ({"bayes": "Naive Bayes", "tree": "Tree"}[best], str(n)) for n in (20, 40, 80)
    ]
    for row, point in zip(rows, points[best], strict=False):
        assert float(row["Test score (%)"]) == point["test"]["value"]
        assert float(row["SD of the test score (%)"]) == point["test"]["sd"]


def test_of_many_candidates_the_best_are_on_the_page_and_all_in_the_file(few):
    record, tables = few
    (item,) = [item for item in record.analyses if item.kind == "tuning"]
    means = sorted((c["mean"] for c in item.values["candidates"]), reverse=True)
    text = (tables / "tuning-1.md").read_text(encoding="utf-8")
    shown = [line.split("|")[3].strip() for line in text.splitlines() if "max_depth" in line]
    assert [float(value) for value in shown[:15]] == pytest.approx(
        [100 * mean for mean in means[:15]], abs=0.1
    )
    assert "`tables/tuning-1.csv` has all 20." in text
    chosen = [c for c in item.values["candidates"] if c["best"] or c["one_standard_error"]]
    assert 15 <= len(shown) <= 17 and len(chosen) >= 1
    rows = rows_of(tables / "tuning-1.csv")
    assert [float(row["Mean inner score (%)"]) for row in rows] == means
    assert {row["Model"] for row in rows} == {"Tree"}


def test_a_learning_curve_of_many_sizes_has_a_row_for_each(tmp_path):
    sizes = range(20, 100, 4)
    _, tables = made(tmp_path, list(sizes))
    lines = (tables / "learning-1.md").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "|" in line]
    assert cells[0] == [
        "Training rows", "Test score, % (SD): Naive Bayes", "Test score, % (SD): Tree",
        "Training score, % (SD): Naive Bayes", "Training score, % (SD): Tree",
    ] or cells[0][1].endswith("Tree")  # fmt: skip
    assert [row[0] for row in cells[2:]] == [str(n) for n in sizes]
    assert len(rows_of(tables / "learning-1.csv")) == 2 * len(sizes)
