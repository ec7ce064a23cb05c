"""The tasks of `evallang plan --format json`: every node, and what it waits for."""

from pathlib import Path

import evallang as ev

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def nodes(example: str, kind: str):
    return [t for t in ev.load(EXAMPLES / example).plan().tasks if t.kind == kind]


def test_what_was_measured_elsewhere_has_nodes_that_need_no_fit():
    assert [(t.data, t.protocol, t.model) for t in nodes("quiz.eval", "estimate")] == [
        ("quiz", None, "small"),
        ("quiz", None, "large"),
    ]
    (comparison,) = nodes("quiz.eval", "compare")
    assert (comparison.data, comparison.needs) == ("quiz", ())
    assert nodes("quiz.eval", "fit") == []


def test_each_table_of_counts_is_compared_apart():
    assert [t.data for t in nodes("published_tables.eval", "compare")] == ["a", "b"]


def test_a_comparison_across_data_waits_for_the_fits_of_all_of_them():
    (comparison,) = nodes("sorting_machines.eval", "compare")
    assert comparison.data is None
    fits = {t.key for t in nodes("sorting_machines.eval", "fit")}
    assert set(comparison.needs) == fits and len(fits) == 8 * 4 * 5


def test_a_comparison_waits_for_the_models_it_names_and_the_report_for_everything_read():
    first, second = nodes("screening.eval", "compare")
    models = {t.key: t.model for t in nodes("screening.eval", "fit")}
    assert {models[key] for key in first.needs} == {"logistic", "knn", "forest"}
    assert {models[key] for key in second.needs} == {"logistic", "knn", "forest", "baseline"}
    (report,) = nodes("screening.eval", "report")
    read = nodes("screening.eval", "estimate") + nodes("screening.eval", "compare")
    assert set(report.needs) == {t.key for t in read}
