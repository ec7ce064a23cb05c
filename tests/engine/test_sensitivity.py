"""`analyze sensitivity`: every setting decided again by statsmodels."""

import re
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binom
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from studies import study, write_rows

from evallang.api import run
from evallang.api.running import RunFailed
from evallang.reporting import html
from evallang.reporting.context import Context
from evallang.reporting.section import build
from evallang.results.codec import to_plain

MODELS = """\
evallang 1
study "Sensitivity"
  seed 3
data cancer from sklearn breast_cancer
model tree = DecisionTreeClassifier(max_depth=3, random_state=0)
model stump = DecisionTreeClassifier(max_depth=1)
model bayes = GaussianNB
model near = StandardScaler | KNeighborsClassifier
protocol cv folds=3
measure accuracy
"""


def midp(b, c):
    """Fagerland, Lydersen & Laake 2013, written out."""
    n, k = b + c, min(b, c)
    return (
        2 * binom.cdf(k, n, 0.5) - binom.pmf(k, n, 0.5) if b != c else 1 - binom.pmf(b, n, 0.5) / 2
    )


def p_values(results, form):
    """Test every pair by statsmodels, from the saved predictions."""
    (evaluation,) = results._run.evaluations
    right = {name: evaluation.correct(name) for name in ("tree", "stump", "bayes", "near")}
    made = []
    for a, b in combinations(right, 2):
        first, second = (right[a] & ~right[b]).sum(), (~right[a] & right[b]).sum()
        table = [[0, first], [second, 0]]
        if form == "midp":
            made.append(midp(first, second))
        else:
            kind = {"exact": (True, False), "corrected": (False, True), "chi2": (False, False)}
            exact, correction = kind[form]
            made.append(mcnemar(table, exact=exact, correction=correction).pvalue)
    return made


def test_every_setting_decides_as_statsmodels_does(tmp_path):
    text = f"{MODELS}compare tree, stump, bayes, near with mcnemar holm\nanalyze sensitivity\n"
    results = run(study(f"{text}report html\n", tmp_path))
    (item,) = results.record.analyses
    settings = {(s["test"], s["correction"]): s for s in item.values["settings"]}
    forms = {
        "midp": "mcnemar",
        **{f: f"mcnemar(method={f})" for f in ("exact", "corrected", "chi2")},
    }
    decisions = {}
    for form, written in forms.items():
        p = p_values(results, form)
        for correction in ("holm", "bonferroni"):
            rejected = multipletests(p, 0.05, correction)[0]
            decisions[written, correction] = rejected
            setting = settings[written, correction]
            assert setting["rejected"] == rejected.sum(), (written, correction)
            assert setting["kept"] == (~rejected).sum()
    # those that assume nothing about the dependence, and no others
    corrections = {correction for _, correction in settings}
    assert corrections == {"holm", "bonferroni", "shaffer", "bergmann_hommel", "westfall"}
    assert "Hochberg’s step-up correction" in item.values["notes"][0]
    assert [s["test"] for s in item.values["settings"] if s["correction"] == "westfall"] == [
        "mcnemar"
    ]
    reported = decisions["mcnemar", "holm"]
    for place, hypothesis in enumerate(item.values["hypotheses"]):
        assert hypothesis["reported"] == reported[place]
        against = [k for k, found in decisions.items() if found[place] != reported[place]]
        named = {f"{test} {correction}" for test, correction in against}
        assert named <= set(hypothesis["against_by"])
        assert hypothesis["against"] == len(hypothesis["against_by"])
        total = hypothesis["same"] + hypothesis["against"] + hypothesis["undecided"]
        assert total == len(settings) - 1
    results.save(tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Sensitivity of the decisions" in page
    appendix = page[page.index('id="sensitivity_of_decisions"') :]
    appendix = re.sub("<[^>]*>", " ", appendix[: appendix.index("</section>")])
    for words in (
        "McNemar’s test (mid-p)",
        "McNemar’s test (continuity-corrected)",
        "Holm’s step-down",
        "Decisions on six pairs in accuracy by each combination of test and correction",
    ):
        assert words in appendix
    assert "method=" not in appendix and "bergmann_hommel" not in appendix
    assert '"p"' not in str(to_plain(item.values))
    assert np.array(reported).any()


def test_other_tests_of_the_same_null_hypothesis_need_no_further_fit():
    """`5x2cv_f` has the null of `corrected_t` and other splits; `kfold_t` is advised against."""
    text = MODELS.replace("cv folds=3", "repeated cv folds=3 times=3")
    text += "compare tree vs bayes with corrected_t\nanalyze sensitivity\n"
    (item,) = run(study(text)).record.analyses
    assert item.values["problem"] == "no other test or correction could be computed here"
    assert item.values["line"] == 0


@pytest.mark.parametrize("families", ["separate", "together"])
def test_the_reported_setting_is_what_was_reported(families):
    text = MODELS.replace('study "Sensitivity"\n', f'study "S"\n  families {families}\n')
    text += (
        "compare tree, bayes with mcnemar\ncompare stump vs near with mcnemar(exact)\n"
        "analyze sensitivity\n"
    )
    found = run(study(text)).record
    for item, comparison in zip(found.analyses, found.comparisons, strict=True):
        own = [test.reject for test in comparison.pairwise]
        assert [h["reported"] for h in item.values["hypotheses"]] == own


FAILING = """\
evallang 1
study "Sensitivity where a fit fails"
  seed 3
data iris from sklearn iris
model bayes = GaussianNB
model stump = DecisionTreeClassifier(max_depth=1)
model near "Neighbours" = KNeighborsClassifier(n_neighbors=150)
protocol holdout test=1/2
measure accuracy
compare bayes, stump, near with mcnemar {}
analyze sensitivity
"""


@pytest.mark.parametrize("correction", ["westfall", "holm"])
def test_pairs_of_a_failed_fit_are_undecided_and_keep_their_place_in_the_family(
    correction, tmp_path
):
    with pytest.raises(RunFailed) as raised:
        run(study(FAILING.format(correction), tmp_path), jobs=1)
    results = raised.value.results
    (comparison,) = results.record.comparisons
    first, *lacking = comparison.pairwise
    assert [pair.status for pair in lacking] == ["not_computed"] * 2
    (_, b), (c, _) = first.table
    exact = mcnemar([[0, b], [c, 0]], exact=True).pvalue
    if correction == "westfall":  # the bounds of Bonferroni's inequality
        assert exact <= first.p_adjusted <= 3 * exact
    else:
        assert first.p_adjusted == pytest.approx(3 * midp(b, c))
    (item,) = results.record.analyses
    assert [setting["problem"] for setting in item.values["settings"]] == [None] * len(
        item.values["settings"]
    )
    page = html.render(build(Context(results.record)), "screen").html
    appendix = page[page.index('id="sensitivity_of_decisions"') :]
    assert "The comparison did not decide two pairs." in appendix


@pytest.mark.parametrize(
    ("group", "test", "taken"),
    [
        ("", "mcnemar", True),
        ("", "mcnemar(alternative=greater)", False),
        ("  group topic\n", "mcnemar", False),
    ],
)
def test_a_correction_that_counts_rows_is_no_setting_of_groups_or_of_one_side(
    group, test, taken, tmp_path
):
    # As E209 and E210 refuse it in a line
    rng = np.random.default_rng(7)
    rows = [[i, i // 3, *(rng.random(3) < (0.4, 0.6, 0.8)).astype(int)] for i in range(120)]
    write_rows(tmp_path, "answers.csv", "id,topic,a,b,c", rows)
    text = (
        'evallang 1\nstudy "Groups"\n  seed 1\npredictions answers from "answers.csv"\n  id id\n'
        f"{group}  correct a, b, c\ncompare a vs b, a vs c, b vs c with {test} holm\n"
        "analyze sensitivity\n"
    )
    (item,) = run(study(text, tmp_path), jobs=1).record.analyses
    corrections = {setting["correction"] for setting in item.values["settings"]}
    assert "bonferroni" in corrections and ("westfall" in corrections) == taken
