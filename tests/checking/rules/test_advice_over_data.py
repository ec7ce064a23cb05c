"""Too few data sets for a test over them: the bound is that of the tests themselves."""

import numpy as np
import pytest
from scipy.stats import binomtest, wilcoxon
from studies import checked

from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS


def said(line, sets, models=("GaussianNB", "LinearDiscriminantAnalysis")):
    text = "evallang 1\nstudy\n  seed 1\n"
    for place in range(sets):
        text += f'data d{place} from "d{place}.csv"\n  target y\n  positive 1\n'
    text += "".join(f"model m{place} = {name}\n" for place, name in enumerate(models))
    found = checked(text + f"protocol cv folds=5\ncompare {line}\n").diagnostics
    return [(d.message, d.help) for d in found if d.code == "W319"]


@pytest.mark.parametrize("sets", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("alternative", ["two_sided", "greater"])
def test_the_smallest_p_is_that_of_data_sets_which_all_agree(sets, alternative):
    words = alternative.replace("_", "-")
    of_ranks = wilcoxon(np.arange(1.0, sets + 1), alternative=words, method="exact").pvalue
    of_signs = binomtest(sets, sets, alternative=words).pvalue
    for name, p in (("wilcoxon", of_ranks), ("sign", of_signs)):
        found = said(f"m0, m1 across data with {name}(alternative={alternative})", sets)
        assert bool(found) == (p > 0.05)
        for message, _ in found:
            assert message == (
                f"over {sets} data sets the smallest p that `{name}` can have is {p:.3g}, "
                "above 0.05"
            )


def test_friedman_has_its_own_smallest_p():
    models = ("GaussianNB", "LinearDiscriminantAnalysis", "SVC")
    friedman = HYPOTHESIS_TESTS["friedman"].function
    p = friedman(np.array([[0.9, 0.8, 0.7]] * 2)).p
    assert p == pytest.approx(1 / 6, abs=1e-12)  # two rankings of three agree by chance
    ((message, _),) = said("across data with friedman then wilcoxon", 2, models)
    assert "`friedman` can have is 0.167" in message


@pytest.mark.parametrize(("correction", "enough"), [("holm", 7), ("uncorrected", 6)])
def test_the_way_out_is_enough(correction, enough):
    models = ("GaussianNB", "LinearDiscriminantAnalysis", "SVC")
    line = f"across data with wilcoxon {correction}"
    ((_, suggestion),) = said(line, 2, models)
    assert suggestion.startswith(f"compare over {enough} data sets or more")
    assert said(line, enough - 1, models)
    assert said(line, enough, models) == []


@pytest.mark.parametrize("line", ["with nemenyi", "with bayes_sign(rope=1%)", "with quade"])
def test_of_other_tests_nothing_is_said(line):
    models = ("GaussianNB", "LinearDiscriminantAnalysis", "SVC")
    assert said(f"across data {line}", 2, models) == []
