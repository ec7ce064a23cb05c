"""Leaderboard: models best first, with intervals of their ranks and groups not shown to differ."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from msgspec import Struct

from evallang.analysis import ANALYSES, AnalysisDeclaration, Problem
from evallang.bibliography import cite
from evallang.compatibility import metric_entry
from evallang.diagnostics import codes
from evallang.engine.estimate_analyses import Ranking
from evallang.hypotheses import pairs_of_analysis
from evallang.reporting import fonts, sentences
from evallang.reporting.analyses import (
    Part,
    not_drawn,
    notes,
    place_before,
    shows,
    states,
)
from evallang.reporting.context import Context, MetricWords, Setting
from evallang.reporting.decisions import MOST_GROUPS, cliques
from evallang.reporting.document import Figure, Panel, Runs, Table, runs
from evallang.reporting.estimates import interval_notes
from evallang.reporting.figures.figure import (
    COLUMN,
    DEEPEST,
    SIZE,
    Canvas,
    depth_of_names,
    depth_of_row,
    lines_with_room,
)
from evallang.reporting.figures.forest import LABEL, ForestRow, forest
from evallang.reporting.figures.grouping import HEAD, LETTERS, ROW, Positions, grouping_diagram
from evallang.reporting.numbers import Scale, fixed, interval, percent
from evallang.reporting.tables import bounds, left, number, right, row, table, wide
from evallang.reporting.wording import estimate_runs, sentence
from evallang.results.records import Analysis
from evallang.results.shown import Number
from evallang.study import AnalysisSpec, Study


class RankedModel(Struct, frozen=True):
    """One model: its value with the interval of one model alone, and its rank with the joint one.

    Equal values share the smallest rank. `low_rank` is 1 plus the number of models that are better
    in the simultaneous comparison, `high_rank` the number of those that are not worse.
    """

    model: str
    value: float
    low: Number
    high: Number
    rank: int
    low_rank: int
    high_rank: int


class Leaderboard(Struct, frozen=True):
    """The models of one place by a metric, best first.

    The intervals of all ranks hold together at `rank_level`. `groups` are the largest sets of
    models no two of which were shown to differ. Of `pairs` in all, `untested` have no decision;
    `unknown` models have no value.
    """

    about: str
    metric: str
    test: str
    correction: str | None
    rank_level: float
    pairs: int
    untested: int
    models: tuple[RankedModel, ...]
    groups: tuple[tuple[str, ...], ...]
    unknown: tuple[str, ...]


class ShownLeaderboard(Leaderboard, frozen=True, kw_only=True):
    """The values of a leaderboard; `level` is that of the intervals of the values."""

    level: float


def _judge(study: Study, spec: AnalysisSpec) -> Iterator[Problem]:
    """Find a study of which no two models are compared on the same examples."""
    if len(spec.models) == 1:
        yield (
            codes.analysis_needs_other_data,
            f"`leaderboard` ranks two models or more, and `{spec.models[0]}` is one",
            "name further models, or none for all",
        )
    elif study.sources and not any(pairs_of_analysis(study, spec)):
        yield (
            codes.analysis_needs_other_data,
            "`leaderboard` resamples all pairs of models on the same examples, which this study "
            "does not give",
            "read the answers of the models to each example, or compare scores of data sets or "
            "folds in a line of their own",
        )


@ANALYSES.register(
    AnalysisDeclaration(
        about="pairs",
        by_metric=True,
        judge=_judge,
        shown=ShownLeaderboard,
        when="many models are ranked, and the order should not claim more than the data show",
        when_not=(
            "two models are compared: compare; the data sets are a sample of further ones: "
            "compare across data, whose average ranks have a diagram"
        ),
        formula=(
            "all pairs are compared in one family with max-T correction; the interval of the rank "
            "of a model is [1 + number of models shown to be better, number of models − number "
            "shown to be worse]; at level 1 − α all intervals hold together, since they can fail "
            "only if a decision about a pair is false"
        ),
        example='predictions answers from "data/answers.csv"\n'
        "  model model\n"
        "  id question\n"
        "  correct all as right\n"
        "measure accuracy\n"
        "analyze leaderboard\n",
    ),
    title="Leaderboard",
    references=(cite("mogstad2023"), cite("almohamad2022")),
)
def leaderboard(ranking: Ranking) -> Leaderboard:
    """Rank the models, with simultaneous intervals of their ranks.

    The pairs are those of a `compare` line of all these models with `max_t` where the study has
    one, else they are tested for the leaderboard alone. Raises `ValueError` where fewer than two
    models have a value, or where neither high nor low values of the metric are better.
    """
    pairs, known = ranking.pairs, {e.model: e for e in ranking.found}
    better = metric_entry(ranking.metric).declaration.better
    if better not in ("higher", "lower"):
        raise ValueError(f"neither high nor low values of {pairs.metric} are better")
    sign = 1 if better == "higher" else -1
    compared = dict.fromkeys(model for test in pairs.pairwise for model in test.models)
    models = [model for model in compared if model in known and known[model].value is not None]
    if len(models) < 2:
        raise ValueError(f"fewer than two models have a value of {pairs.metric}")
    values = {model: sign * (known[model].value or 0.0) for model in models}
    ordered = sorted(models, key=lambda model: -values[model])
    over: dict[str, set[str]] = {model: set() for model in models}
    for test in pairs.pairwise:
        first, second = test.models
        if test.reject and test.estimate is not None and test.estimate.value:
            ahead = sign * test.estimate.value > 0
            winner, loser = (first, second) if ahead else (second, first)
            over.setdefault(winner, set()).add(loser)
    decided = {frozenset((winner, loser)) for winner in over for loser in over[winner]}
    together = frozenset(map(frozenset, combinations(models, 2))) - decided
    ranked = []
    for model in ordered:
        found = known[model].interval
        ranked.append(
            RankedModel(
                model,
                sign * values[model],
                None if found is None else found.low,
                None if found is None else found.high,
                1 + sum(value > values[model] for value in values.values()),
                1 + sum(model in over[other] for other in models),
                len(models) - len(over[model].intersection(models)),
            )
        )
    return Leaderboard(
        about=next(e.about for e in ranking.found),
        metric=pairs.metric,
        test=pairs.pairwise[0].test,
        correction=pairs.family.correction,
        rank_level=round(1 - pairs.alpha, 12),
        pairs=len(pairs.pairwise),
        untested=sum(test.reject is None for test in pairs.pairwise),
        models=tuple(ranked),
        groups=cliques(ordered, together),
        unknown=tuple(model for model in compared if model not in models),
    )


# --- the section ---------------------------------------------------------------------------------

MOST_DRAWN, MOST_NUMBERED = 40, 30  # models, where names are listed below fewer; the table has all
DEEPEST_PANEL = 500.0  # points: a page has a heading above it and a caption below


@states("leaderboard", key=id)
def _key_findings(context: Context, items: Sequence[Analysis]) -> list[Runs]:
    """State which models may be the best, and how many groups there are."""
    (item,) = items
    values = item.values
    leaders = [one for one in values["models"] if one["low_rank"] == 1]
    first = [one["model"] for one in values["models"] if one["rank"] == 1]
    setting, metric = Setting(item.data, item.protocol), context.metric(values["metric"])
    known = context.estimate(setting, first[0], values["metric"])
    assert known is not None, "a leaderboard is made from the estimates"
    facts = {"first": first, "leaders": leaders, "n": len(values["models"])}
    facts |= {"metric": metric, "numbers": estimate_runs(context, setting, known)}
    return [sentences.write(context, "analyses", "leaderboard", item=item, **facts)]


@shows(
    "leaderboard",
    order=35,
    title="Leaderboard",
    methods="Intervals of ranks were derived from simultaneous comparisons of all pairs of models",
    key=id,
    name="leaderboard",
    ranking=True,
)
def board(context: Context, part: Part) -> tuple[Figure, Table]:
    """Return the figure and the table of each place."""
    (item,) = part.items
    values = item.values
    metric = context.metric(values["metric"])
    setting = Setting(item.data, item.protocol)
    scale = context.scale(setting, values["metric"])
    level, ranks = percent(values["level"]), percent(values["rank_level"])
    groups = values["groups"] if len(values["groups"]) <= MOST_GROUPS else ()
    identifier = f"table-leaderboard-{part.number}"
    context.shown_in.setdefault(setting, identifier)
    title = f"{place_before(context, part.items)}models by {metric.noun}"
    made = table(
        identifier,
        sentence(title),
        [
            right("Rank"),
            right(f"{ranks} CI"),
            wide("Model"),
            (f"{metric.heading}{metric.sign}", [right("Est."), right(f"{level} CI")]),
            *([left("Group")] if groups else []),
        ],
        [
            row(
                str(one["rank"]),
                f"[{one['low_rank']}, {one['high_rank']}]",
                context.model(one["model"]),
                number(one["value"], scale),
                bounds(one["low"], one["high"], scale),
                *([_letters(one["model"], groups)] if groups else []),
            )
            for one in values["models"]
        ],
        *sentences.notes(context, "analyses", "note_of_ranks", item=item, grouped=bool(groups)),
        *interval_notes(context, [metric.name], context.estimates(setting, metric.name)),
        *notes(context, part.items),
    )
    for most in (MOST_DRAWN, MOST_NUMBERED):
        drawn = values["models"][:most]
        shown = {one["model"] for one in drawn}
        some = [[m for m in members if m in shown] for members in groups]
        kept = [members for i, members in enumerate(some) if members and members not in some[:i]]
        ranked = _ranks(context, drawn, len(values["models"]), kept)
        if ranked[0].height <= DEEPEST_PANEL:
            break
    caption = runs(
        sentence(f"{title}, with {level} intervals (a), and ranks with {ranks} intervals (b)"),
        " ",
        sentences.write(context, "analyses", "reading_of_ranks", grouped=bool(groups)),
    )
    caption += not_drawn(len(values["models"]), most, identifier, which="best")
    panels = (
        Panel(*_values(context, drawn, metric, scale), runs(metric.heading)),
        Panel(*ranked, runs("Ranks")),
    )
    return Figure(f"figure-leaderboard-{part.number}", caption, panels), made


def _letters(model: str, groups: Sequence[Sequence[str]]) -> str:
    return "".join(letter for letter, some in zip(LETTERS, groups, strict=False) if model in some)


def _values(
    context: Context, drawn: Sequence[Mapping[str, Any]], metric: MetricWords, scale: Scale
) -> tuple[Canvas, str]:
    """Draw the values with their intervals; gives the drawing and its numbers in words."""
    labels = [context.model(one["model"]) for one in drawn]
    names = fonts.name_lines(labels, SIZE, LABEL, lines_with_room(len(drawn)))
    rows, ends, spoken = [], [], []
    for one, lines, label in zip(drawn, names, labels, strict=True):
        value, low, high = one["value"], one["low"], one["high"]
        short = fixed(value, scale)
        text = short if low is None else f"{short} {interval(low, high, scale)}"
        look = context.look(one["model"])
        rows.append(ForestRow(lines, value, low, high, text=text, short=short, look=look))
        ends += [x for x in (value, low, high) if x is not None]
        spoken.append(f"{label} {text}")
    depth = depth_of_names(names, depth_of_row(len(drawn), ROW, DEEPEST))
    name = f"{metric.title}{metric.sign}"
    below = forest(rows, name, scale, ends, metric.range, depth=depth)
    drawing = Canvas(HEAD + below.height)  # next to rows with letters above them
    drawing.place(below, 0, HEAD, COLUMN)
    drawing.plot = below.plot
    return drawing, f"{name} with intervals: {'; '.join(spoken)}."


def _ranks(
    context: Context,
    drawn: Sequence[Mapping[str, Any]],
    n: int,
    groups: Sequence[Sequence[str]],
) -> tuple[Canvas, str]:
    """Draw the ranks among `n` models with their intervals, and a column for each group."""
    names = [one["model"] for one in drawn]
    places = Positions(
        {one["model"]: one["rank"] for one in drawn},
        {name: context.model(name) for name in names},
        {name: context.look(name) for name in names},
        Scale(0),
        "Rank",
        False,
        (1.0, n),
        intervals={one["model"]: (one["low_rank"], one["high_rank"]) for one in drawn},
    )
    drawing, spoken = grouping_diagram(places, groups, columns=True)
    bounds = (
        f"{context.model(one['model'])} {one['low_rank']} to {one['high_rank']}" for one in drawn
    )
    return drawing, f"{spoken} Intervals of ranks: {'; '.join(bounds)}."
