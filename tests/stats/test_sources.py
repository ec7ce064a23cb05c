"""Every registered method has a published figure or an independent implementation on record."""

import csv
from pathlib import Path

import pytest
from many_cases import for_each
from reference_values import FOLDER

from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.effect_sizes.effect_size import EFFECT_SIZES
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS

REGISTRIES = {r.kind: r for r in (HYPOTHESIS_TESTS, INTERVALS, CORRECTIONS, EFFECT_SIZES)}
with (FOLDER / "methods.csv").open(encoding="utf-8") as lines:
    RECORDED = {(row["kind"], row["name"]): row for row in csv.DictReader(lines)}


def test_the_record_lists_every_registered_method_and_no_other():
    registered = {(kind, entry.name) for kind, r in REGISTRIES.items() for entry in r}
    assert set(RECORDED) == registered


@for_each("row", [pytest.param(r, id=" ".join(k)) for k, r in RECORDED.items()])
def test_the_test_that_is_named_speaks_of_the_method(row):
    text = (Path(__file__).parent / row["test file"]).read_text(encoding="utf-8")
    entry = REGISTRIES[row["kind"]][row["name"]]
    assert row["checked against"]
    assert entry.function.__name__ in text or row["name"] in text


def test_every_worked_example_names_its_source():
    for registry in REGISTRIES.values():
        for entry in registry:
            for example in entry.examples:
                own = example.source.startswith("own derivation")
                assert own or any(character.isdigit() for character in example.source), entry.name


def test_what_rests_on_an_own_derivation_alone_is_checked_against_something_else():
    for (kind, name), row in RECORDED.items():
        examples = REGISTRIES[kind][name].examples
        if all(example.source.startswith("own derivation") for example in examples):
            assert len(row["checked against"].split()) > 1 or row["checked against"] in (
                "mlxtend", "baycomp", "statsmodels", "scipy",
            ), name  # fmt: skip
