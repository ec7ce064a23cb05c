"""The column of grouped rows says what the checker says."""

from many_cases import for_each
from studies import checked

from docs.generator.fitting import _groups
from evallang.manual.compatibility_table import metrics_of
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS

STUDY = """evallang 1
study
  seed 1
data d from "d.csv"
  target y
  positive 1
group by g
model a = GaussianNB
model b = LogisticRegression
model c = LinearDiscriminantAnalysis
protocol {protocol}
measure accuracy
compare {models} with {test} by {metric}
"""
OPTIONS = {"tost": "tost(margin=1%)", "noninferiority": "noninferiority(margin=1%)"}
PROTOCOLS = {"resampled_t": "repeated holdout", "5x2cv_t": "5x2cv", "5x2cv_f": "5x2cv"}
READERS = """evallang 1
predictions p from "p.csv"
  id i
  reader r random
  group g
  truth y
  score a = s
  score b = t
measure {metric}
compare {models} with {test} by {metric}
"""
BATTLES = """evallang 1
battles votes from "votes.jsonl"
  group g
measure {metric}
compare {models} with {test} by {metric}
"""
SOURCES = {"readers": READERS, "strengths": BATTLES}
ON_ROWS = [
    entry
    for entry in HYPOTHESIS_TESTS
    if not entry.declaration.across_data and entry.declaration.models[1] != 1
]


@for_each("entry", ON_ROWS, ids=lambda entry: entry.name)
def test_the_checker_takes_grouped_rows_where_the_table_says_so(entry):
    text = SOURCES.get(entry.declaration.tests, STUDY).format(
        protocol=PROTOCOLS.get(entry.name, "cv"),
        models="a, b, c" if entry.declaration.models[0] > 2 else "a vs b",
        test=OPTIONS.get(entry.name, entry.name),
        metric="accuracy" if "accuracy" in metrics_of(entry) else (
            "brier" if "brier" in metrics_of(entry) else
            "roc_auc" if "roc_auc" in metrics_of(entry) else metrics_of(entry)[0]
        ),
    )  # fmt: skip
    refused = [d.code for d in checked(text).diagnostics if d.severity == "error"]
    assert refused == (["E210"] if _groups(entry) == "–" else [])
