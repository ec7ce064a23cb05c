"""The mean of a series whose neighbours are correlated: its long-run variance and interval."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
import scipy
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.evidence import LOSSES_PER_ROW, ONE_PREDICTION_PER_ROW
from evallang.registry import Bounds, Example
from evallang.results.statistics import Interval
from evallang.stats.basics import checked_level, magnitudes, t_quantile
from evallang.stats.fold_scores import spread_is_noise
from evallang.stats.intervals.interval import INTERVALS, IntervalDeclaration
from evallang.stats.validity import OF_TAIL, Counted, Holds

COVERED = ((0.13, ""), (0.3, "88 to 93%"), (math.inf, "75 to 88%"))
"""How often 95% intervals covered, up to a share of the variance that Bartlett's weights miss."""
WIDEST_LAG = 100  # from which on a root of n is enough
MOST_LAGS = 10  # looked at for dependence beyond a horizon
LEAST_FOR_LAGS = 5  # moments for each of them
CLEAR = 0.05  # p of Ljung and Box at which dependence is reported


def default_lag(n: int) -> int:
    """Return the lag for n moments: n/3, at most 100 or, if that is more, 1.3 sqrt(n).

    Lags that grow with n, and t with the degrees of freedom that are left, keep the level best
    (Kiefer & Vogelsang 2005); 1.3 sqrt(n) is the recommendation of Lazarus et al. (2018), with
    which intervals of short series covered up to five points less.
    """
    return min(n // 3, max(WIDEST_LAG, math.ceil(1.3 * math.sqrt(n))))


def autocovariances(series: NDArray[np.float64], lag: int) -> NDArray[np.float64]:
    """Return the autocovariances, with divisor n, of lags 0 to `lag`."""
    centred, n = series - series.mean(), len(series)
    return np.array([float(centred[k:] @ centred[: n - k]) / n for k in range(lag + 1)])


def standard_error(series: NDArray[np.float64], lag: int) -> tuple[float, float]:
    """Return the standard error of the mean of a series, and its degrees of freedom.

    Newey and West's variance over 1 - (lag + 1)/n, which corrects for the mean that was
    estimated; n over the sum of the squared weights is the number of independent terms that it
    is worth (Lazarus et al. 2018).
    """
    n, weights = len(series), 1 - np.arange(lag + 1) / (lag + 1)
    left = 1 - (lag + 1) / n
    long_run = 2 * float(autocovariances(series, lag) @ weights) - float(series.var())
    error = math.sqrt(long_run / n / left) if left > 0 else math.nan
    return error, n / (2 * float((weights**2).sum()) - 1)


def strong_dependence(series: NDArray[np.float64], lag: int) -> str | None:
    """Return the note of a series that is too dependent for a lag, None where it is not.

    Of an autoregression of the first order, Bartlett's weights miss 2 r/((1 - r^2) (lag + 1)) of
    the long-run variance; r is corrected for its own bias (Kendall 1954).
    """
    covariances, n = autocovariances(series, 1), len(series)
    r = float(covariances[1] / covariances[0]) if covariances[0] > 0 else 0.0
    corrected = min(r + (1 + 3 * r) / n, 0.99)
    missed = 2 * corrected / ((1 - corrected**2) * (lag + 1))
    covered = next(words for most, words in COVERED if missed <= most)
    if not covered:
        return None
    return (
        f"neighbouring values correlate by {r:.2f}, which is much for {n:,} of them: "
        f"coverage of 95% intervals of such series was {covered} in simulations"
    )


class Dependence(Struct, frozen=True):
    """The largest autocorrelation of a series beyond the lags that a test allows for.

    Attributes
    ----------
    lag : at which it is
    autocorrelation : its value
    allowed : the last lag that the test allows for
    """

    lag: int
    autocorrelation: float
    allowed: int

    @property
    def facts(self) -> dict[str, float | int]:
        """What a result keeps of it."""
        return {"autocorrelation": self.autocorrelation, "autocorrelation_lag": self.lag}

    @property
    def note(self) -> str:
        """The note on p and interval."""
        allowed = f" beyond lag {self.allowed}" if self.allowed else ""
        return (
            f"p and interval assume no correlation{allowed}, and at lag {self.lag} the "
            f"autocorrelation is {self.autocorrelation:.2f}: p is too small and the interval too "
            "narrow"
        )


def dependence_beyond(series: ArrayLike, horizon: int) -> Dependence | None:
    """Return the largest autocorrelation from the lag `horizon` on, None unless it is clear.

    Clear means p at most .05 by Ljung and Box's test of the first of these lags or of ten of them
    (Bonferroni), with the variance that a moving average of the order `horizon` - 1 gives
    autocorrelations beyond it (Bartlett), and that the largest is positive.
    """
    values = np.asarray(series, dtype=np.float64)
    n = len(values)
    lags = min(MOST_LAGS, n // LEAST_FOR_LAGS)
    if lags < 1 or horizon + lags >= n:
        return None
    covariances = autocovariances(values, horizon + lags - 1)
    if covariances[0] <= 0 or spread_is_noise(float(np.ptp(values)), float(np.abs(values).max())):
        return None
    r = covariances / covariances[0]
    inside = 1 + 2 * float((r[1:horizon] ** 2).sum())
    beyond = r[horizon:]
    counts = n - np.arange(horizon, horizon + lags)
    first = n * (n + 2) * float(beyond[0] ** 2) / counts[0] / inside
    every = n * (n + 2) * float((beyond**2 / counts).sum()) / inside
    p = min(
        2 * float(scipy.special.chdtrc(1, first)), 2 * float(scipy.special.chdtrc(lags, every)), 1.0
    )
    at = int(beyond.argmax())
    if p > CLEAR or beyond[at] <= 0:
        return None
    return Dependence(horizon + at, float(beyond[at]), horizon - 1)


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({ONE_PREDICTION_PER_ROW, LOSSES_PER_ROW}),
        "series",
        default_for=frozenset({"series"}),
        holds=(
            Holds(
                Counted.EXAMPLES,
                100,
                "coverage of 95% intervals of series was 90 to 95% in simulations, of squared "
                "errors 75 to 94%",
            ),
            OF_TAIL,
        ),
        when=(
            "examples are ordered in time, and the metric is a mean over them: a mean loss or a "
            "share of right answers"
        ),
        when_not="examples are independent: the intervals of independent examples are shorter",
        formula=(
            "the mean ± t times its standard error by Newey and West, in which neighbours up to a "
            "lag of n/3 (at most 100, or 1.3 times the root of n) are correlated, with falling "
            "weights; t has the degrees of freedom that these weights leave"
        ),
        differs={
            "statsmodels": (
                "cov_type='HAC' with use_correction=False has the same variance for the same lag, "
                "before it is divided by 1 - (lag + 1)/n, and normal quantiles"
            ),
        },
        example=(
            'data visits from "data/visits.csv"  # rows in the order of time\n'
            "  target length_of_stay\n"
            "  features age, previous_visits\n"
            "  task regression\n"
            "\n"
            "model linear = LinearRegression\n"
            "model mean = DummyRegressor\n"
            "\n"
            "protocol time_series folds=5\n"
            "measure mae\n"
            "  interval newey_west(lag=10)\n"
        ),
    ),
    title="Newey–West interval",
    references=(cite("newey1987"), cite("kiefer2005"), cite("lazarus2018")),
    examples=(
        Example(
            # d - mean is -1, 0, 1, 0: autocovariances 2/4 and 0; 1 - 2/4 is left, and the weights
            # 1 and 1/2 leave 4/(1 + 2/4) degrees of freedom
            ((0.0, 1.0, 2.0, 1.0), 0.5),
            {
                "low": 1 - 0.7773879 * math.sqrt(0.5 / 4 / 0.5),
                "high": 1 + 0.7773879 * math.sqrt(0.5 / 4 / 0.5),
            },
            "own derivation: 1 ± t sqrt(1/2 / 4 / (1 - 2/4)); scipy 1.17, t.ppf(.75, 8/3)",
            1e-6,
            options={"lag": 1},
        ),
    ),
)
def newey_west(
    series: ArrayLike, level: float, *, lag: Annotated[int | None, Bounds(least=0)] = None
) -> Interval:
    """Interval of the mean of a series whose neighbours are correlated (Newey & West 1987).

    The mean ± t SE, with the long-run variance of Bartlett's weights up to `lag`, by default n/3
    and at most 100 or 1.3 sqrt(n), over 1 - (lag + 1)/n, and n over the sum of the squared
    weights as degrees of freedom (Lazarus et al. 2018). `series` are the losses (n,), or right
    and wrong, in the order of time. Raises `ValueError` where `lag` is negative.
    """
    checked_level(level)
    x = magnitudes(series, "values of a series")
    if x.ndim != 1:
        raise ValueError("a series is one row of values")
    n = len(x)
    chosen = default_lag(n) if lag is None else lag
    method = f"newey_west(lag={chosen})"
    if not np.isfinite(x).all():
        return Interval(method, level, None, None, ("undefined: a loss is not finite, or missing",))
    if chosen + 2 > n:
        few = f"undefined: {n} values are too few for a lag of {chosen}"
        return Interval(method, level, None, None, (few,))
    mean = float(x.mean())
    if spread_is_noise(float(np.ptp(x)), float(np.abs(x).max())):
        return Interval(method, level, mean, mean, ("no width: all values are equal",))
    error, df = standard_error(x, chosen)
    half = t_quantile(level, df) * error
    note = strong_dependence(x, chosen)
    return Interval(method, level, mean - half, mean + half, () if note is None else (note,))
