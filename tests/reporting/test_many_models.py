"""A report of many models: findings that can be read, figures that fit, failures told once."""

import drawn_regression
import numpy as np
import pytest
from msgspec.structs import replace

import evallang as ev
from evallang.reporting.context import Context
from evallang.reporting.document import Figure, Table
from evallang.reporting.figures.forest import MOST_IN_A_PANEL
from evallang.reporting.pair_findings import MOST_OTHERS
from evallang.reporting.section import build


def words(runs):
    made = ""  # with plain spaces
    for run in runs:
        made += (
            words(run.runs)
            if hasattr(run, "runs")
            else getattr(run, "text", getattr(run, "words", ""))
        )
    return made.replace("\N{NO-BREAK SPACE}", " ")


def study(n_models, n=600):
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, n)
    noise = rng.random(n)
    table = {"truth": truth}
    for i in range(n_models):
        wrong = noise < 0.05 + 0.4 * i / n_models
        table[f"m{i}"] = np.where(wrong, 1 - truth, truth)
    names = ", ".join(f'm{i} "Model {i}"' for i in range(n_models))
    text = f"""\
evallang 1
study "Many"
  seed 1
predictions p from "p.csv"
  truth truth
  models {names}
  positive 1
measure accuracy, recall
compare with mcnemar holm
"""
    return ev.run(ev.parse(text), data={"p": table}, store="off").record


@pytest.fixture(scope="module")
def many():
    return study(24)


def sections(results):
    """Return the blocks of each section, those of the main part first."""
    made = {}
    for section in build(Context(results)).sections:
        had = made.get(section.name)
        blocks = (*had.blocks, *section.blocks) if had is not None else section.blocks
        made[section.name] = replace(section, id=section.name, blocks=blocks)
    return made


def test_findings_of_many_models_state_numbers_and_extremes(many):
    (block, *_) = sections(many)["findings"].blocks
    found = [words(item) for item in block.items]
    best = next(item for item in found if "had a higher accuracy than" in item)
    rejected = [p for c in many.comparisons for p in c.pairwise if p.reject and "m0" in p.models]
    assert len(rejected) > MOST_OTHERS
    which = "all" if len(rejected) == 23 else f"{len(rejected)} of the"
    assert best.startswith(f"Model 0 had a higher accuracy than {which} 23 other models: from ")
    leads = {next(m for m in p.models if m != "m0"): abs(p.estimate.value) for p in rejected}
    for name in (min(leads, key=leads.get), max(leads, key=leads.get)):
        assert f"{leads[name] * 100:.1f} points higher than Model {name[1:]} " in best
    assert best.count("points higher") == 2


def test_a_finding_of_some_of_many_models_names_the_first_and_counts_the_rest():
    wrong = [40] * 7 + [100, 100, 104]  # of 400, the same first ones, so that errors are nested
    truth = np.arange(400) % 2
    table = {"truth": truth}
    table |= {f"m{i}": np.where(np.arange(400) < n, 1 - truth, truth) for i, n in enumerate(wrong)}
    names = ", ".join(f'm{i} "Model {i}"' for i in range(10))
    text = f"""evallang 1
study
  seed 1
predictions p from "p.csv"
  truth truth
  models {names}
measure accuracy
compare against m9 with mcnemar holm
"""
    results = ev.run(ev.parse(text), data={"p": table}, store="off").record
    (block, *_) = sections(results)["findings"].blocks
    _, shared, rest = (words(item) for item in block.items)
    lead = "Seven of the nine other models (Model 0, Model 1, Model 2 and four others) had a higher"
    assert shared.startswith(f"{lead} accuracy than Model 9: from Model 0, by 16.0 points (")
    assert shared.count("16.0 points") == 2 and "), to Model 6, by 16.0 points (" in shared
    assert rest.startswith(
        "Model 7 and Model 8 were not shown to differ in accuracy from Model 9. "
    )
    every = replace(results, comparisons=(replace(results.comparisons[0], pairwise=tuple(
        p for p in results.comparisons[0].pairwise if p.reject)),))  # fmt: skip
    (block, *_) = sections(every)["findings"].blocks
    assert words(block.items[1]).startswith(
        "All seven other models had a higher accuracy than Model 9"
    )


def test_a_forest_of_many_models_is_two_panels_on_one_scale(many):
    figure, other = (b for b in sections(many)["estimates"].blocks if isinstance(b, Figure))
    assert len(figure.panels) == 4  # two for the first metric, two for the differences of the best
    assert other.further and not figure.further and len(other.panels) == 2
    assert MOST_IN_A_PANEL < 24
    for first, second in (figure.panels[:2], other.panels):
        ticks = [_texts(panel.svg)[:4] for panel in (first, second)]
        assert ticks[0] == ticks[1]
        assert "Model 0 " in first.alt and "Model 0 " not in second.alt
    assert words(figure.caption).startswith("a, b, accuracy: estimate")
    assert words(other.caption).startswith("a, b, recall: estimate")


def test_differences_from_the_best_are_drawn_where_pairs_are_many(many):
    (comparison,) = many.comparisons
    blocks = sections(many)["estimates"].blocks
    figure, _ = (b for b in blocks if isinstance(b, Figure))
    drawn = [panel for panel in figure.panels if words(panel.title).startswith("Compatible")]
    spoken = " ".join(panel.alt for panel in drawn).replace("\N{NO-BREAK SPACE}", " ")
    for pair in comparison.pairwise:
        if "m0" not in pair.models:
            continue
        other = next(model for model in pair.models if model != "m0")
        sign = 1 if pair.models[0] == "m0" else -1
        value = f"{sign * pair.estimate.value * 100:+.1f}".replace("-", "−")
        assert f"Model 0 minus Model {other[1:]} {value} [" in spoken
    assert spoken.count("minus Model") == 23
    assert drawn[0].svg.count("Model 0") == 12  # one name for each row
    rest = len(comparison.pairwise) - 23
    assert f"The other {rest} pairs are in the table of pairs" in words(figure.caption)


def _texts(svg):
    return [part.split("<")[0] for part in svg.split(">") if part and part[0].isdigit()]


def test_columns_of_many_models_share_a_line(many):
    (table,) = sections(many)["protocol"].blocks
    rows = [[words(cell.runs) for cell in row.cells] for row in table.rows]
    (line,) = (row for row in rows if "prediction of a model" in row[-1])
    assert line[1].startswith("m0, m1, ") and "19 more" in line[1]
    assert line[2].startswith("24 columns, ")


def test_the_same_failure_in_several_folds_is_one_row():
    results = drawn_regression.regression()
    (failure,) = results.failures
    places = [(0, 0), (0, 1), (0, 2), (0, 5), (0, 7)]
    many = tuple(replace(failure, repeat=repeat, fold=fold) for repeat, fold in places)
    (table,) = sections(replace(results, failures=many))["failures"].blocks
    (row,) = table.rows
    assert words(row.cells[2].runs).endswith("repeat 1, folds 1 to 3, 6, 8")
    more = (*many, replace(failure, repeat=1, fold=0))
    (table,) = sections(replace(results, failures=more))["failures"].blocks
    (row,) = table.rows
    assert words(row.cells[2].runs).endswith("6 fits in 2 repeats")


def test_of_many_models_and_data_sets_the_main_part_has_the_best_and_the_worst():
    rng = np.random.default_rng(2)
    names = [f"m{i}" for i in range(12)]
    table = {"set": [f"set {i}" for i in range(9)]}
    table |= {
        name: 0.5 + 0.03 * (i * 5 % 12) + rng.normal(0, 0.01, 9) for i, name in enumerate(names)
    }
    text = f"""\
evallang 1
study
  seed 1
scores auc from "s.csv"
  dataset set
  models {", ".join(names)}
  metric "AUC"
  higher is better
compare across data with friedman then nemenyi
"""
    results = ev.run(ev.parse(text), data={"auc": table}, store="off").record
    values = np.array([table[name] for name in names])
    ranks = (-values).argsort(axis=0).argsort(axis=0).mean(axis=1)
    ordered = [names[i] for i in ranks.argsort()]
    blocks = sections(results)
    first, *others = [b for b in blocks["estimates"].blocks if isinstance(b, Table)]
    assert not first.further and all(other.further for other in others)
    assert [words(c.head) for c in first.columns[1:]] == [*ordered[:4], *ordered[-4:]]
    assert [words(c.head) for other in others for c in other.columns[1:]] == ordered
    assert [words(c.head) for c in first.one_number_a_column.columns[1:]] == ordered
    pairs, every = [
        b for b in blocks["comparisons"].blocks if isinstance(b, Table) and "comp" in b.id
    ]
    assert (len(pairs.rows), pairs.left_out, pairs.further) == (15, 51, False)
    assert (len(every.rows), every.further) == (66, True)
    assert len(pairs.one_number_a_column.rows) == 66
    assert [words(row.cells[0].runs) for row in first.rows[-1:]] == ["Average rank"]
    assert [row.cells[0].runs for row in first.one_number_a_column.rows] == [
        row.cells[0].runs for row in first.rows[:-1]
    ]
    rounded = [f"{rank:.2f}" for rank in np.sort(ranks + 1)[:4]]
    assert [words(cell.runs) for cell in first.rows[-1].cells[1:5]] == rounded
