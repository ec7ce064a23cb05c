"""Against chance: the score of a model and its scores where the target is shuffled.

The splits of a shuffled target are drawn as those of the target as it is, with the same seeds, so
that the strata of the target are kept in both, and the score is the same function of the data.
"""

import itertools
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Annotated, Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.analysis import ANALYSES, AnalysisDeclaration, Fits, Subset, options_of
from evallang.bibliography import cite
from evallang.data import dataset
from evallang.data.strata import TARGET
from evallang.engine.outcomes import Outcomes
from evallang.metrics.metric import Better
from evallang.planning.plan import SubsetPlace
from evallang.planning.seeds import seed
from evallang.planning.stratifying import strata_of
from evallang.protocols.protocol import PROTOCOLS, CannotSplit, Rows, Split
from evallang.registry import Bounds
from evallang.reporting.analyses import (
    Part,
    by_metric,
    further_notes,
    model_of,
    not_drawn,
    place_before,
    shows,
    states,
    told,
)
from evallang.reporting.context import Context, MetricWords
from evallang.reporting.document import Figure, Panel, Runs, Table, runs
from evallang.reporting.figures.stacks import values_next_to_spans
from evallang.reporting.numbers import Scale, count, number_word, scale_of
from evallang.reporting.tables import (
    bounds,
    number,
    p_of,
    right,
    row,
    share,
    sortable,
    table,
    wide,
)
from evallang.reporting.wording import p_letter, sentence
from evallang.results.records import Analysis
from evallang.results.shown import Count, Number
from evallang.study import AnalysisSpec, Protocol, Study

COUNTED = 1e6  # ways above which their number does not matter
Units = list[list[NDArray[np.int64]]]
"""The rows of units, those together that can exchange their targets."""
LEVELS = (0.05, 0.5, 0.95)
"""The quantiles of the scores on shuffled targets."""


class Shuffled(Struct, frozen=True):
    """The score of one model on the target as it is, and on shuffled ones.

    Attributes
    ----------
    observed : the estimate of the protocol on the target as it is
    scores : the same for each shuffled target (rounds,), NaN where it is undefined or a fit failed
    ways : in how many ways the target can be shuffled, infinite where they are too many to count
    within : the columns within whose levels it was shuffled
    groups : how many groups were shuffled whole; None where single examples were
    others : `observed` and `scores` of the other models that the line is about, on the same
        shuffled targets
    """

    metric: str
    better: Better
    n: int
    observed: float
    scores: NDArray[np.float64]
    ways: float
    within: tuple[str, ...]
    groups: int | None
    others: tuple[tuple[float, NDArray[np.float64]], ...] = ()


class ChanceQuantile(Struct, frozen=True):
    """A quantile of the scores on shuffled targets."""

    level: float
    value: float


class AgainstChance(Struct, frozen=True):
    """The score on the target as it is, and what shuffled targets gave.

    `as_good` counts the rounds whose score is at least as good as `value`, and `p` is
    (1 + as_good) / (1 + rounds), with its Monte Carlo error `mc_se`. `difference` is the value
    less the mean over the shuffled targets. A round without a score counts as one as good, and
    `failed` counts them. `ways` is the number of different shuffles, None where they are too many
    to matter; `groups` how many groups are shuffled whole. Of several `models` that are tested on
    the same shuffled targets, `p_adjusted` is the share of targets, the one as it is included, on
    which any of them has as small a p; None for one model.
    """

    unit: str
    about: str
    n: int
    metric: str
    better: str
    value: float
    mean: Number
    sd: Number
    difference: Number
    quantiles: tuple[ChanceQuantile, ...]
    p: float
    mc_se: float
    rounds: int
    as_good: int
    failed: int
    ways: Count
    groups: Count
    within: tuple[str, ...]
    notes: tuple[str, ...]
    p_adjusted: Number = None
    models: int = 1


ABOUT = (
    "whether the algorithm, trained and tested by this protocol, learns anything from the features "
    "about the target; they show neither how much, nor whether it is better than another"
)


# --- the fits ------------------------------------------------------------------------------------


def _shuffled_within(study: Study) -> tuple[str, ...]:
    """Return the columns within whose levels targets are shuffled: the strata but the target."""
    if study.stratification is None:
        return ()
    return tuple(column for column in study.stratification.columns if column != TARGET)


def _shuffles(
    study: Study,
    table: dataset.Table,
    protocol: Protocol,
    rows: Rows,
    splits: Sequence[Split],
    spec: AnalysisSpec,
) -> list[Subset]:
    """Draw shuffled targets, and the splits of each.

    Raises `CannotSplit` where no two units can exchange their targets.
    """
    units = _units_of(table, _shuffled_within(study))
    if ways_to_shuffle(table.y, units) < 2:
        raise CannotSplit(
            "the target cannot be shuffled: no two "
            f"{table.spec.unit if table.group_codes is None else 'groups'} can exchange it",
            f"remove `analyze {spec.method.name}`",
        )
    drawn = np.random.default_rng(seed(study.seed, "shuffle", table.n))
    made = list[Subset]()
    for times in range(options_of(spec)["rounds"]):
        order = shuffled_rows(table.n, units, drawn)
        strata, _ = strata_of(study, replace(table, y=table.y[order]), protocol)
        outside, inside = (s if s is None else s.codes for s in (strata.outside, strata.inside))
        own = replace(rows, strata=outside, inner_strata=inside)
        again = PROTOCOLS[protocol.kind].function(own, **protocol.options)
        made += [Subset(times, 0, split, order, own) for split in again]
    return made


def _units_of(table: dataset.Table, within: tuple[str, ...]) -> Units:
    columns = [table.strata[column] for column in within]
    levels = list(zip(*columns, strict=True)) if within else [()] * table.n
    return exchangeable(table.y, table.group_codes, levels)


def exchangeable(
    y: NDArray[Any], groups: NDArray[np.int64] | None, levels: Sequence[Hashable]
) -> Units:
    """Return the rows of units, those together that can exchange their targets.

    A unit is a row, or a whole group; `levels` are the strata of the rows. Where every group has
    one target, groups with rows of the same strata exchange it. Where one has several, groups
    exchange their targets row by row, with groups of the same strata and as many rows.
    """
    if groups is None:
        single: dict[Hashable, list[NDArray[np.int64]]] = {}
        for row, level in enumerate(levels):
            single.setdefault(level, []).append(np.array([row]))
        return list(single.values())
    order = np.argsort(groups, kind="stable")
    whole = np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)
    one_target = _one_target(y, whole)
    alike: dict[Hashable, list[NDArray[np.int64]]] = {}
    for unit in whole:
        own = [levels[row] for row in unit]
        alike.setdefault(frozenset(own) if one_target else tuple(own), []).append(unit)
    return list(alike.values())


def _one_target(y: NDArray[Any], units: Iterable[NDArray[np.int64]]) -> bool:
    return all((y[unit] == y[unit[0]]).all() for unit in units)


def shuffled_rows(n: int, units: Units, drawn: np.random.Generator) -> NDArray[np.int64]:
    """Return for each row the row whose target it gets."""
    order = np.arange(n)
    for alike in units:
        if all(len(unit) == 1 for unit in alike):
            rows = np.concatenate(alike)
            order[rows] = drawn.permutation(rows)
            continue
        for unit, other in zip(alike, drawn.permutation(len(alike)), strict=True):
            donor = alike[other]
            # Groups of other sizes have one target, which every row of the unit gets
            order[unit] = donor if len(donor) == len(unit) else donor[0]
    return order


def ways_to_shuffle(y: NDArray[Any], units: Units) -> float:
    """Count the different targets that shuffling gives; infinite where they are very many."""
    logs = 0.0
    one_target = _one_target(y, itertools.chain.from_iterable(units))
    for alike in units:
        same = Counter((y[unit[:1]] if one_target else y[unit]).tobytes() for unit in alike)
        logs += math.lgamma(len(alike) + 1) - sum(math.lgamma(times + 1) for times in same.values())
    return math.inf if logs > math.log(COUNTED) else float(round(math.exp(logs)))


# --- the numbers ---------------------------------------------------------------------------------


def _measured(outcomes: Outcomes) -> Shuffled:
    """Measure a model, and the others of its line, on the same shuffled targets."""
    others = []
    for name in outcomes.line:
        if name != outcomes.models[0]:
            try:
                other = _of_model(outcomes, name)
            except ValueError:  # a model without a score says so where it is answered
                continue
            others.append((other.observed, other.scores))
    return replace(_of_model(outcomes, outcomes.models[0]), others=tuple(others))


def _of_model(outcomes: Outcomes, model: str) -> Shuffled:
    """Measure a model on the target as it is, and on each shuffled one.

    A round with a failed fit has no score. Raises `ValueError` where the model has no score on the
    target as it is, or a fit on it failed.
    """
    metric, table, within = outcomes.metric, outcomes.table, _shuffled_within(outcomes.study)
    if outcomes.evaluation.models[model].failed:
        raise ValueError("a fit on the target as it is failed, so no score can be compared")
    observed = outcomes.aggregates(model)
    if not observed or observed[0].value is None:
        raise ValueError(f"`{metric.written}` is undefined for this model")
    rounds: dict[int, list[SubsetPlace]] = {}
    for place in outcomes.places_of(model):
        rounds.setdefault(place.times, []).append(place)
    scores = [
        outcomes.score(own)[0] if all(map(outcomes.is_good, own)) else float("nan")
        for own in rounds.values()
    ]
    return Shuffled(
        metric.written,
        outcomes.evaluation.entry(metric).declaration.better,
        table.n,
        observed[0].value,
        np.array(scores),
        ways_to_shuffle(table.y, _units_of(table, within)),
        within,
        None if table.group_codes is None else len(np.unique(table.group_codes)),
    )


@ANALYSES.register(
    AnalysisDeclaration(
        by_metric=True,
        directed=True,
        fits=Fits(_shuffles, "those of the protocol for each shuffled target", exchanging=True),
        shown=AgainstChance,
        when=(
            "a score is low, the sample small or the features many, and the question is whether "
            "the model learns anything at all"
        ),
        when_not=(
            "models are compared, or the score is clearly above that of a baseline: compare "
            "against it"
        ),
        formula=(
            "the target is shuffled among the rows (within the strata of `stratify by` other than "
            "the target; between whole groups where rows have groups), split again, and the model "
            "is fitted and measured under the protocol as before, with its search. p is the share "
            "of targets whose score is at least as good as the score observed, where the observed "
            "target counts as one of them: (1 + as good) / (1 + rounds). A group whose rows have "
            "one target exchanges it with any other; groups with several targets exchange them "
            "with groups of as many rows. Several models of a line are tested on the same shuffled "
            "targets, and the adjusted p is the share of targets on which any model has as small a "
            "p (single-step minP)"
        ),
        differs={
            "scikit-learn": (
                "`permutation_test_score` shuffles within the groups that it is given, and "
                "averages the scores of folds; here whole groups exchange their targets, since "
                "rows of a group are alike, and the score is the estimate of the protocol"
            ),
        },
        example="target_permutation(rounds=99)",
    ),
    title="Shuffled target",
    references=(
        cite("ojala2010"),
        cite("phipson2010"),
        cite("westfall1993", "p_adjusted"),
    ),
)
def target_permutation(
    outcomes: Outcomes, *, rounds: Annotated[int, Bounds(least=2)] = 200
) -> AgainstChance:
    """Whether a model scores better than it does where the target is shuffled.

    The plan fits the models on as many shuffled targets as there are `rounds`. Raises `ValueError`
    where no shuffled target gave a score.
    """
    return compared_with_chance(_measured(outcomes))


def compared_with_chance(shuffled: Shuffled) -> AgainstChance:
    """Compare a score with those on shuffled targets."""
    sign = -1.0 if shuffled.better == "lower" else 1.0
    known = shuffled.scores[~np.isnan(shuffled.scores)]
    if not len(known):
        raise ValueError(f"none of {len(shuffled.scores)} shuffled targets gave a score")
    gains = np.array([_rounded(sign * score) for score in known])
    failed = len(shuffled.scores) - len(known)
    as_good = int((gains >= _rounded(sign * shuffled.observed)).sum()) + failed
    done = len(shuffled.scores)
    p = (1 + as_good) / (1 + done)
    mean = float(known.mean())
    return AgainstChance(
        unit="examples" if shuffled.groups is None else "groups",
        about=ABOUT,
        n=shuffled.n,
        metric=shuffled.metric,
        better=shuffled.better,
        value=shuffled.observed,
        mean=mean,
        sd=float(known.std(ddof=1)) if len(known) > 1 else None,
        difference=shuffled.observed - mean,
        quantiles=tuple(
            ChanceQuantile(level, float(value))
            for level, value in zip(LEVELS, np.quantile(known, LEVELS), strict=True)
        ),
        p=p,
        mc_se=math.sqrt(p * (1 - p) / (1 + done)),
        rounds=done,
        as_good=as_good,
        failed=failed,
        ways=int(shuffled.ways) if math.isfinite(shuffled.ways) else None,
        groups=shuffled.groups,
        within=shuffled.within,
        notes=_notes(shuffled, failed),
        p_adjusted=_adjusted(shuffled, sign) if shuffled.others else None,
        models=1 + len(shuffled.others),
    )


def _adjusted(shuffled: Shuffled, sign: float) -> float:
    """Return the single-step minP adjusted p of the first of several models.

    Westfall & Young 1993: the share of all targets, the one as it is included, on which the
    smallest p of the models is at most that of this model on the target as it is.
    """
    models = ((shuffled.observed, shuffled.scores), *shuffled.others)
    each = np.array([_p_of_targets(observed, scores, sign) for observed, scores in models])
    return float((each.min(axis=0) <= each[0, 0]).mean())


def _p_of_targets(observed: float, scores: NDArray[np.float64], sign: float) -> NDArray[np.float64]:
    """Return the p that each target has among all of them, the one as it is first."""
    gains = [_rounded(sign * score) for score in (observed, *scores.tolist())]
    ordered = np.where(np.isnan(gains), np.inf, gains)  # without a score: as good as any
    as_good = len(ordered) - np.searchsorted(np.sort(ordered), ordered, side="left")
    return np.asarray(as_good / len(ordered))


def _rounded(value: float) -> float:
    """Round to 12 significant digits, so that equal decimals tie."""
    return float(f"{value:.12g}")


def _notes(shuffled: Shuffled, failed: int) -> tuple[str, ...]:
    made = []
    if shuffled.ways < len(shuffled.scores):
        made.append(
            f"the target can be shuffled in {int(shuffled.ways)} ways only, so p is hardly ever "
            f"below {1 / shuffled.ways:.2g}"
        )
    if failed:
        verb = "round without a score counts" if failed == 1 else "rounds without a score count"
        made.append(f"{failed} {verb} as being as good")
    return tuple(made)


# --- the section ---------------------------------------------------------------------------------

MOST_ROWS = 12  # models that a figure draws; the table has all


def _methods(context: Context, found: Sequence[Analysis]) -> str:
    models: dict[int, list[str]] = {}
    for item in found:
        models.setdefault(item.values["rounds"], []).append(model_of(context, item))
    numbers = [
        count(n) if len(models) == 1 else f"{count(n)} ({', '.join(dict.fromkeys(names))})"
        for n, names in sorted(models.items(), reverse=True)
    ]
    whole = dict.fromkeys(context.groups(item.data) for item in found if item.values["groups"])
    between = f" between {' or '.join(whole)}" if whole else ""
    return (
        "To test whether a score can be due to chance, the models were fitted again to targets "
        f"shuffled{between} with new splits, using {' and '.join(numbers)} permutations"
    )


def _scale(metric: MetricWords, items: Sequence[Analysis]) -> Scale:
    scores = [item.values["value"] for item in items]
    spreads = [item.values["sd"] for item in items if item.values["sd"] is not None]
    return scale_of(spreads or scores, scores, percent=metric.percent)


def _p(item: Analysis) -> float:
    adjusted = item.values.get("p_adjusted")
    return float(item.values["p"] if adjusted is None else adjusted)


@states("target_permutation", key=by_metric)
def _key_findings(context: Context, items: Sequence[Analysis]) -> list[Runs]:
    """State which models scored better than on shuffled targets, and which were not shown to."""
    said: list[Runs] = []
    for better in (True, False):
        found = [item for item in items if (_rounded(_p(item)) <= context.alpha) is better]
        scale = _scale(context.metric(items[0].values["metric"]), items)
        p_values = {item.model: _p(item) for item in found}
        facts = {"better": better, "scale": scale, "p_values": p_values, "alpha": context.alpha}
        said += told(context, "against_chance", found, **facts)
    return said


@shows("target_permutation", order=44, title="Against chance", methods=_methods)
def against_chance(context: Context, part: Part) -> tuple[Table, Figure]:
    """Return a table and a figure for each data set, protocol and metric."""
    items, identifier = part.items, f"table-chance-{part.number}"
    metric, alpha = context.metric(items[0].values["metric"]), context.results.study.alpha
    values = [item.values for item in items]
    scores = [v["value"] for v in values]
    scale = _scale(metric, items)
    first, *_, last = [quantile["level"] for quantile in values[0]["quantiles"]]
    adjusted = any(v.get("p_adjusted") is not None for v in values)
    spans = [tuple(quantile["value"] for quantile in v["quantiles"]) for v in values]
    names = [model_of(context, item) for item in items]
    letter = p_letter(context)
    made = table(
        identifier,
        f"{place_before(context, items)}{metric.noun} on the observed target and on shuffled ones",
        [
            wide("Model"),
            sortable(f"{metric.title}{metric.sign}"),
            sortable(f"Shuffled, mean{metric.sign}"),
            right(f"{100 * first:g}% to {100 * last:g}%"),
            sortable("Difference"),
            sortable("As good"),
            sortable(letter),
            sortable(runs("Adjusted ", letter)) if adjusted else None,
        ],
        [
            row(
                name,
                number(v["value"], scale),
                number(v["mean"], scale),
                bounds(span[0], span[-1], scale),
                number(v["difference"], scale),
                share(v["as_good"], v["rounds"]),
                p_of(context, v["p"], alpha, v["mc_se"]),
                p_of(context, v.get("p_adjusted"), alpha, v["mc_se"]) if adjusted else None,
            )
            for name, v, span in zip(names, values, spans, strict=True)
        ],
        _rounds(context, items),
        f"These results show {values[0]['about']}.",
        *further_notes(context, items),
    )
    drawing = values_next_to_spans(
        [
            (name, value, (low, middle, high))
            for name, value, (low, middle, high) in zip(names, scores, spans, strict=True)
        ][:MOST_ROWS],
        f"{metric.heading}{metric.sign}",
        scale,
        "The observed target (point) and shuffled targets (bar)",
        metric.range,
        [context.look(item.model or "") for item in items],
    )
    caption = sentence(
        f"{place_before(context, items)}{metric.noun} on the observed target (point) and on "
        "shuffled ones (bar from the 5% to the 95% quantile, with their median)"
    )
    rest = not_drawn(len(items), MOST_ROWS, identifier, which=part.which)
    panel = Panel(*drawing, ())
    return made, Figure(f"figure-chance-{part.number}", runs(caption, rest), (panel,))


def _rounds(context: Context, items: Sequence[Analysis]) -> str:
    """State what was shuffled and counted, and what p is of several models."""
    values, models = items[0].values, len(items)
    words = "as good: shuffled targets with a score at least as good as the observed one"
    if values["within"]:
        words += f"; shuffled within the levels of {' and '.join(values['within'])}"
    if values["groups"] is not None:
        groups = context.groups(items[0].data)
        words += f"; {count(values['groups'])} {groups} exchanged the targets of all their rows"
    words += "; p counts the observed target as one of them"
    if values.get("p_adjusted") is not None:
        words += (
            f"; the adjusted p is the share of targets on which at least one of the "
            f"{number_word(values['models'])} models has as small a p"
        )
    elif models > 1:
        words += f", and is not adjusted for the {number_word(models)} models"
    return words
