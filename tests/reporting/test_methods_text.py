"""The methods text states what a reviewer asks: data, exclusions, preprocessing, sides, machine."""

import os
from importlib.resources import files
from pathlib import Path

import msgspec
import pytest
from studies import study

from evallang.api.running import run
from evallang.bibliography import works
from evallang.reporting.context import Context
from evallang.reporting.report import build
from evallang.reporting.run_writer import plain
from evallang.version import VERSION

ROOT = Path(str(files("evallang"))).parent
EXAMPLES = ROOT / "examples"
DATA = """\
evallang 1
study "Methods"
  seed 1
data visits "Visits" from "data/visits.csv"
  target readmitted
  positive yes
  features age, ward, albumin
  categorical ward
  missing "?"
  where age >= 18
  unit "visits"
"""
MODELS = """\
let prep = columns(
  numeric: SimpleImputer(strategy=median) | StandardScaler,
  categorical: SimpleImputer(strategy=most_frequent) | OneHotEncoder(handle_unknown=ignore),
)
model logistic "Logistic regression" = prep | LogisticRegression(max_iter=2000)
model tree "Tree" = prep | DecisionTreeClassifier(max_depth=2)
"""
REST = """\
protocol holdout test=0.3
measure accuracy
compare with mcnemar
"""


def methods_text(results):
    sections = {s.name: s for s in build(Context(results, draws=False)).sections}
    return " ".join(plain(block.runs) for block in sections["methods"].blocks)


@pytest.fixture(scope="module")
def text():
    return methods_text(run(study(DATA + MODELS + REST, EXAMPLES)).record)


def test_it_states_exclusions_and_missing_values(text):
    # data/visits.csv: 380 rows, 18 of patients below 18; counted by `awk -F,`
    assert "Of 380 visits, we included those where age ≥ 18 (18 excluded)." in text
    assert "Values were missing in ward (4) and albumin (27)." in text


def test_it_states_preprocessing_and_fixed_parameters(text):
    assert (
        "Features were preprocessed by SimpleImputer (strategy = median) followed by "
        "StandardScaler for numeric columns and SimpleImputer (strategy = most_frequent) followed "
        "by OneHotEncoder (handle_unknown = ignore) for categorical columns."
    ) in text
    assert "Logistic regression was fitted with LogisticRegression (max_iter = 2000)" in text
    assert " and Tree with DecisionTreeClassifier (max_depth = 2);" in text


def test_it_states_sides_and_the_machine(text):
    assert "using McNemar’s test (mid-p) at a two-sided level of .05" in text
    cores = {1: "one logical core", 2: "two logical cores"}.get(os.cpu_count() or 0, "logical core")
    assert f"The computer had {cores}" in text


def test_a_one_sided_comparison_says_so():
    rest = REST.replace("with mcnemar", "logistic, tree with mcnemar(alternative=greater)")
    assert "one-sided level of .05" in methods_text(
        run(study(DATA + MODELS + rest, EXAMPLES)).record
    )


def test_groups_have_the_noun_of_their_column():
    made = run(study(DATA + "group by patient_id\n" + MODELS + REST, EXAMPLES)).record
    assert f", {made.data[0].groups} patients." in methods_text(made)


def test_the_number_of_resamples_is_stated():
    rest = "protocol holdout test=0.3\nmeasure roc_auc\n  interval bootstrap(rounds=1000)\n"
    text = methods_text(run(study(DATA + MODELS + rest, EXAMPLES)).record)
    assert ", 1,000 resamples)" in text


def test_evallang_is_cited_as_the_repository_asks():
    record = run(study(DATA + MODELS + REST, EXAMPLES)).record
    (software,) = [m for m in record.methods if (m.kind, m.name) == ("software", "evallang")]
    cited = works()[software.references[0]]
    asked = msgspec.yaml.decode((ROOT / "CITATION.cff").read_bytes())
    assert (cited.title, *cited.authors) == (asked["title"], asked["authors"][0]["name"])
    assert asked["version"] == VERSION
