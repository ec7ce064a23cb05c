"""`analyze target_permutation`, against scikit-learn's permutation test on the same shuffles."""

import math
from itertools import permutations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.linear_model import Ridge
from sklearn.model_selection import permutation_test_score
from sklearn.naive_bayes import GaussianNB
from studies import errors_of, study, write_rows

from evallang.analyses.target_permutation import (
    Shuffled,
    compared_with_chance,
    exchangeable,
    shuffled_rows,
    ways_to_shuffle,
)
from evallang.api import StudyError, run
from evallang.api.preparing import read_and_plan

WINE = """\
evallang 1
study "Chance"
  seed 3
data wine from sklearn wine
model bayes = GaussianNB
model other = DecisionTreeClassifier(max_depth=1)
model prior = DummyClassifier
protocol cv folds=5
measure accuracy
"""


class GivenShuffles(np.random.RandomState):
    """A generator whose permutations are given."""

    def __init__(self, orders):
        super().__init__(0)
        self.orders = iter(orders)

    def permutation(self, n):
        return next(self.orders)


class PlannedSplits:
    """A splitter that knows the planned splits by the target that they are of."""

    def __init__(self, splits):
        self.splits = splits

    def split(self, X, y, groups=None):
        return self.splits[np.asarray(y).tobytes()]

    def get_n_splits(self, *of):
        return 5


def planned(text, y, folder=None):
    """Return the shuffles of a plan, and the splits of every target, also of the one as it is."""
    planned = read_and_plan(study(text, folder) if folder else study(text)).planned
    layout = planned.layout
    (made,) = layout.splits.values()
    splits = {y.tobytes(): [(split.train, split.test) for split in made]}
    orders = {}
    for place in layout.subsets:
        task = planned.fits[place.key]
        orders[place.times] = task.target_of
        own = splits.setdefault(y[task.target_of].tobytes(), [])
        if place.model == layout.subsets[0].model:
            own.append((task.refit, task.test))
    return [orders[number] for number in sorted(orders)], splits


def values_of(text, folder=None):
    record = run(study(text, folder) if folder else study(text)).record
    return {item.model: item.values for item in record.analyses}


def test_score_and_p_are_those_of_scikit_learn_on_the_same_shuffles():
    text = WINE + "analyze target_permutation(rounds=19) of bayes\n"
    X, y = load_wine(return_X_y=True)
    orders, splits = planned(text, y)
    # Folds of 36, 36, 36, 35 and 35 rows: the pooled accuracy differs from the mean over folds
    cv = PlannedSplits(splits)

    def pooled(estimator, X, y):
        return (estimator.predict(X) == y).sum()

    score, scores, p = permutation_test_score(
        GaussianNB(), X, y, scoring=pooled, cv=cv, n_permutations=19,
        random_state=GivenShuffles(orders),
    )  # fmt: skip
    (found,) = values_of(text).values()
    assert found["value"] == pytest.approx(5 * score / 178, rel=1e-12)
    assert found["mean"] == pytest.approx(5 * scores.mean() / 178, rel=1e-12)
    assert found["sd"] == pytest.approx(5 * scores.std(ddof=1) / 178, rel=1e-9)
    assert found["p"] == p == 1 / 20
    wanted = np.quantile(5 * scores / 178, [0.05, 0.5, 0.95])
    assert [q["value"] for q in found["quantiles"]] == pytest.approx(wanted, rel=1e-12)


def test_a_loss_on_noise_has_the_p_of_scikit_learn(tmp_path):
    """A target that no feature explains: rows of the diabetes data in another order."""
    data = load_diabetes()
    X, y = data.data[:60, :3], np.random.default_rng(5).permutation(data.target[:60])
    text = (
        'evallang 1\nstudy\n  seed 2\ndata d from "d.csv"\n  target y\n  task regression\n'
        "model line = Ridge\nprotocol cv folds=5\nmeasure mse\n"
        "analyze target_permutation(rounds=29)\n"
    )
    rows = [(*map(repr, row.tolist()), repr(float(t))) for row, t in zip(X, y, strict=True)]
    write_rows(tmp_path, "d.csv", "a,b,c,y", rows)
    orders, splits = planned(text, y, tmp_path)
    (found,) = values_of(text, tmp_path).values()
    score, _, p = permutation_test_score(
        Ridge(), X, y, scoring="neg_mean_squared_error", cv=PlannedSplits(splits),
        n_permutations=29, random_state=GivenShuffles(orders),
    )  # fmt: skip
    assert found["value"] == pytest.approx(-score, rel=1e-9)  # folds of equal size
    assert found["p"] == pytest.approx(p, rel=1e-12)
    assert 1 < found["as_good"] < 29


def test_p_counts_the_target_as_it_is_ties_and_rounds_without_a_score():
    scores = np.array([0.5, 0.1 + 0.2, 0.7, math.nan, 0.2])
    found = compared_with_chance(
        Shuffled("accuracy", "higher", 20, 0.3, scores, math.inf, (), None)
    )
    assert (found.as_good, found.failed, found.rounds) == (4, 1, 5)
    assert found.p == 5 / 6
    assert found.mc_se == pytest.approx(math.sqrt(5 / 6 * 1 / 6 / 6))
    assert found.difference == pytest.approx(0.3 - 1.7 / 4)
    assert any("without a score" in note for note in found.notes)
    lower = compared_with_chance(Shuffled("mse", "lower", 20, 0.3, scores, math.inf, (), None))
    assert (lower.as_good, lower.p) == (3, 4 / 6)
    nothing = np.full(7, math.nan)
    with pytest.raises(ValueError, match="none of 7 shuffled targets"):
        compared_with_chance(Shuffled("mse", "lower", 20, 0.3, nothing, math.inf, (), None))


@pytest.mark.parametrize(
    ("y", "groups", "levels"),
    [
        ([0, 0, 1, 1, 1], None, "-----"),
        ([0, 0, 1, 1, 2], None, "aabbb"),
        ([0, 0, 1, 1, 1, 0], [0, 0, 1, 1, 1, 2], "------"),  # groups of one target and any size
        ([0, 1, 1, 1, 0, 0], [0, 0, 1, 1, 2, 2], "------"),  # groups with several targets
        ([0, 1, 1, 1, 0, 0, 1], [0, 0, 1, 1, 2, 2, 2], "-------"),  # the last has other rows
        ([0, 0, 1, 1, 2, 2, 0], [0, 0, 1, 1, 2, 2, 3], "aabbaab"),
    ],
)
def test_shuffles_are_those_that_may_be_exchanged(y, groups, levels):
    """Against all permutations of the units that keep strata, and sizes where targets vary."""
    y = np.array(y)
    codes = None if groups is None else np.array(groups)
    units = exchangeable(y, codes, list(levels))
    own = [[i] for i in range(len(y))] if groups is None else [
        [i for i, g in enumerate(groups) if g == one] for one in sorted(set(groups))
    ]  # fmt: skip
    constant = all(len({y[i] for i in unit}) == 1 for unit in own)
    allowed = set()
    for order in permutations(range(len(own))):
        target = y.copy()
        for unit, donor in zip(own, (own[i] for i in order), strict=True):
            alike = {levels[i] for i in unit} == {levels[i] for i in donor}
            if not alike or (len(unit) != len(donor) and not constant):
                break
            target[unit] = y[donor] if len(unit) == len(donor) else y[donor[0]]
        else:
            allowed.add(tuple(target.tolist()))
    assert ways_to_shuffle(y, units) == len(allowed)
    rng = np.random.default_rng(1)
    drawn = {tuple(y[shuffled_rows(len(y), units, rng)].tolist()) for _ in range(400)}
    assert drawn == allowed


def test_targets_are_exchanged_between_whole_groups_within_strata(tmp_path):
    rng = np.random.default_rng(4)
    rows = [
        (f"p{g}", "AB"[g % 2], g // 2 % 2, *rng.standard_normal(2).round(3))
        for g in range(24)
        for _ in range(2 + g % 3)
    ]
    write_rows(tmp_path, "g.csv", "who,site,y,a,b", rows)
    text = (
        'evallang 1\nstudy\n  seed 2\ndata d from "g.csv"\n  target y\n  group who\n'
        "  features a, b\nstratify by target, site\n"
        "model m = GaussianNB\nprotocol cv folds=3\nmeasure accuracy\n"
        "analyze target_permutation(rounds=9)\n"
    )
    planned = read_and_plan(study(text, tmp_path)).planned
    layout = planned.layout
    who, site, y = (np.array([row[i] for row in rows]) for i in range(3))
    for place in layout.subsets:
        task = planned.fits[place.key]
        shuffled = y[task.target_of]
        assert all(len(set(shuffled[who == one])) == 1 for one in set(who))
        assert (site[task.target_of] == site).all()
        assert not set(who[task.refit]) & set(who[task.test])
    (found,) = values_of(text, tmp_path).values()
    assert (found["groups"], found["unit"], found["within"]) == (24, "groups", ("site",))


def test_models_are_tuned_on_the_shuffled_target_and_every_fit_is_planned():
    text = WINE.replace("cv folds=5", "nested cv outer=3 inner=2").replace(
        "model other = DecisionTreeClassifier(max_depth=1)",
        "model near = KNeighborsClassifier(n_neighbors in 1..5 step 2)",
    )
    without = read_and_plan(study(text)).planned.plan.n_fits
    made = read_and_plan(study(text + "analyze target_permutation(rounds=4)\n")).planned
    # bayes once and near 2 * 3 + 1 times in each of 3 splits, for 4 targets
    assert made.plan.n_fits == without + 4 * 3 * (1 + 7)
    tuned = [task for task in made.fits.values() if task.inner and len(task.candidates) > 1]
    targets = {None if t.target_of is None else t.target_of.tobytes() for t in tuned}
    assert len(targets) == 5
    node = [task for task in made.plan.tasks if task.kind == "analyze" and task.model == "near"]
    assert len(set(node[0].needs) & {t.key for t in made.plan.tasks if t.model == "near"}) == 12 + 3


def test_stored_fits_are_not_made_again(tmp_path):
    text = WINE + "analyze target_permutation(rounds=3) of bayes\n"
    first = run(study(text), store=tmp_path).record
    again = run(study(text), store=tmp_path).record
    assert again.provenance.fits.run == 0
    assert [a.values for a in again.analyses] == [a.values for a in first.analyses]
    more = run(study(text.replace("rounds=3", "rounds=5")), store=tmp_path).record
    assert more.provenance.fits.run == 2 * 5  # the first shuffles are the same


def test_a_target_that_cannot_be_shuffled_is_refused(tmp_path):
    rows = [(f"p{g}", i % 2, i) for g, n in enumerate((3, 4, 5)) for i in range(n)]
    write_rows(tmp_path, "g.csv", "who,y,a", rows)
    text = (
        'evallang 1\ndata d from "g.csv"\n  target y\n  group who\n'
        "model m = GaussianNB\nprotocol leave_one_group_out\nmeasure accuracy\n"
        "analyze target_permutation(rounds=19)\n"
    )
    with pytest.raises(StudyError) as raised:
        run(study(text, tmp_path))
    (found,) = [d for d in errors_of(raised) if "shuffled" in d.message]
    assert "no two groups can exchange it" in found.message
    assert "remove `analyze target_permutation`" in found.help


def adjusted_by_counting(observed, scores):
    """Count on how many targets any model has as small a p as each on the target as it is."""
    models, rounds = scores.shape
    every = np.column_stack([observed, scores])
    every = np.where(np.isnan(every), np.inf, every)
    p = np.array([[(row >= x).sum() for x in row] for row in every]) / (rounds + 1)
    return [
        sum(min(p[:, target]) <= p[model, 0] for target in range(rounds + 1)) / (rounds + 1)
        for model in range(models)
    ]


def test_adjusted_p_count_the_targets_on_which_any_model_is_as_good():
    rng = np.random.default_rng(8)
    scores = np.round(rng.normal(size=(3, 39)), 1)  # with ties
    scores[1, 4] = np.nan
    observed = np.array([1.4, 0.3, 2.9])
    wanted = adjusted_by_counting(observed, scores)
    for model in range(3):
        others = tuple((observed[k], scores[k]) for k in range(3) if k != model)
        given = Shuffled(
            "accuracy", "higher", 60, observed[model], scores[model], math.inf, (), None, others
        )
        found = compared_with_chance(given)
        assert found.p_adjusted == pytest.approx(wanted[model], rel=1e-12)
        assert found.p <= found.p_adjusted <= min(1.0, 3 * found.p)
        assert found.models == 3


def test_adjusted_p_keep_the_family_wise_error_and_use_what_models_share():
    # Four equal models without information, of which two give the same scores
    rng = np.random.default_rng(3)
    hits = plain = 0
    for _ in range(400):
        every = rng.normal(size=(3, 20))
        every = np.vstack([every, every[2]])
        found = []
        for model in range(4):
            others = tuple((every[k, 0], every[k, 1:]) for k in range(4) if k != model)
            given = Shuffled(
                "accuracy", "higher", 60, every[model, 0], every[model, 1:], math.inf, (), None,
                others,
            )  # fmt: skip
            found.append(compared_with_chance(given))
        hits += min(one.p_adjusted for one in found) <= 0.2
        plain += min(one.p for one in found) <= 0.2
    assert hits / 400 <= 0.2 + 4 * math.sqrt(0.2 * 0.8 / 400)
    assert plain / 400 > 0.4
