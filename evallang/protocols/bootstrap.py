"""The bootstrap of a learning algorithm: training sets drawn with replacement."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

import numpy as np

from evallang.bibliography import cite
from evallang.protocols.protocol import (
    ALGORITHM,
    PROTOCOLS,
    CannotSplit,
    ProtocolDeclaration,
    Rows,
    Split,
    Yields,
)
from evallang.protocols.splitting import units
from evallang.registry import Bounds
from evallang.results.settings import OptionWords


@PROTOCOLS.register(
    ProtocolDeclaration(
        words=("bootstrap",),
        yields=lambda options: Yields(frozenset(), once=False),
        describe=lambda options: (
            f"bootstrap with {options['rounds']} rounds ({options['estimate']} estimate)"
        ),
        short="{rounds} bootstraps",
        about=ALGORITHM,
        n_splits=lambda options: int(options["rounds"]) + 1,
        division="resampled",
        option_words={
            "rounds": OptionWords("Rounds", "training samples drawn"),
            "estimate": OptionWords("Bootstrap estimate", ""),
        },
        tests_on_training_rows=lambda options: options["estimate"] == "resubstitution",
        full_sample=True,
        keeps_strata=False,
        when="the error on small data should be estimated with little variance",
        when_not=(
            "models are compared by a test: repeated cv with corrected_t; models that memorize "
            "their training rows (1-NN, unpruned trees) are estimated by `.632`: `.632+`"
        ),
        formula=(
            "err is the error of the model trained and tested on all rows, Err(1) the mean "
            "error of each row over the rounds that held it out; `.632` is .368 err + .632 "
            "Err(1); `.632+` shifts the weight to Err(1) as it nears the error gamma of a "
            "model whose predictions do not depend on the truth. The standard error is that of "
            "the delta method after the bootstrap (Efron and Tibshirani 1997, section 5), less the "
            "noise of finitely many rounds by the jackknife over rounds, and at least the standard "
            "error of the mean of the rows' out-of-bag errors: the last two are an additional rule"
        ),
        differs={
            "Efron & Tibshirani 1997": (
                "where Err(1) is above gamma, their formula as printed adds the correction to "
                "the .632 estimate, in which Err(1) is not capped: with an apparent error of "
                ".1, Err(1) = .6 and gamma = .5 that is .563; here Err(1) is capped in both "
                "places, and the estimate is gamma, .5, so that it never exceeds the error of "
                "a rule without information"
            ),
            "mlxtend": (
                "bootstrap_point632_score takes the training error of the bootstrap models "
                "in place of the full model's, averages rounds in place of rows, and its "
                "`.632+` has no bounds: 5-NN on noise gave rounds from -55.9 to 10.4 there; "
                "here .478, which Efron and Tibshirani's definition gives"
            ),
            "Raschka 2018": (
                "eq. 37 prints another denominator of R: gamma is to be taken less the "
                "resubstitution error"
            ),
        },
        example=(
            "data cancer from sklearn breast_cancer\n"
            "  positive malignant\n"
            "\n"
            "model linear = StandardScaler | LogisticRegression\n"
            "model bayes = GaussianNB\n"
            "model baseline = DummyClassifier\n"
            "\n"
            "protocol bootstrap rounds=50 estimate=.632+\n"
            "measure error_rate\n"
        ),
    ),
    title="Bootstrap",
    references=(cite("efron1997"), cite("raschka2018"), cite("zhou2021")),
)
def bootstrap(
    rows: Rows,
    *,
    rounds: Annotated[int, Bounds(least=2)] = 200,
    estimate: Literal["oob", ".632", ".632+", "resubstitution"] = ".632+",
) -> Iterator[Split]:
    """Train on n rows drawn with replacement and test on those that were not drawn.

    The first split, fold -1, trains and tests on all rows: the apparent error that `.632`,
    `.632+` and `resubstitution` need. Then fold i is round i: `train` holds a row as often
    as it was drawn, `test` the rows out of the bag. Whole groups are drawn where there are
    any. Strata are not used, since the weight .632 is that of simple sampling. A draw that
    leaves no row out is drawn again. A round depends on its own seed alone, so more rounds
    only add to those there are. Raises `ValueError` for fewer than 2 rows or groups.
    """
    if rounds < 1:
        raise CannotSplit(f"bootstrap needs a round or more, and rounds is {rounds}")
    number = units(rows)
    if number < 2:
        raise CannotSplit("bootstrap needs 2 rows (or groups) or more to leave one out")
    everything = np.arange(rows.n, dtype=np.int64)
    yield Split(0, -1, everything, everything.copy())
    unit = everything if rows.groups is None else np.unique(rows.groups, return_inverse=True)[1]
    for fold in range(rounds):
        rng = np.random.default_rng(rows.seed(fold))
        times = np.full(number, 1)
        while times.all():
            times = np.bincount(rng.integers(number, size=number), minlength=number)
        drawn = times[unit]
        yield Split(0, fold, np.repeat(everything, drawn), np.flatnonzero(drawn == 0))
