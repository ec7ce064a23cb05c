"""What every class of the catalogue promises: it builds, it does what its entry says."""

import numpy as np
import pytest
from many_cases import for_each

from evallang.models.abilities import abilities
from evallang.models.build import BuildContext, build
from evallang.models.catalogue import CATALOGUE, accepts, estimators, transformers, unavailable
from evallang.models.fitting import FitData, fit_candidates
from evallang.models.model import EstimatorSpec, ListSpec, PipelineSpec

pytestmark = pytest.mark.filterwarnings("ignore")  # classes warn about forty rows of noise

USABLE = sorted({*estimators(), *transformers()})
NEEDS_OTHER_PARAMETERS = {  # with one target of 60 rows and four columns
    "CategoricalNB": {"min_categories": 10},  # some only among the test rows
    "CCA": {"n_components": 1},
    "PLSCanonical": {"n_components": 1},
    "RadiusNeighborsClassifier": {"radius": 100.0},
    "RadiusNeighborsRegressor": {"radius": 100.0},
    "SparseCoder": {
        "dictionary": ListSpec(
            tuple(ListSpec(tuple(float(i == j) for j in range(4))) for i in range(4))
        )
    },
}
ONE_COLUMN_ONLY = {"IsotonicRegression"}


def fit_and_predict(pipeline, data, context):
    """Fit one pipeline."""
    return fit_candidates([pipeline], data, context)[0]


class _Column:
    def __init__(self, index: int) -> None:
        self.name, self.numeric, self.index = f"x{index}", True, index


def _context(n_columns: int, classes: tuple[str, ...]) -> BuildContext:
    return BuildContext([_Column(i) for i in range(n_columns)], lambda name, place: 7, classes)


def _rows() -> np.ndarray:
    return np.abs(np.random.default_rng(1).normal(size=(80, 4)))


def _spec(name: str) -> PipelineSpec:
    entry = CATALOGUE[name]
    classifier = bool(entry.kinds & {"classifier", "nested"})
    inner = EstimatorSpec("LogisticRegression" if classifier else "LinearRegression")
    if name == "FeatureUnion":
        inner = EstimatorSpec("StandardScaler")
    parameters = dict(NEEDS_OTHER_PARAMETERS.get(name, {}))
    for parameter in entry.parameters.values():
        if parameter.required and parameter.name not in parameters:
            many = "models" in parameter.constraint.kinds
            parameters[parameter.name] = ListSpec((inner, inner)) if many else inner
    return PipelineSpec((EstimatorSpec(name, tuple(parameters.items())),))


@for_each("name", USABLE)
def test_every_class_builds_with_its_defaults_and_gets_a_seed(name):
    built = build(_spec(name), _context(4, ("no", "yes")))
    if CATALOGUE[name].rule("documents"):  # one for each column
        built = built.transformers[0][1]
    assert type(built).__name__ == name
    if CATALOGUE[name].parameter("random_state") is not None:
        assert built.get_params()["random_state"] == 7
    n_jobs = built.get_params().get("n_jobs")
    assert n_jobs in (None, 1)


@pytest.mark.parametrize("name", estimators())
def test_every_estimator_gives_what_its_entry_says(name):
    rows = _rows()[:, :1] if name in ONE_COLUMN_ONLY else _rows()
    pipeline = _spec(name)
    able = abilities(pipeline)
    assert able.kind is not None
    noise = np.random.default_rng(2).normal(size=80)
    y = rows[:, 0] + 0.3 * noise
    n_classes = None
    classes: tuple[str, ...] = ()
    if able.kind == "classifier":
        y, n_classes, classes = (y > 0.7).astype(np.int64), 2, ("no", "yes")
    else:
        y = y - y.min() + 0.1  # above zero, for the gamma and Poisson families
    order = np.arange(80)
    data = FitData(rows, y, order[:60], order[60:], n_classes, scores=True)
    outcome = fit_and_predict(pipeline, data, _context(rows.shape[1], classes))
    assert outcome.failure is None
    assert outcome.outputs is not None
    assert outcome.outputs.predictions.shape == (20,)
    assert (outcome.outputs.kind == "probabilities") == able.probabilities
    assert (outcome.outputs.scores is not None) == able.scores
    if able.probabilities:
        assert outcome.outputs.scores.shape == (20, 2)
        np.testing.assert_allclose(outcome.outputs.scores.sum(axis=1), 1.0, atol=1e-9)


@for_each("name", USABLE)
def test_every_default_is_a_value_that_its_parameter_takes(name):
    for parameter in CATALOGUE[name].parameters.values():
        plain = parameter.default is not None or parameter.default_text == "none"
        plain = plain and parameter.default_text != "not given"
        if plain and not (parameter.refused or parameter.required):
            assert accepts(parameter, parameter.default) is None, parameter.name


OF_SCIKIT_LEARN = [name for name in USABLE if CATALOGUE[name].package is None]


@for_each("name", OF_SCIKIT_LEARN)  # others: tests/models/test_extras.py
def test_every_entry_agrees_with_scikit_learn_on_its_parameters(name):
    if name == "IterativeImputer":
        from sklearn.experimental import enable_iterative_imputer  # noqa: F401  (enables it)
    module = __import__(CATALOGUE[name].module, fromlist=[name])
    found = getattr(module, name)
    entry = CATALOGUE[name]
    here = {p for p, parameter in entry.parameters.items() if unavailable(parameter) is None}
    assert here == set(found._get_param_names())
