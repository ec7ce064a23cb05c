"""Every input that a method names is declared once, and the engine makes it as declared."""

from pathlib import Path

import numpy as np
import pytest
from many_cases import for_each
from msgspec.structs import replace
from studies import codes, study

from evallang.analysis import ANALYSES
from evallang.api import run
from evallang.engine.across import DATA_SETS
from evallang.engine.analyses import ANALYSIS
from evallang.engine.comparisons import FAMILY
from evallang.engine.decisions import DECISIONS
from evallang.engine.estimate_analyses import ESTIMATES, PAIRS
from evallang.engine.estimate_intervals import ESTIMATE
from evallang.engine.model_analyses import OUTCOMES
from evallang.engine.providers import COMPARISON, Providers
from evallang.evidence import DATASET_SCORES, FOLD_SCORES
from evallang.results.records import HypothesisTestResult, Statistic
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.correctness import Correctness
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.stats.inputs import ASKED_BY, DESIGN_SHAPES, INPUTS, Subject
from evallang.stats.intervals.interval import INTERVALS
from evallang.stats.score_counts import PlacementSums

PROVIDERS = (
    COMPARISON,
    DATA_SETS,
    DECISIONS,
    ESTIMATE,
    ESTIMATES,
    FAMILY,
    ANALYSIS,
    PAIRS,
    OUTCOMES,
)
MEMBERS = [
    pytest.param(entry, id=f"{entry.kind}-{entry.name}")
    for registry in (HYPOTHESIS_TESTS, INTERVALS, CORRECTIONS, ANALYSES)
    for entry in registry
]


@for_each("entry", MEMBERS)
def test_what_a_member_asks_for_can_be_made_for_one_subject(entry):
    assert INPUTS.subjects_of(entry.kind, entry.inputs), entry.inputs


@for_each("entry", [*HYPOTHESIS_TESTS, *INTERVALS], ids=lambda entry: entry.name)
def test_what_a_member_asks_for_rests_on_evidence_that_it_declares(entry):
    needs = getattr(entry.declaration, "evidence", frozenset())
    subjects = INPUTS.subjects_of(entry.kind, entry.inputs)
    assert subjects
    for subject in subjects:
        for name in entry.inputs:
            declared = INPUTS.of(subject)[name]
            assert not declared.evidence or declared.evidence & needs, name


ON_EXAMPLES = [
    entry
    for entry in (*HYPOTHESIS_TESTS, *INTERVALS)
    if not entry.declaration.rests_only_on("data set")
]


@for_each("entry", ON_EXAMPLES, ids=lambda entry: entry.name)
def test_the_engine_makes_an_input_from_the_evidence_that_a_member_declares(entry):
    needs = entry.declaration.evidence
    for providers in (COMPARISON, ESTIMATE):
        if providers.subject in INPUTS.subjects_of(entry.kind, entry.inputs):
            for name in entry.inputs:
                kinds = {evidence for evidence, _ in providers._made[name]}
                assert None in kinds or kinds & needs, (
                    f"`{name}` is not made from {' or '.join(one.name for one in needs)}: provide "
                    "it in engine/providers.py"
                )


@pytest.mark.parametrize("providers", PROVIDERS, ids=lambda p: str(p.subject))
def test_the_engine_makes_what_is_declared_and_nothing_else(providers):
    assert providers.names() == INPUTS.of(providers.subject).keys()


def test_every_subject_has_providers():
    assert {providers.subject for providers in PROVIDERS} == set(Subject)
    assert set().union(*ASKED_BY.values()) == set(Subject)


def test_an_input_that_is_not_declared_or_made_already_is_refused():
    with pytest.raises(ValueError, match="is not declared"):
        COMPARISON.provides("moonlight")(len)
    with pytest.raises(ValueError, match="has a provider already"):
        COMPARISON.provides("table")(len)
    for subject in Subject:
        names = [one.name for one in INPUTS.declared if subject in one.subjects]
        assert len(names) == len(set(names)), "declared twice"


READINGS = Path(__file__).parents[2] / "examples" / "data" / "readings.csv"
BATTLES = Path(__file__).parents[2] / "examples" / "data" / "battles.jsonl"
RATINGS = Path(__file__).parents[2] / "examples" / "data" / "ratings.csv"
ANSWERS = Path(__file__).parents[2] / "examples" / "data" / "answers.csv"
TRANSCRIPTS = Path(__file__).parents[2] / "examples" / "data" / "transcripts.csv"
CANCER = """\
evallang 1
study "Inputs"
  seed 1
data cancer from sklearn breast_cancer
  positive malignant
model near = KNeighborsClassifier
model bayes = GaussianNB
model tree = DecisionTreeClassifier(max_depth=2)
"""
SUITE = """\
evallang 1
study "Inputs over data"
  seed 1
data iris from sklearn iris
data wine from sklearn wine
data digits from sklearn digits
model near = KNeighborsClassifier
model bayes = GaussianNB
model tree = DecisionTreeClassifier(max_depth=2)
protocol holdout test=1/3
measure accuracy averaged over data
compare near, bayes, tree across data with friedman then nemenyi
compare near vs bayes across data with wilcoxon
compare near vs bayes across data with bayes_sign
"""
STUDIES = (
    f"{CANCER}protocol holdout test=1/3\nmeasure accuracy\n  interval wilson\n"
    "measure f1\n  interval takahashi\nmeasure mcc\n  interval bootstrap(rounds=50)\n"
    "measure cohen_kappa\n  interval delta\n"
    "measure roc_auc\n  interval delong\nmeasure brier\nmeasure balanced_accuracy\n"
    "compare near vs bayes with paired_recalls by balanced_accuracy\n"
    "compare near, bayes, tree with mcnemar westfall by accuracy\n"
    "compare near vs bayes with proportions_z by accuracy\n"
    "compare near vs bayes with permutation(rounds=50) by f1\n"
    "compare near vs bayes with bootstrap(rounds=50) by f1\n"
    "compare near vs bayes with delong by roc_auc\n"
    "compare near vs bayes with t by brier\n"
    "compare near vs bayes, bayes vs tree with permutation(rounds=50) max_t by f1\n"
    "compare near vs bayes with noninferiority(margin=0.1) by accuracy\n"
    "analyze power\n",
    f"{CANCER}protocol cv folds=5\nmeasure brier\n  interval cv_clt\n"
    "measure accuracy\n  interval nested_cv(repeats=1)\n"
    "measure roc_auc\n  interval cv_auc\n"
    "compare near vs bayes with delong by roc_auc\n"
    "analyze roc, agreement\n",
    f"{CANCER}protocol repeated cv folds=5 times=2\nmeasure accuracy\n"
    "compare near vs bayes with corrected_t\ncompare near vs bayes with bayes_t\n",
    f"{CANCER}protocol time_series folds=3\nmeasure accuracy\n",
    f"{CANCER}protocol 5x2cv\nmeasure accuracy\ncompare near vs bayes with 5x2cv_f\n",
    f"{CANCER.replace('max_depth=2', 'max_depth in [1, 2]')}protocol cv folds=3\ntune grid cv=2\n"
    "measure accuracy\nanalyze stability of tree\n",
    f"{CANCER}protocol cv folds=3\nmeasure accuracy\n"
    "analyze learning_curve(sizes=[50, 100], repeats=1)\nanalyze variance of near\n"
    "compare near vs bayes with mcnemar\nanalyze sensitivity\n"
    "analyze bias_variance(rounds=4) of near\nanalyze target_permutation(rounds=2) of near\n",
    SUITE,
    f'evallang 1\npredictions reading from "{READINGS}"\n  id image\n'
    "  reader radiologist random\n  truth lesion\n  score aided = aided\n"
    "  score alone = alone\nmeasure roc_auc\n"
    "compare aided vs alone with obuchowski_rockette\n",
    f'evallang 1\npredictions speech from "{TRANSCRIPTS}"\n  group speaker\n'
    '  value ratio("errors", "words") small as (small_errors, words)\n'
    "  lower is better\nmeasure errors_words\n  interval ratio\n",
    f"{CANCER}protocol cv folds=3\nmeasure roc_auc\n  interval multiclass_auc\n",
    f'evallang 1\nbattles votes from "{BATTLES}"\nmeasure win_rate\n'
    "compare alder vs oak with bradley_terry\n",
    f'evallang 1\npredictions right from "{ANSWERS}"\n  model model\n  id question\n'
    "  correct all as right\n"
    f'predictions tokens from "{ANSWERS}"\n  model model\n  id question\n'
    '  value "output tokens" all as tokens\n  lower is better\nmeasure accuracy\n'
    'analyze cost_frontier(cost="output tokens")\nanalyze leaderboard\n',
    f'evallang 1\npredictions answers from "{RATINGS}"\n  judges gpt, claude truth human\n'
    "  positive acceptable\nmeasure corrected_rate\n",
    f"{CANCER}protocol holdout\nmeasure calibration_slope\n  interval jackknife\n",
)


def sizes(subject, context):
    """Give the lengths that the symbols of shapes stand for."""
    if subject is Subject.COMPARISON:
        found = context.evaluation.models[context.models[0]]
        folds, classes = context.evaluation.folds, context.evaluation.classes
        return {
            "n": len(found.rows), "m": len(context.models), "j": len(folds), "s": len(classes)
        }  # fmt: skip
    if subject is Subject.DATA_SETS:
        of_pair = "pair" in HYPOTHESIS_TESTS[context.test.name].inputs
        models = context.family if of_pair else context.models
        return {"s": len(context.grid.datasets), "m": len(models)}
    if subject is Subject.FAMILY:
        found = next(iter(context.first.context.evaluation.models.values()))
        return {"n": len(found.rows), "m": len(context.first.planned.models)}
    if subject is Subject.ESTIMATE:
        one = context
        k = one.outcome.k
        return {"n": one.outcome.n, "j": len(one.evaluation.folds), "k": k, "s": k}
    return {}


@pytest.fixture(scope="module")
def made():
    """Run small studies, and record every input that was made for a method."""
    found = []
    plain = Providers.make

    def recorded(self, name, context, needs=()):
        value = plain(self, name, context, needs)
        found.append((self.subject, name, context, frozenset(needs), value))
        return value

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Providers, "make", recorded)
        for text in STUDIES:
            run(study(text))
    return found


@pytest.mark.parametrize(
    ("subject", "name"),
    [(subject, name) for subject in Subject for name in sorted(INPUTS.of(subject))],
)
def test_an_input_has_its_declared_shape(made, subject, name):
    declared = INPUTS.of(subject)[name]
    values = [item[2:] for item in made if item[:2] == (subject, name)]
    assert values, "no study of this test asks for it"
    assert declared.optional or all(value is not None for *_, value in values)
    for context, needs, value in values:
        shape = declared.shape
        if declared.by_axis:
            over_data = {DATASET_SCORES}
            taken = needs & over_data if subject is Subject.DATA_SETS else needs - over_data
            shape = (next(one.axis for one in taken if one.axis),)
            if shape == ("j",):
                designs = context.needs.designs
                shape = next((DESIGN_SHAPES[d] for d in designs if d in DESIGN_SHAPES), shape)
        if shape is None or value is None:
            continue
        known = sizes(subject, context)
        counted = isinstance(value, Correctness)
        found = (value.n, value.n_models) if counted else np.shape(value)
        if isinstance(value, PlacementSums):  # of one model too, they have an axis of models
            found = found[: len(shape)]
        assert found == tuple(known.get(axis, axis) for axis in shape)


def test_a_test_over_seeds_needs_its_kind_of_evidence_and_a_provider(monkeypatch):
    monkeypatch.setattr(
        COMPARISON, "_made", {name: list(made) for name, made in COMPARISON._made.items()}
    )
    HYPOTHESIS_TESTS.names()  # loads the registered tests before they are copied
    monkeypatch.setattr(HYPOTHESIS_TESTS, "_entries", dict(HYPOTHESIS_TESTS._entries))
    kind = replace(FOLD_SCORES, name="seeds", unit="seed", overlap="", scope="new seeds", axis="r")

    def won_by_seeds(first, second):
        """Count the seeds with which the first model is better."""
        won = Statistic("n", float(np.sum(first > second)))
        return HypothesisTestResult("won_by_seeds", f"of {len(first)}", "as often", won, p=0.5)

    declaration = HypothesisTestDeclaration(frozenset({kind}), "as often")
    HYPOTHESIS_TESTS.register(declaration, title="Seeds")(won_by_seeds)

    def values(which):
        return lambda inputs: np.array(
            [one.value for one in inputs.evaluation.aggregates(inputs.models[which], inputs.metric)]
        )

    COMPARISON.provide(kind, first=values(0), second=values(1))
    text = (
        f"{CANCER}model trees = RandomForestClassifier(n_estimators=3)\n"
        "protocol holdout test=1/3 seeds=4\nmeasure accuracy\n"
        "compare trees vs near with won_by_seeds\n"
    )
    record = run(study(text)).record
    (comparison,) = record.comparisons
    (pair,) = comparison.pairwise
    assert (pair.variant, comparison.about) == ("of 4", "new seeds")
    assert record.estimates[0].about != "new seeds"
    assert "E201" in codes(text.replace(" seeds=4", "")), "one seed is no sample of seeds"
