"""Families that are decided by joint resamples, from a shell's point of view."""

import numpy as np
import pytest

import evallang as ev

STUDY = """evallang 1
predictions readings from "losses.csv"
  truth y
  models a, b, c
{clauses}
measure {metric}
compare a, b, c with {test} by {metric}
"""


def read(folder, test, metric="mae", clauses="  task regression", groups=None, n=80):
    rng = np.random.default_rng(3)
    y = rng.standard_normal(n)
    shared = rng.standard_normal(n)
    columns = {"y": y}
    for name, worse in (("a", 0.4), ("b", 0.55), ("c", 1.4)):
        columns[name] = y + worse * (shared + rng.standard_normal(n))
    if groups:
        columns["site"] = np.arange(n) // groups
    rows = [",".join(columns)]
    rows += [",".join(f"{v:.6g}" for v in row) for row in zip(*columns.values(), strict=True)]
    (folder / "losses.csv").write_text("\n".join(rows) + "\n")
    study = folder / "study.eval"
    study.write_text(STUDY.format(test=test, metric=metric, clauses=clauses))
    return ev.run(study).comparisons[0]


@pytest.mark.parametrize("test", ["t", "bootstrap", "permutation"])
@pytest.mark.parametrize("groups", [None, 2])
def test_adjusted_p_lie_between_the_raw_p_and_those_of_bonferroni(tmp_path, test, groups):
    clauses = "  task regression" + ("\n  group site" if groups else "")
    line = read(tmp_path, f"{test} max_t", clauses=clauses, groups=groups)
    assert line.family.size == 3
    for pair in line.pairwise:
        assert pair.p <= pair.p_adjusted
        # Bonferroni's is an upper bound for the joint p of tests that keep their level; the
        # bootstrap-t of small samples is wider, and joint p have an error of at most .005
        if test != "t":
            assert pair.p_adjusted <= min(3 * pair.p, 1.0) + 0.02
    assert {pair.models for pair in line.pairwise if pair.reject} >= {("a", "c"), ("b", "c")}


def test_one_sided_tests_are_adjusted_on_their_side(tmp_path):
    two = read(tmp_path, "t max_t")
    study = tmp_path / "study.eval"
    lines = study.read_text().replace(
        "compare a, b, c with t", "compare a vs b, a vs c with t(alternative=less)"
    )
    study.write_text(lines)
    one = ev.run(study).comparisons[0]
    assert one.pairwise[0].p == pytest.approx(two.pairwise[0].p / 2)
    assert one.pairwise[0].p_adjusted < two.pairwise[0].p_adjusted
