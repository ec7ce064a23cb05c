"""Degenerate outcomes through the language: results with a note, or a diagnostic, never a crash."""

import itertools
import warnings

import pytest
from studies import study

from evallang.api import run
from evallang.api.checked_file import StudyError
from evallang.results.codec import to_plain

HEAD = """evallang 1
predictions p from "p.csv"
  truth truth
  models a, b, c
{scores}{extra}measure {measures}
"""
SCORES = "".join(f'  score {m} = "s{m}"\n' for m in "abc")
BY_COUNTS = (
    "compare with mcnemar(exact) holm",
    "compare with mcnemar(textbook) westfall exploratory",
    "compare with mcnemar shaffer exploratory",
    "compare with cochran then mcnemar bergmann_hommel exploratory",
    "compare with cochran(exact) then mcnemar(corrected) fdr_bh exploratory",
    "compare with looney_f exploratory",
    "compare with proportions_z bonferroni exploratory",
    "compare with permutation(rounds=200) holm exploratory",
    "compare with bootstrap(percentile, rounds=200) hommel exploratory",
    "compare with permutation(rounds=200) li by f1 exploratory",
    "compare with binomial(threshold=20%) sidak exploratory",
    "compare a, b with tost(margin=5%) exploratory",
    "compare a, b with noninferiority(margin=5%) exploratory",
    "compare a, b with mcnemar(newcombe, alternative=less) exploratory",
)
BY_RANKS = (
    "compare with delong by roc_auc exploratory",
    "compare a vs b, b vs c with delong holm by roc_auc exploratory",
    "compare with permutation(rounds=200) holm by roc_auc exploratory",
    "compare with bootstrap(rounds=200) holm by roc_auc exploratory",
)
BY_FOLDS = (
    "compare with corrected_t holm",
    "compare with kfold_t hochberg exploratory",
    "compare with bayes_t exploratory",
    "compare a with single_t(threshold=0.8) exploratory",
    "compare with corrected_t finner by f1 exploratory",
)
COLUMNS = "truth,a,b,c,sa,sb,sc,fold\n"


def rows(n, line):
    """Write n rows; `line` gives truth, three labels and three scores of a row."""
    return COLUMNS + "".join(f"{','.join(map(str, line(i)))},{i % 4}\n" for i in range(n))


FILES = {
    "one row": rows(1, lambda i: (1, 1, 0, 1, 0.9, 0.2, 0.4)),
    "two rows": rows(2, lambda i: (i, i, 1 - i, i, i, 1 - i, 0.5)),
    "all right": rows(12, lambda i: (i % 2, *[i % 2] * 3, *[i % 2] * 3)),
    "all wrong": rows(12, lambda i: (i % 2, *[1 - i % 2] * 3, *[1 - i % 2] * 3)),
    "all models equal": rows(12, lambda i: (i % 2, *[int(i < 6)] * 3, *[i] * 3)),
    "one model perfect": rows(16, lambda i: (i % 2, i % 2, int(i % 3 > 0), 1, i % 2, i % 3, i % 5)),
    "as many on either side": rows(
        16, lambda i: (1 if i % 4 else 0, int(i % 2 > 0), int(i % 2 == 0), 1, i % 2, -i % 2, 1)
    ),
    "one class only": rows(8, lambda i: (1, 1, i % 2, 1, 0.9, i / 8, 0.5)),
    "one positive": rows(9, lambda i: (int(i == 3), int(i == 3), 0, int(i > 4), i, -i, 0)),
    "ties everywhere": rows(12, lambda i: (i % 2, 1, 1, 0, 0.5, 0.5, 0.5)),
    "ties of decimals": rows(
        12, lambda i: (i % 2, i % 2, 1, 0, 0.1 + 0.2 if i % 3 else 0.3, 0.6, 0.2 + 0.4)
    ),
    "labels as text": rows(
        12, lambda i: ("yes" if i % 2 else "no", "yes", "no", "yes" if i % 3 else "no", i, -i, 1)
    ),
    "a score missing": rows(8, lambda i: (i % 2, 1, 0, i % 2, "" if i == 3 else i, i, -i)),
    "a score infinite": rows(8, lambda i: (i % 2, 1, 0, i % 2, "inf" if i == 3 else i, i, -i)),
    "a score that is not a number": rows(8, lambda i: (i % 2, 1, 0, i % 2, "high", i, -i)),
    "no rows": COLUMNS,
}
STUDIES = {
    "counts": HEAD.format(scores="", extra="", measures="accuracy, f1")
    + "\n".join(BY_COUNTS) + "\n",
    "scores": HEAD.format(scores=SCORES, extra="", measures="roc_auc")
    + "\n".join(BY_RANKS) + "\n",
    "folds": HEAD.format(scores="", extra="  fold fold\n", measures="accuracy, f1")
    + "\n".join(BY_FOLDS) + "\n",
}  # fmt: skip


def checked_results(text, folder):
    """Run a study with every warning an error; None where a diagnostic refuses it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return run(study(text, folder)).record
        except StudyError as refused:
            errors = [d for d in refused.diagnostics if d.severity == "error"]
            assert errors and all(d.code and d.message for d in errors)
            return None


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param(n, k, id=f"{k}, {n}")
        for n, k in itertools.product(FILES, STUDIES)
        if k == "scores" or not n.startswith(("a score", "ties of"))  # whose labels others have
    ],
)
def test_degenerate_outcomes_give_values_with_notes_or_a_diagnostic(name, kind, tmp_path):
    (tmp_path / "p.csv").write_text(FILES[name], encoding="utf-8")
    results = checked_results(STUDIES[kind], tmp_path)
    if results is None:
        return
    to_plain(results)  # refuses NaN
    tests = [
        test
        for comparison in results.comparisons
        for test in (comparison.omnibus, *comparison.pairwise)
        if test is not None and comparison.performed
    ]
    assert tests
    for test in tests:
        probabilities = [test.p, test.extra.get("p_first")]
        if probabilities == [None, None]:
            assert test.notes, f"{test.test} says why it has no p"
        if test.p is not None:
            assert 0 <= test.p <= 1
    for estimate in results.estimates:
        if estimate.value is None:
            assert estimate.notes, f"{estimate.metric} says why it has no value"
