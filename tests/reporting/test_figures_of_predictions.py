"""Tables of confusion and agreement: one for all models of a place, the best first."""

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix as by_sklearn

import evallang as ev
from evallang.reporting.context import Context
from evallang.reporting.document import Figure, Table
from evallang.reporting.report import plain
from evallang.reporting.section import build


def drawn(n_models, n_classes, n=400, analyses="confusion, agreement", odd=False):
    """Run a study of so many models and classes; gives its predictions and its blocks."""
    rng = np.random.default_rng(n_models * 100 + n_classes)
    truth = rng.integers(0, n_classes, n)
    table = {"id": np.arange(n), "truth": truth}
    for i in range(n_models):
        wrong = rng.random(n) < 0.05 + 0.4 * i / n_models
        table[f"m{i}"] = np.where(wrong, (truth + rng.integers(1, n_classes, n)) % n_classes, truth)
    if odd:
        table["m1"] = np.where(rng.random(n) < 0.1, 99, table["m1"])
    names = ", ".join(f'm{i} "Model {chr(65 + i % 26)}{i // 26}"' for i in range(n_models))
    text = (
        'evallang 1\nstudy\n  seed 1\npredictions exam from "x.csv"\n  id id\n  truth truth\n'
        f"  models {names}\n  task classification\nmeasure accuracy\nanalyze {analyses}\n"
    )
    results = ev.run(ev.parse(text), data={"exam": table}, store="off", look=False)
    sections = build(Context(results.record)).sections
    blocks = [b for s in sections if s.name in ("confusion_matrices", "agreement_of_models")
              for b in s.blocks]  # fmt: skip
    return table, blocks


def of(blocks, kind):
    return [block for block in blocks if isinstance(block, kind)]


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_the_counts_of_all_models_are_in_one_table_below_their_names(classes):
    table, blocks = drawn(2, classes, analyses="confusion")
    (whole,) = of(blocks, Table)
    named = [plain(row.cells[0].runs) for row in whole.rows if row.group]
    assert named == ["Model A0", "Model B0"]
    counts = [[cell.exact for cell in row.cells[1:]] for row in whole.rows if not row.group]
    expected = np.vstack([by_sklearn(table["truth"], table[f"m{i}"]) for i in range(2)])
    assert counts == expected.tolist()


def test_one_model_is_named_in_the_caption():
    _, blocks = drawn(1, 2, analyses="confusion")
    (whole,) = of(blocks, Table)
    assert plain(whole.caption) == "Model A0: predictions by true class."
    assert not any(row.group for row in whole.rows) and whole.whole


def test_labels_that_are_no_class_have_a_column_in_every_matrix():
    table, blocks = drawn(2, 2, analyses="confusion", odd=True)
    (whole,) = of(blocks, Table)
    assert [plain(column.head) for column in whole.columns] == ["True class", "0", "1", "no class"]
    body = [row for row in whole.rows if not row.group]
    assert [row.cells[3].exact for row in body[:2]] == [0, 0]
    strange = [((table["m1"] == 99) & (table["truth"] == k)).sum() for k in (0, 1)]
    assert [row.cells[3].exact for row in body[2:]] == strange


def test_of_many_models_the_best_are_drawn_and_the_table_begins_with_them():
    table, blocks = drawn(14, 2)
    accuracy = {i: (table[f"m{i}"] == table["truth"]).mean() for i in range(14)}
    best = [f"Model {chr(65 + i)}0" for i in sorted(accuracy, key=lambda i: -accuracy[i])]
    confusions = [f for f in of(blocks, Figure) if f.id.startswith("figure-confusion")]
    assert [plain(p.title) for f in confusions for p in f.panels] == best[:12]
    assert "Drawn are the best 12 of 14 models" in plain(confusions[0].caption)
    whole, pairs = of(blocks, Table)
    assert [plain(row.cells[0].runs) for row in whole.rows if row.group] == best
    assert set(plain(pairs.rows[0].cells[0].runs).split(" and ")) == set(best[:2])
