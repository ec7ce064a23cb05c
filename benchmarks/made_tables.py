"""Made tables, sound and flawed, on which the rules about rows are tried.

Each function draws one table from a generator of random numbers and returns what a study says
of it. The kinds of the first part were looked at while the thresholds of the rules were chosen.
Those of the second part were made afterwards; three rules were then changed for what they showed
(`marginals_on_a_scale`, `best_by_t_test`, `kind_written_in_a_number`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import numpy as np
import polars as pl

Draw = np.random.Generator
Columns = dict[str, Any]


@dataclass(frozen=True)
class Made:
    """One made table: its columns, the clauses of its `data` statement, its protocol."""

    columns: Columns
    clauses: Mapping[str, Any] = field(default_factory=dict)
    mixed: bool = True
    splits: tuple[tuple[Any, Any], ...] = ()
    ordered: bool = False


Make = Callable[[Draw], Made]

SOUND: dict[str, Make] = {}
FLAWED: dict[str, tuple[str, Make]] = {}
HELD_OUT: dict[str, Make] = {}
HELD_OUT_FLAWED: dict[str, tuple[str, Make]] = {}


def sound(function: Make) -> Make:
    """Register a kind of sound tables."""
    SOUND[function.__name__] = function
    return function


def held_out(function: Make) -> Make:
    """Register a kind of sound tables that was made after the thresholds were chosen."""
    HELD_OUT[function.__name__] = function
    return function


def flawed(rule: str) -> Callable[[Make], Make]:
    """Register a kind of flawed tables with the rule that should object."""
    return _registered(FLAWED, rule)


def held_out_flawed(rule: str) -> Callable[[Make], Make]:
    """Register a kind of flawed tables that was made after the thresholds were chosen."""
    return _registered(HELD_OUT_FLAWED, rule)


def _registered(kinds: dict[str, tuple[str, Make]], rule: str) -> Callable[[Make], Make]:
    def decorate(function: Make) -> Make:
        kinds[function.__name__] = (rule, function)
        return function

    return decorate


def features(draw: Draw, n: int, p: int, decimals: int = 3) -> np.ndarray:
    """Return correlated columns (n, p), rounded."""
    common = draw.normal(size=(n, 1))
    return (draw.normal(size=(n, p)) + 0.5 * common).round(decimals)


def named(x: np.ndarray, letter: str = "x") -> Columns:
    """Return columns called x0, x1, ..."""
    return {f"{letter}{i}": x[:, i] for i in range(x.shape[1])}


def labels(draw: Draw, score: np.ndarray, share: float = 0.5) -> np.ndarray:
    """Return two classes that depend on a score with noise."""
    noisy = score + draw.logistic(size=len(score))
    return np.where(noisy > np.quantile(noisy, 1 - share), "yes", "no")


def days(n: int, first: date = date(2019, 1, 1)) -> list[str]:
    """Return consecutive days as text."""
    return [str(first + timedelta(days=i)) for i in range(n)]


def smooth(draw: Draw, n: int, memory: float = 0.9) -> np.ndarray:
    """Return a series in which each value depends on the last."""
    steps = draw.normal(size=n)
    found = np.empty(n)
    found[0] = steps[0]
    for i in range(1, n):
        found[i] = memory * found[i - 1] + np.sqrt(1 - memory**2) * steps[i]
    return found


# --- sound -----------------------------------------------------------------------------------


@sound
def regression(draw: Draw) -> Made:
    """Return a linear regression with noise."""
    x = features(draw, 300, 8)
    return Made({**named(x), "y": (x[:, 0] - x[:, 1] + draw.normal(size=300)).round(2)})


@sound
def strong_regression(draw: Draw) -> Made:
    """Return a regression whose features together explain nearly all."""
    x = features(draw, 250, 5, 4)
    return Made({**named(x), "y": (x @ [3, 2, 2, 1, 1] + 0.1 * draw.normal(size=250)).round(3)})


@sound
def classification(draw: Draw) -> Made:
    """Return two classes that depend on three features."""
    x = features(draw, 400, 10)
    return Made({**named(x), "y": labels(draw, 2 * x[:, 0] + x[:, 1] - x[:, 2])})


@sound
def separated_classes(draw: Draw) -> Made:
    """Return three classes that several features tell apart, as those of flowers."""
    codes = draw.integers(0, 3, 150)
    x = draw.normal(size=(150, 4)) * 0.4 + codes[:, None] * [0.3, 0.2, 1.5, 1.4]
    return Made({**named(x.round(1)), "y": np.array(["a", "b", "c"])[codes]})


@sound
def unbalanced(draw: Draw) -> Made:
    """Return classes of 4% and 96%."""
    x = features(draw, 1000, 6)
    return Made({**named(x), "y": labels(draw, 2 * x[:, 0], 0.04)})


@sound
def small(draw: Draw) -> Made:
    """Return 40 rows."""
    x = features(draw, 40, 5, 1)
    return Made({**named(x), "y": labels(draw, 2 * x[:, 0])})


@sound
def small_and_wide(draw: Draw) -> Made:
    """Return 60 rows of 200 columns, all of them features."""
    x = features(draw, 60, 200)
    return Made({**named(x), "y": labels(draw, 2 * x[:, 0])})


@sound
def large(draw: Draw) -> Made:
    """Return 20,000 rows."""
    x = features(draw, 20_000, 6)
    return Made({**named(x), "y": labels(draw, x[:, 0] + x[:, 1], 0.3)})


@sound
def discrete(draw: Draw) -> Made:
    """Return answers on scales of 1 to 5 and 1 to 7."""
    x = np.column_stack([draw.integers(1, 6, (500, 6)), draw.integers(1, 8, (500, 3))])
    return Made({**named(x), "y": labels(draw, 0.7 * x[:, 0] - 0.4 * x[:, 7])})


@sound
def from_text(draw: Draw) -> Made:
    """Return shares of words in documents, most of them 0."""
    counts = draw.poisson(0.3, (300, 40))
    x = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return Made({**named(x), "y": labels(draw, 30 * x[:, 0] - 20 * x[:, 1])})


@sound
def one_hot(draw: Draw) -> Made:
    """Return indicators of three categories beside two measurements."""
    levels = draw.integers(0, 5, (400, 3))
    x = np.column_stack([levels == i for i in range(5)]).astype(int)
    more = features(draw, 400, 2)
    return Made({**named(x), **named(more, "m"), "y": labels(draw, 2.0 * x[:, 0] + more[:, 0])})


@sound
def sorted_by_class(draw: Draw) -> Made:
    """Return rows sorted by their class, with a date that has nothing to do with it."""
    x = features(draw, 300, 4)
    y = np.sort(labels(draw, 2 * x[:, 0]))
    visits = np.array(days(300))[draw.integers(0, 300, 300)]
    return Made({**named(x), "visit": visits, "y": y}, {"features_except": ("visit",)})


@sound
def dates_without_memory(draw: Draw) -> Made:
    """Return rows in the order of their dates whose targets are independent."""
    x = features(draw, 400, 4)
    return Made(
        {"day": days(400), **named(x), "y": labels(draw, 2 * x[:, 0])},
        {"features_except": ("day",)},
    )


@sound
def series_in_order(draw: Draw) -> Made:
    """Return a series that is tested forward in time, with its last value as a feature."""
    y = smooth(draw, 400)
    x = np.column_stack([np.r_[0, y[:-1]], draw.normal(size=400), draw.normal(size=400)])
    parts = tuple((np.arange(100 * i), np.arange(100 * i, 100 * i + 100)) for i in (1, 2, 3))
    return Made(
        {"day": days(400), **named(x.round(3)), "y": y.round(3)},
        {"features_except": ("day",)},
        mixed=False,
        splits=parts,
        ordered=True,
    )


@sound
def rounded(draw: Draw) -> Made:
    """Return features rounded to steps of different instruments."""
    x = features(draw, 300, 6, 6)
    x = np.column_stack([x[:, :2].round(1), (x[:, 2:4] * 4).round() / 4, x[:, 4:].round(0)])
    return Made({**named(x), "y": labels(draw, x[:, 0] + x[:, 2])})


@sound
def rounded_twice(draw: Draw) -> Made:
    """Return features of which some hospitals wrote down one decimal, some three."""
    x = features(draw, 400, 5, 3)
    coarse = draw.random(400) < 0.4
    x[coarse] = x[coarse].round(1)
    return Made({**named(x), "y": labels(draw, 2 * x[:, 0])})


@sound
def shares(draw: Draw) -> Made:
    """Return shares with two decimals between 0 and 1."""
    x = draw.random((2000, 5)).round(2)
    return Made({**named(x), "y": labels(draw, 3 * x[:, 0] - 2 * x[:, 1])})


@sound
def balanced_by_design(draw: Draw) -> Made:
    """Return a case-control study: as many cases as controls, full precision."""
    y = np.repeat(["case", "control"], 150)
    x = draw.normal(size=(300, 6)) + (y == "case")[:, None] * [0.8, 0.4, 0, 0, 0, 0]
    return Made({**named(x), "y": y})


@sound
def lines_in_a_plane(draw: Draw) -> Made:
    """Return full-precision features of which most are combinations of two."""
    x = draw.normal(size=(300, 2))
    x = np.column_stack([x, x @ draw.normal(size=(2, 4))])
    return Made({**named(x), "y": labels(draw, 2 * x[:, 0], 0.3)})


@sound
def category_not_used(draw: Draw) -> Made:
    """Return a region of 20 levels, not used, that shifts the target a little."""
    region = draw.integers(0, 20, 600)
    x = features(draw, 600, 5)
    y = x[:, 0] + 0.3 * draw.normal(size=20)[region] + draw.normal(size=600)
    return Made(
        {"region": np.array([f"R{i:02}" for i in range(20)])[region], **named(x), "y": y.round(2)},
        {"features_except": ("region",)},
    )


@sound
def result_not_used(draw: Draw) -> Made:
    """Return a code of 12 levels that follows from the outcome and is therefore not used."""
    x = features(draw, 500, 5)
    y = labels(draw, 2 * x[:, 0], 0.4)
    code = np.where(y == "yes", draw.integers(0, 4, 500), draw.integers(3, 12, 500))
    return Made(
        {"discharge": np.array([f"D{i}" for i in range(12)])[code], **named(x), "y": y},
        {"features_except": ("discharge",)},
    )


@sound
def measurement_not_used(draw: Draw) -> Made:
    """Return an age in years, not used, on which the target depends smoothly."""
    age = draw.integers(20, 80, 700)
    x = features(draw, 700, 5)
    y = 0.1 * age + x[:, 0] + draw.normal(size=700)
    return Made(
        {"age": age, **named(x), "y": y.round(2)},
        {"features_except": ("age",)},
    )


@sound
def features_known_before(draw: Draw) -> Made:
    """Return 8 features of known use among 60 columns of which some matter as well."""
    x = features(draw, 200, 60)
    score = x[:, :8] @ draw.uniform(0.2, 1, 8) + 0.5 * x[:, 8] - 0.4 * x[:, 9]
    return Made(
        {**named(x), "y": labels(draw, score)}, {"features": tuple(f"x{i}" for i in range(8))}
    )


@sound
def features_of_which_others_are_noise(draw: Draw) -> Made:
    """Return 5 strong features listed among 40 columns of no use."""
    x = draw.normal(size=(300, 45)).round(3)
    score = x[:, :5] @ [1.5, 1.5, 1.2, 1.0, 1.0]
    return Made(
        {**named(x), "y": labels(draw, score)}, {"features": tuple(f"x{i}" for i in range(5))}
    )


@sound
def groups_named(draw: Draw) -> Made:
    """Return patients with several visits, named by `group`."""
    patient = np.repeat(np.arange(60), 5)
    own = draw.normal(size=60)[patient]
    x = features(draw, 300, 4)
    y = labels(draw, 3 * own)
    return Made({"patient": patient, **named(x), "y": y}, {"group": "patient"})


@sound
def split_at_random_by_the_author(draw: Draw) -> Made:
    """Return dated rows without memory that the author divided at random."""
    x = features(draw, 300, 4)
    order = draw.permutation(300)
    return Made(
        {"day": days(300), **named(x), "y": labels(draw, 2 * x[:, 0])},
        {"features_except": ("day",)},
        mixed=False,
        splits=((np.sort(order[:200]), np.sort(order[200:])),),
    )


# --- flawed ----------------------------------------------------------------------------------


@flawed("repeated_units_without_group")
def units_by_target(draw: Draw) -> Made:
    """Return subjects under a neutral name whose rows agree in the target."""
    unit = np.repeat(np.arange(50), 6)
    own = draw.normal(size=50)[unit]
    x = features(draw, 300, 4) + own[:, None] * 0.3
    code = np.array([f"K{i:03}" for i in draw.permutation(1000)[:50]])[unit]
    return Made(
        {"code_of": code, **named(x.round(3)), "y": labels(draw, 4 * own)},
        {"features_except": ("code_of",)},
    )


@flawed("repeated_units_without_group")
def units_by_features(draw: Draw) -> Made:
    """Return wearers of a sensor whose windows are alike in their features, not in the target."""
    unit = np.repeat(np.arange(20), 30)
    x = 2 * draw.normal(size=(20, 6))[unit] + draw.normal(size=(600, 6))
    y = np.array(["walk", "sit", "run"])[draw.integers(0, 3, 600)]
    return Made(
        {"wearer": np.array([f"w{i}" for i in range(20)])[unit], **named(x.round(3)), "y": y},
        {"features_except": ("wearer",)},
    )


@flawed("repeated_units_without_group")
def units_by_name(draw: Draw) -> Made:
    """Return patients whose numbers are not used."""
    unit = np.repeat(draw.permutation(1000)[:60], 4)
    x = features(draw, 240, 4)
    return Made(
        {"patient": unit, **named(x), "y": labels(draw, x[:, 0])},
        {"features_except": ("patient",)},
    )


@flawed("features_chosen_by_the_target")
def best_of_noise(draw: Draw) -> Made:
    """Return the ten best of 500 columns without any relation to the target."""
    x = draw.normal(size=(80, 500)).round(3)
    y = np.where(draw.random(80) < 0.5, "yes", "no")
    strength = np.abs([np.corrcoef(x[:, i], y == "yes")[0, 1] for i in range(500)])
    best = np.argsort(-strength)[:10]
    return Made({**named(x), "y": y}, {"features": tuple(f"x{i}" for i in best)})


@flawed("features_chosen_by_the_target")
def best_of_many_genes(draw: Draw) -> Made:
    """Return the ten best of 400 columns of which 120 matter."""
    y = draw.random(100) < 0.5
    x = draw.normal(size=(100, 400))
    x[:, :120] += np.where(y[:, None], draw.uniform(0.5, 1.2, 120), 0)
    strength = np.abs([np.corrcoef(x[:, i], y)[0, 1] for i in range(400)])
    best = np.argsort(-strength)[:10]
    return Made(
        {**named(x.round(3)), "y": np.where(y, "yes", "no")},
        {"features": tuple(f"x{i}" for i in best)},
    )


@flawed("dated_rows_at_random")
def series_at_random(draw: Draw) -> Made:
    """Return a daily series that is dealt to folds at random."""
    y = smooth(draw, 365, 0.8)
    x = features(draw, 365, 3)
    return Made({"day": days(365), **named(x), "y": y.round(2)}, {"features_except": ("day",)})


@flawed("dated_rows_at_random")
def classes_at_random(draw: Draw) -> Made:
    """Return classes that last for days, in a file in no order."""
    y = np.where(smooth(draw, 500, 0.9) > 0.3, "wet", "dry")
    x = features(draw, 500, 3)
    order = draw.permutation(500)
    columns = {"when": np.array(days(500)), **named(x), "y": y}
    return Made(
        {name: values[order] for name, values in columns.items()}, {"features_except": ("when",)}
    )


@flawed("already_standardised_features")
def standardised(draw: Draw) -> Made:
    """Return z-scores with four decimals."""
    x = draw.gamma(2, size=(300, 5))
    x = ((x - x.mean(axis=0)) / x.std(axis=0)).round(4)
    return Made({**named(x), "y": labels(draw, x[:, 0])})


@flawed("already_standardised_features")
def scaled_to_one(draw: Draw) -> Made:
    """Return features scaled to 0 and 1, beside an indicator."""
    x = draw.gamma(2, size=(300, 5)).round(1)
    x = (x - x.min(axis=0)) / (x.max(axis=0) - x.min(axis=0))
    sex = draw.integers(0, 2, 300)
    return Made({**named(x), "sex": sex, "y": labels(draw, 4 * x[:, 0])})


def oversampled(draw: Draw, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rows balanced as SMOTE does it (Chawla et al. 2002), with 5 neighbours."""
    own = x[y == "yes"]
    needed = int((y == "no").sum()) - len(own)
    apart = ((own[:, None] - own) ** 2).sum(axis=2)
    near = np.argsort(apart, axis=1)[:, 1:6]
    base = draw.integers(0, len(own), needed)
    other = near[base, draw.integers(0, 5, needed)]
    made = own[base] + draw.random((needed, 1)) * (own[other] - own[base])
    return np.vstack([x, made]), np.r_[y, ["yes"] * needed]


@flawed("synthetic_rows")
def made_between_rounded_rows(draw: Draw) -> Made:
    """Return rows with two decimals, and made rows between them."""
    x = features(draw, 400, 5, 2)
    x, y = oversampled(draw, x, labels(draw, 2 * x[:, 0], 0.15))
    order = draw.permutation(len(y))
    return Made({**named(x[order]), "y": y[order]})


@flawed("synthetic_rows")
def made_between_exact_rows(draw: Draw) -> Made:
    """Return rows of full precision, and made rows between them with eight decimals."""
    x = draw.normal(size=(400, 6))
    x, y = oversampled(draw, x, labels(draw, 2 * x[:, 0], 0.2))
    return Made({**named(x.round(8)), "y": y})


@flawed("feature_gives_the_target_away")
def code_given_afterwards(draw: Draw) -> Made:
    """Return a category that follows from the outcome, with a few slips."""
    x = features(draw, 400, 6)
    y = labels(draw, x[:, 0], 0.3)
    place = np.where(y == "yes", "hospice", np.where(draw.random(400) < 0.5, "home", "ward"))
    slips = draw.random(400) < 0.005
    place[slips] = "home"
    return Made({**named(x), "place": place, "y": y})


@flawed("feature_gives_the_target_away")
def target_with_noise(draw: Draw) -> Made:
    """Return a number that is the target with a little noise."""
    x = features(draw, 300, 6)
    y = x[:, 0] + x[:, 1] + draw.normal(size=300)
    noisy = y + 0.1 * y.std() * draw.normal(size=300)
    return Made({**named(x), "z": noisy.round(3), "y": y.round(3)})


@flawed("training_rows_later_than_test_rows")
def series_out_of_order(draw: Draw) -> Made:
    """Return a series in a file in no order, tested forward in the file."""
    y = smooth(draw, 300)
    x = features(draw, 300, 3)
    order = draw.permutation(300)
    columns = {"day": np.array(days(300)), **named(x), "y": y.round(3)}
    parts = tuple((np.arange(75 * i), np.arange(75 * i, 75 * i + 75)) for i in (1, 2, 3))
    return Made(
        {name: values[order] for name, values in columns.items()},
        {"features_except": ("day",)},
        mixed=False,
        splits=parts,
        ordered=True,
    )


@flawed("training_rows_later_than_test_rows")
def test_part_in_the_middle(draw: Draw) -> Made:
    """Return a series of which the author tests a part between training parts."""
    y = smooth(draw, 300)
    x = features(draw, 300, 3)
    tested = np.arange(100, 150)
    return Made(
        {"day": days(300), **named(x), "y": y.round(3)},
        {"features_except": ("day",)},
        mixed=False,
        splits=((np.setdiff1d(np.arange(300), tested), tested),),
    )


def frame(made: Made) -> pl.DataFrame:
    """Return the columns of a made table as a data frame."""
    return pl.DataFrame(made.columns)


# --- held out: made after the thresholds were chosen --------------------------------------------


@held_out
def costs(draw: Draw) -> Made:
    """Return costs with a long tail."""
    x = features(draw, 350, 6)
    y = np.exp(7 + 0.6 * x[:, 0] + 0.3 * x[:, 1] + draw.normal(size=350))
    return Made({**named(x), "y": y.round(2)})


@held_out
def fingerprints(draw: Draw) -> Made:
    """Return bits of molecules beside three descriptors."""
    bits = (draw.random((400, 60)) < draw.uniform(0.02, 0.6, 60)).astype(int)
    x = features(draw, 400, 3, 2)
    return Made({**named(bits, "b"), **named(x), "y": labels(draw, x[:, 0] + bits[:, 3])})


@held_out
def embeddings(draw: Draw) -> Made:
    """Return vectors of images of five kinds, full precision, length 1."""
    codes = draw.integers(0, 5, 300)
    x = draw.normal(size=(5, 32))[codes] * 0.4 + draw.normal(size=(300, 32))
    x /= np.sqrt((x * x).sum(axis=1, keepdims=True))
    return Made({**named(x.astype(np.float32)), "y": np.array(list("abcde"))[codes]})


@held_out
def daily_returns(draw: Draw) -> Made:
    """Return whether a price rises tomorrow, in order of days, with volatile times."""
    volatile = np.exp(smooth(draw, 700, 0.97))
    change = volatile * draw.standard_t(4, 701)[:700]
    x = np.column_stack([np.r_[0, change[:-1]], volatile, draw.normal(size=700)]).round(4)
    y = np.where(change > 0, "up", "down")
    return Made({"date": days(700), **named(x), "y": y}, {"features_except": ("date",)})


@held_out
def slow_drift(draw: Draw) -> Made:
    """Return visits over years in which the outcome becomes rarer."""
    when = np.sort(draw.integers(0, 1500, 800))
    x = features(draw, 800, 5, 1)
    y = labels(draw, x[:, 0] - when / 1500)
    stay = [str(date(2015, 1, 1) + timedelta(days=int(i))) for i in when]
    return Made({"admitted": stay, **named(x), "y": y}, {"features_except": ("admitted",)})


@held_out
def prices_over_years(draw: Draw) -> Made:
    """Return sales sorted by year; the year explains a tenth of the price."""
    year = np.sort(draw.integers(2008, 2020, 900))
    x = features(draw, 900, 5)
    y = 0.09 * (year - 2008) + x[:, 0] + 0.2 * draw.normal(size=900)
    return Made({"year": year, **named(x), "y": y.round(3)})


@held_out
def born_on(draw: Draw) -> Made:
    """Return days of birth, on which the target depends by age."""
    age = draw.uniform(20, 90, 500)
    x = features(draw, 500, 4)
    y = 0.06 * age + x[:, 0] + draw.normal(size=500)
    born = [str(date(2020, 1, 1) - timedelta(days=int(365.25 * a))) for a in age]
    return Made({"birth_date": born, **named(x), "y": y.round(2)},
                {"features_except": ("birth_date",)})  # fmt: skip


@held_out
def hours_not_used(draw: Draw) -> Made:
    """Return an hour of the day, not used, with two sharp peaks of the target."""
    hour = draw.integers(0, 24, 1500)
    peak = np.isin(hour, [8, 17]) * 3.0
    x = features(draw, 1500, 4) + 0.5 * np.sin(hour / 4)[:, None]
    return Made({"hour": hour, **named(x.round(3)), "y": (peak + draw.normal(size=1500)).round(2)},
                {"features_except": ("hour",)})  # fmt: skip


@held_out
def diagnosis_not_used(draw: Draw) -> Made:
    """Return a diagnosis of 40 levels, not used, whose outcome rates differ."""
    level = draw.integers(0, 40, 1200)
    risk = draw.beta(3, 6, 40)[level]
    x = features(draw, 1200, 5)
    y = np.where(draw.random(1200) < risk, "yes", "no")
    code = np.array([f"{c}{i:02}" for c in "ABCD" for i in range(10)])[level]
    return Made({"icd": code, **named(x), "y": y}, {"features_except": ("icd",)})


@held_out
def rooms_not_used(draw: Draw) -> Made:
    """Return a count of 1 to 14, not used, on which the target depends in a curve."""
    rooms = np.clip(draw.poisson(5, 600) + 1, 1, 14)
    x = features(draw, 600, 4) + 0.2 * rooms[:, None]
    y = np.sqrt(rooms) * 4 + draw.normal(size=600)
    return Made({"rooms": rooms, **named(x.round(3)), "y": y.round(2)},
                {"features_except": ("rooms",)})  # fmt: skip


@held_out
def many_categories(draw: Draw) -> Made:
    """Return features of text with 5 to 60 levels."""
    levels = [draw.integers(0, k, 800) for k in (5, 12, 60)]
    score = draw.normal(size=60)[levels[2]] + draw.normal(size=5)[levels[0]]
    columns = {f"c{i}": np.array([f"v{j}" for j in level]) for i, level in enumerate(levels)}
    return Made({**columns, "x": features(draw, 800, 1)[:, 0], "y": labels(draw, score)})


@held_out
def six_uneven_classes(draw: Draw) -> Made:
    """Return six classes, the rarest of 2%, that overlap."""
    codes = draw.choice(6, 900, p=[0.4, 0.25, 0.15, 0.1, 0.08, 0.02])
    x = draw.normal(size=(900, 8)) + draw.normal(size=(6, 8))[codes]
    return Made({**named(x.round(2)), "y": np.array(list("abcdef"))[codes]})


@held_out
def spectra(draw: Draw) -> Made:
    """Return spectra of 80 channels, mixtures of three substances with noise."""
    wave = np.linspace(0, 1, 80)
    pure = np.exp(-((wave - np.array([[0.3], [0.5], [0.8]])) ** 2) / 0.01)
    parts = draw.dirichlet([2, 2, 2], 200)
    x = parts @ pure + 0.01 * draw.normal(size=(200, 80))
    return Made({**named(x), "y": (parts[:, 0] + 0.02 * draw.normal(size=200)).round(4)})


@held_out
def zeros_in_one_class(draw: Draw) -> Made:
    """Return doses that are 0 in controls and measured in the treated, beside other features."""
    y = np.where(draw.random(300) < 0.5, "treated", "control")
    dose = np.where(y == "treated", draw.gamma(2, size=300) * draw.integers(0, 2, 300), 0.0)
    x = features(draw, 300, 5)
    return Made({**named(x), "dose": dose, "y": y})


@held_out
def two_instruments(draw: Draw) -> Made:
    """Return values of two instruments, one with five decimals, used for both classes."""
    x = draw.normal(size=(400, 5)).round(5)
    coarse = draw.random(400) < 0.5
    x[coarse] = x[coarse].round(1)
    return Made({**named(x), "y": labels(draw, 2 * x[:, 0], 0.25)})


@held_out
def forty_in_balance(draw: Draw) -> Made:
    """Return 20 and 20 rows of full precision."""
    y = np.repeat(["a", "b"], 20)
    return Made({**named(draw.normal(size=(40, 6)) + (y == "b")[:, None]), "y": y})


@held_out
def marginals_on_a_scale(draw: Draw) -> Made:
    """Return probabilities of other models, which reach 0 and 1, with six decimals."""
    x = 1 / (1 + np.exp(-8 * draw.normal(size=(600, 3))))
    return Made({**named(x.round(6)), "y": labels(draw, 3 * x[:, 0])})


@held_out
def calibration(draw: Draw) -> Made:
    """Return the area of a peak, from which a concentration is read, beside other peaks."""
    y = draw.uniform(1, 50, 120)
    x = np.column_stack([2 * y + 0.3 * draw.normal(size=120), features(draw, 120, 3)])
    return Made({**named(x.round(3)), "y": y.round(2)})


@held_out
def panel_known_by_name(draw: Draw) -> Made:
    """Return a panel of 12 genes of 300, of which half matter, as some others do."""
    x = draw.normal(size=(120, 300))
    y = draw.random(120) < 0.4
    x[:, :6] += np.where(y[:, None], 0.9, 0)
    x[:, 12:20] += np.where(y[:, None], 0.7, 0)
    return Made({**named(x.round(2)), "y": np.where(y, "yes", "no")},
                {"features": tuple(f"x{i}" for i in range(12))})  # fmt: skip


@held_out
def lists_of_three(draw: Draw) -> Made:
    """Return three listed features of 25 columns of counts."""
    x = draw.poisson(3, (250, 25))
    return Made({**named(x), "y": labels(draw, 0.8 * x[:, 0] - 0.5 * x[:, 2])},
                {"features": ("x0", "x1", "x2")})  # fmt: skip


@held_out_flawed("repeated_units_without_group")
def questions_of_one_text(draw: Draw) -> Made:
    """Return questions of 80 texts, whose difficulty is that of the text."""
    text = np.repeat(np.arange(80), draw.integers(3, 9, 80))
    hard = draw.normal(size=80)[text]
    n = len(text)
    x = features(draw, n, 4)
    return Made({"source_text": np.array([f"doc{i}" for i in range(80)])[text], **named(x),
                 "y": labels(draw, 5 * hard)}, {"features_except": ("source_text",)})  # fmt: skip


@held_out_flawed("repeated_units_without_group")
def plots_of_farms(draw: Draw) -> Made:
    """Return yields of plots of 25 farms, numbered without order."""
    farm = np.repeat(draw.permutation(25), 12)
    x = draw.normal(size=(25, 3))[farm] + 0.4 * draw.normal(size=(300, 3))
    y = 1.5 * draw.normal(size=25)[farm] + x[:, 0] + draw.normal(size=300)
    return Made({"farm": farm, **named(x.round(2)), "y": y.round(2)},
                {"features_except": ("farm",)})  # fmt: skip


@held_out_flawed("features_chosen_by_the_target")
def best_by_t_test(draw: Draw) -> Made:
    """Return the 15 columns of 1,000 with the greatest t, of 60 rows, 20 of which matter."""
    y = draw.random(60) < 0.5
    x = draw.gamma(2, size=(60, 1000))
    x[:, :20] += np.where(y[:, None], 0.8, 0)
    a, b = x[y], x[~y]
    t = np.abs(a.mean(axis=0) - b.mean(axis=0)) / np.sqrt(
        a.var(axis=0) / len(a) + b.var(axis=0) / len(b)
    )
    best = np.argsort(-t)[:15]
    return Made({**named(x.round(3)), "y": np.where(y, "yes", "no")},
                {"features": tuple(f"x{i}" for i in best)})  # fmt: skip


@held_out_flawed("features_chosen_by_the_target")
def best_by_difference_of_means(draw: Draw) -> Made:
    """Return the 8 columns of 600 of noise whose class means differ most, of 80 rows."""
    y = draw.random(80) < 0.5
    x = draw.normal(size=(80, 600)) * draw.uniform(0.8, 1.25, 600)
    best = np.argsort(-np.abs(x[y].mean(axis=0) - x[~y].mean(axis=0)))[:8]
    return Made({**named(x.round(3)), "y": np.where(y, "yes", "no")},
                {"features": tuple(f"x{i}" for i in best)})  # fmt: skip


@held_out
def weak_features_known_before(draw: Draw) -> Made:
    """Return 6 features of which each is known to matter a little, among 200 of no use."""
    x = draw.normal(size=(150, 206)).round(3)
    score = x[:, :6] @ draw.uniform(0.2, 0.8, 6)
    return Made(
        {**named(x), "y": labels(draw, score)}, {"features": tuple(f"x{i}" for i in range(6))}
    )


@held_out_flawed("dated_rows_at_random")
def hourly_load(draw: Draw) -> Made:
    """Return an hourly load with daily waves, with the hour as text."""
    hours = np.arange(24 * 20)
    y = np.sin(hours / 24 * 2 * np.pi) + 0.5 * smooth(draw, len(hours), 0.9)
    when = [f"2021-03-{1 + h // 24:02} {h % 24:02}:00" for h in hours]
    x = features(draw, len(hours), 3)
    return Made({"measured_at": when, **named(x), "y": y.round(3)},
                {"features_except": ("measured_at",)})  # fmt: skip


@held_out_flawed("already_standardised_features")
def scaled_between_minus_one_and_one(draw: Draw) -> Made:
    """Return features scaled to -1 and 1, as those of a support vector machine's page."""
    x = draw.lognormal(size=(250, 4))
    x = 2 * (x - x.min(axis=0)) / (x.max(axis=0) - x.min(axis=0)) - 1
    return Made({**named(x.round(6)), "y": labels(draw, x[:, 0])})


@held_out_flawed("synthetic_rows")
def made_from_counts(draw: Draw) -> Made:
    """Return counts, and made rows between them with fractions, of one of three classes."""
    x = draw.poisson(6, (500, 6)).astype(float)
    rare = labels(draw, 0.5 * x[:, 0], 0.12)
    x, y = oversampled(draw, x, rare)
    y = np.where(y == "no", np.where(x[:, 1] > 6, "no", "maybe"), y)
    return Made({**named(x), "y": y})


@held_out_flawed("feature_gives_the_target_away")
def kind_written_in_a_number(draw: Draw) -> Made:
    """Return three classes, told by a device number that each clinic has its own range of."""
    codes = draw.integers(0, 3, 360)
    x = features(draw, 360, 5)
    device = codes * 100 + draw.integers(0, 90, 360)
    return Made({**named(x), "device": device, "y": np.array(["a", "b", "c"])[codes]})


@held_out_flawed("training_rows_later_than_test_rows")
def newest_first(draw: Draw) -> Made:
    """Return a series whose file begins with the newest row, tested forward in the file."""
    y = smooth(draw, 200)[::-1]
    x = features(draw, 200, 3)
    parts = tuple((np.arange(50 * i), np.arange(50 * i, 50 * i + 50)) for i in (1, 2, 3))
    return Made(
        {"week": np.arange(200)[::-1], **named(x), "y": y.round(3)},
        {"features_except": ("week",)},
        mixed=False,
        splits=parts,
        ordered=True,
    )


@held_out
def alloys(draw: Draw) -> Made:
    """Return shares of five metals that add up to 1, and a strength."""
    shares_of = draw.dirichlet(np.ones(5), 260).round(4)
    y = 200 + 300 * shares_of[:, 0] + 400 * shares_of[:, 1] * shares_of[:, 2]
    return Made({**named(shares_of, "m"), "y": (y + draw.normal(scale=20, size=260)).round(1)})


@held_out
def magnitudes(draw: Draw) -> Made:
    """Return brightness in five bands, each of which follows the target with noise."""
    z = draw.beta(2, 3, 700) * 1.2
    bands = 20 + 0.4 * np.arange(5) + z[:, None] * (1.5 - 0.5 * np.arange(5))
    return Made({**named((bands + draw.normal(scale=0.2, size=(700, 5))).round(3), "b"),
                 "y": z.round(4)})  # fmt: skip


@held_out
def rare_frauds(draw: Draw) -> Made:
    """Return payments of which 5% are of a class that is far away in one feature."""
    fraud = draw.random(1500) < 0.05
    amount = np.exp(3 + 0.9 * fraud + draw.normal(size=1500)).round(2)
    hour, distance = draw.integers(0, 24, 1500), (draw.normal(size=1500) + 1.8 * fraud).round(3)
    return Made({"amount": amount, "hour": hour, "distance": distance,
                 "y": np.where(fraud, "fraud", "fine")})  # fmt: skip


@held_out
def lengths_and_weights(draw: Draw) -> Made:
    """Return fish, whose weight grows with the cube of their length."""
    length = draw.uniform(10, 60, 350)
    height = 0.25 * length + draw.normal(scale=0.8, size=350)
    sex = draw.choice(["f", "m"], 350)
    y = np.exp(-4.5 + 3 * np.log(length) + draw.normal(scale=0.35, size=350))
    return Made({"length": length.round(1), "height": height.round(1), "sex": sex,
                 "y": y.round(1)})  # fmt: skip


@held_out
def counts_of_bicycles(draw: Draw) -> Made:
    """Return hourly counts that are tested forward in time, with the count before as a feature."""
    hour = np.arange(960) % 24
    y = 60 + 50 * np.sin((hour - 6) / 24 * 2 * np.pi) + 12 * smooth(draw, 960)
    x = np.column_stack([hour, np.r_[60, y[:-1]].round(1), draw.normal(15, 5, 960).round(1)])
    parts = tuple((np.arange(240 * i), np.arange(240 * i, 240 * i + 240)) for i in (1, 2, 3))
    return Made({"day": days(960), **named(x), "y": y.round(1)}, {"features_except": ("day",)},
                mixed=False, splits=parts, ordered=True)  # fmt: skip


@held_out
def raters_named(draw: Draw) -> Made:
    """Return essays of 40 pupils, named by `group`, with grades alike within a pupil."""
    pupil = np.repeat(np.arange(40), 6)
    own = draw.normal(size=40)[pupil]
    words = (300 + 40 * own + draw.normal(scale=60, size=240)).round()
    slips = draw.poisson(6, 240)
    return Made({"pupil": pupil, "words": words, "slips": slips,
                 "y": (3 + own + draw.normal(scale=0.5, size=240)).round(1)},
                {"group": "pupil"})  # fmt: skip
