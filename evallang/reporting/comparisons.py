"""Comparisons: the omnibus test, every pair with estimate, intervals and p, and the groups."""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

from msgspec.structs import replace

from evallang.reporting import pair_findings
from evallang.reporting.analyses import ranks_models
from evallang.reporting.compatible_differences import (
    MOST_PAIRS_DRAWN,
    differences_drawn,
    resamples_drawn,
    where_pairs_are,
)
from evallang.reporting.context import Context
from evallang.reporting.decisions import (
    MOST_GROUPS,
    Numbered,
    bayesian,
    computed,
    favoured,
    groups,
    is_about_equivalence,
    is_decided,
    joined,
    margin_of,
    untested,
)
from evallang.reporting.document import (
    WHOLE,
    Block,
    Column,
    Figure,
    Heading,
    Panel,
    Paragraph,
    Ref,
    Run,
    Runs,
    Strong,
    Table,
    further,
    listed,
    runs,
    spaced,
)
from evallang.reporting.estimate_figures import drawn_with_estimates
from evallang.reporting.figures.figure import Look
from evallang.reporting.figures.forest import far_estimates
from evallang.reporting.figures.grouping import (
    Positions,
    drawn_as_columns,
    grouping_diagram,
    rank_plot,
)
from evallang.reporting.figures.matrices import decision_matrix, win_matrix
from evallang.reporting.figures.posterior import POSTERIORS_DRAWN, densities, shares, simplex
from evallang.reporting.letter_case import capitalised, mid_sentence
from evallang.reporting.long_tables import capped
from evallang.reporting.numbers import Scale, degrees, fixed, percent, statistic
from evallang.reporting.orientation import order_words
from evallang.reporting.pair_findings import singly
from evallang.reporting.pair_table import (
    group_names,
    pair_name,
    pair_table,
    pairs_words,
    wins_ties_losses,
)
from evallang.reporting.panels import Drawn, figures_of_panels
from evallang.reporting.run_writer import plain
from evallang.reporting.section import SECTIONS, SectionDeclaration, Topic
from evallang.reporting.sentences import notes, write
from evallang.reporting.tables import (
    counted,
    interval_cell,
    left,
    number,
    right,
    row,
    sortable,
    table,
)
from evallang.reporting.wording import (
    adjusted_words,
    and_,
    effect_runs,
    further_variants,
    null_words,
    numbers_of,
    p_letter,
    p_stat,
    stat,
    with_article,
)
from evallang.results.records import Comparison, HypothesisTestResult, Ranks

TOPIC, FINDINGS = "comparisons", "findings"
MOST_PAIRS, PAIRS_OF_MANY = 45, 15  # of more pairs, the main part has so many
PAIRS_BESIDE_RANKING = 9
MOST_ROWS = 500  # of a page; the supplement has no table of more pairs
FORMS_OF_P = ("p_chi2", "p_exact", "p_F", "p_corrected", "p_midp", "p_sign_flip")
"""The p of other forms of an omnibus test, as `extra` holds them."""


def _topics(context: Context) -> list[Topic]:
    return [Topic.TESTS, Topic.INTERVALS] if context.results.comparisons else []


@SECTIONS.register(SectionDeclaration(order=30, topics=_topics), title="Comparisons")
def comparisons(context: Context) -> Sequence[Block]:
    """Return each comparison in the order of the study file."""
    blocks: list[Block] = []
    found = context.results.comparisons
    drawn: set[tuple[str | None, str | None, str]] = set()
    groups_ = joined(found)
    heads = [heading(context, group) for group in groups_]
    for group, head in zip(groups_, heads, strict=True):
        number_, comparison = group[0]
        if len(groups_) > 1:
            if heads.count(head) > 1:
                tests = [comparison.omnibus, *comparison.pairwise[:1]]
                named = [context.method_title("test", t.test) for t in tests if t is not None]
                titles = list(map(mid_sentence, named))
                shown = further_variants(context, comparison.pairwise, titles[-1])
                head += f" ({', '.join([', then '.join(titles), *shown])})"
            blocks.append(Heading(head, f"comparison-{number_}"))
        made = _line(context, group, drawn)
        blocks += further(made) if comparison.family.exploratory and len(groups_) > 1 else made
    return blocks


def heading(context: Context, group: Sequence[Numbered]) -> str:
    """Format the comparisons of a line: "Accuracy on Survival: three models, pairwise"."""
    comparison = group[0][1]
    omnibus = comparison.omnibus
    pairs = list({p.models: p for _, c in group for p in c.pairwise}.values())
    names = list(dict.fromkeys(name for pair in pairs for name in pair.models))
    words = [context.compared_words(c) for _, c in group]
    title = and_([words[0].heading, *dict.fromkeys(w.noun for w in words if w != words[0])])
    return plain(
        write(
            context,
            TOPIC,
            "heading",
            comparison=comparison,
            pairs=pairs,
            data=list(dict.fromkeys(c.data for _, c in group)),
            title=title,
            names=names or (list(omnibus.models) if omnibus is not None else []),
        )
    )


def _line(
    context: Context, group: Sequence[Numbered], drawn: set[tuple[str | None, str | None, str]]
) -> list[Block]:
    """Return the comparisons of a line: what each decided, and one table of their pairs."""
    table_id = f"table-comparison-{group[0][0]}"
    every = [comparison for _, comparison in group]
    pairs = pair_table(context, every, table_id)
    comparison = every[0]
    figures: list[Figure] = []  # the first of each comparison
    others: list[Figure] = []
    ranked = False
    for number_, one in group if context.draws and not singly(comparison) else ():
        place = (one.data, one.protocol, one.metric)
        figure_id = f"figure-comparison-{number_}"
        setting = context.comparison_setting(one)
        ranked = setting is not None and ranks_models(context, setting, one.metric)
        panels = decision_panels(context, one) if place not in drawn and not ranked else []
        few = len(one.pairwise) <= MOST_PAIRS_DRAWN
        if (few or not ranked) and not drawn_with_estimates(context, one):
            panels += differences_drawn(context, one)
        panels += resamples_drawn(context, one)
        alone = 1 if one.data is None else len(panels)  # the diagram of average ranks
        made = figures_of_panels(figure_id, panels[:alone])
        made += figures_of_panels(f"{figure_id}-pairs", panels[alone:])
        figures += made[:1]
        others += made
        if made:
            drawn.add(place)
    tables = [table_id] if pairs is not None else []
    exhibits = [*tables, *(figure.id for figure in figures)]
    context.shown_in |= dict.fromkeys(map(id, every), exhibits[0]) if exhibits else {}
    refs = [runs(Ref(name)) for name in exhibits]
    where = runs(" (", listed(refs, last=", "), ")") if refs else ()
    said = [spaced([_omnibus(context, one), *_pairs(context, one, where)]) for one in every]
    blocks: list[Block] = [Paragraph(words) for words in said[:1]]
    if len(set(said)) > 1:
        heads = group_names(context, every)
        blocks = [
            Paragraph(runs(Strong(runs(f"{head}.")), " ", words))
            for head, words in zip(heads, said, strict=True)
        ]
    figure = figures[0] if figures else None
    if comparison.ranks is not None and len(comparison.ranks.average) > 2:
        identifier = f"table-ranks-{group[0][0]}"
        ranks = _ranks_table(context, comparison.ranks, comparison, identifier)
        blocks.append(ranks if figure is None else replace(ranks, further=True))
    if pairs is not None and len(pairs.rows) > MOST_PAIRS:
        whole = pairs.one_number_a_column or pairs
        most = PAIRS_BESIDE_RANKING if ranked else PAIRS_OF_MANY
        blocks.append(replace(capped(pairs, most), one_number_a_column=whole))
        if not context.draws or len(pairs.rows) <= MOST_ROWS:
            blocks += further([replace(pairs, id=f"{table_id}{WHOLE}")])
    elif pairs is not None:
        blocks.append(pairs)
    if others and comparison.data is None:
        blocks.append(others.pop(0))
    return [*blocks, *further(others)]


def _pairs(context: Context, comparison: Comparison, where: Runs) -> Iterator[Runs]:
    """Iterate over the sentences on the pairs of a comparison."""
    pairs, omnibus = comparison.pairwise, comparison.omnibus
    if not pairs:
        return
    say = partial(write, context, TOPIC, where=where)
    missing, size = untested(pairs), pairs_words(pairs)
    if not comparison.performed:
        if (omnibus is not None and not computed(omnibus)) or not any(map(computed, pairs)):
            yield say("nothing_tested", pairs=pairs, size=size)
        else:
            undefined = omnibus is not None and omnibus.status == "undefined"
            yield say("pairs_not_tested", undefined=undefined)
        return
    if singly(comparison):
        yield pair_findings.summary(context, comparison, where)
        return
    if comparison.family.exploratory:
        noun = context.compared_words(comparison).noun
        yield say("exploratory", pairs=pairs, size=size, noun=noun)
        return
    if len(missing) == len(pairs):
        yield say("nothing_tested", pairs=pairs, size=size)
        return
    if any(bayesian(pair) for pair in pairs):
        confidence = context.results.study.confidence
        decided = sum(favoured(pair, confidence) is not None for pair in pairs)
        yield say("posteriors", pairs=pairs, size=size, decided=decided)
    elif len(pairs) == 1 and omnibus is None:
        capital = not adjusted_words(comparison)
        test = _test(context, comparison, pairs[0], capital=capital)
        null = null_words(context, comparison, pairs[0])
        yield say("one_pair", comparison=comparison, pair=pairs[0], test=test, null=null)
        return
    else:
        claim = ""
        if any(margin_of(pair) is not None for pair in pairs):
            claim = "equivalent" if any(map(is_about_equivalence, pairs)) else "non-inferior"
        yield say(
            "pairs_decided",
            comparison=comparison,
            tested=len(pairs) - len(missing),
            rejected=sum(bool(pair.reject) for pair in pairs),
            claim=claim,
        )
    if missing:
        names = [pair_name(context, pair) for pair in missing]
        yield write(context, TOPIC, "some_not_tested", pairs=missing, names=names)


def _test(
    context: Context, comparison: Comparison, result: HypothesisTestResult, *, capital: bool
) -> Runs:
    """Format a test as the subject of a sentence, its numbers only where no finding has them."""
    title = context.method_title("test", result.test)
    shown = further_variants(context, [result], title)
    made = runs(with_article(title, capital=capital), *(f" ({words})" for words in shown))
    if comparison.family.exploratory or not context.shows(FINDINGS):
        made += numbers_of(context, result, comparison.alpha)
        made += runs("" if result.p is None else ",")
    return made


def _omnibus(context: Context, comparison: Comparison) -> Runs:
    """Format the omnibus test with its effect sizes and its other forms."""
    omnibus = comparison.omnibus
    if omnibus is None:
        return ()
    if not computed(omnibus):
        return write(context, TOPIC, "omnibus_not_computed", omnibus=omnibus)
    return write(
        context,
        TOPIC,
        "omnibus",
        omnibus=omnibus,
        test=_test(context, comparison, omnibus, capital=True),
        null=null_words(context, comparison, omnibus),
        undecided=comparison.family.exploratory or omnibus.reject is None,
        effects=[effect_runs(e, context.style) for e in omnibus.effects[1:] if e.value is not None],
        forms=_other_forms(context, comparison, omnibus),
    )


def _other_forms(
    context: Context, comparison: Comparison, omnibus: HypothesisTestResult
) -> Mapping[str, list[Run]]:
    """Return the statistic and p of the forms that did not decide."""
    chi2, used = omnibus.extra.get("chi2"), omnibus.statistic
    made: dict[str, list[Run]] = {}
    for form in FORMS_OF_P:
        if form == "p_chi2" and chi2 is not None and (used is None or used.name != "chi2"):
            df = omnibus.extra.get("df_chi2")
            known = () if df is None else (degrees(df),)
            made.setdefault(form, []).append(stat("chi2", statistic(chi2), chi2, known))
        p = omnibus.extra.get(form)
        if p is not None and p != omnibus.p:
            made.setdefault(form, []).append(p_stat(context, p, comparison.alpha))
    return made


def _ranks_table(context: Context, ranks: Ranks, comparison: Comparison, identifier: str) -> Table:
    """Return the average ranks, with the aligned ones where the omnibus test ranks so."""
    omnibus, scale = comparison.omnibus, Scale(2)
    found = omnibus.extra.get("average_aligned_ranks") if omnibus is not None else None
    aligned: dict[str, float] = {}
    if omnibus is not None and isinstance(found, list | tuple):
        aligned = dict(zip(omnibus.models, found, strict=True))
    ordered = sorted(ranks.average, key=ranks.average.__getitem__)
    reach = ranks.critical_difference if context.is_about_ranks(comparison) else None
    won: dict[str, list[int]] = {name: [0, 0, 0] for name in ordered}
    for first, second, *counts in ranks.win_tie_loss:
        for name, some in ((first, counts), (second, counts[::-1])):
            won[name] = [a + b for a, b in zip(won[name], some, strict=True)]
    heads = ("Won", "Tied", "Lost") if ranks.win_tie_loss else ()
    outcomes: list[Column | None] = [sortable(head, head.lower()) for head in heads]
    return table(
        identifier,
        write(context, TOPIC, "caption_of_ranks", n=ranks.n),
        [
            left("Model"),
            sortable("Average rank", "rank"),
            right(f"{percent(1 - comparison.alpha)} CI", "rank interval", muted=True)
            if ranks.intervals
            else None,
            sortable("Aligned", "aligned rank") if aligned else None,
            (f"Against the other models, over {context.sets}", outcomes),
        ],
        [
            row(
                context.model(name),
                number(ranks.average[name], scale),
                interval_cell(ranks.intervals.get(name), scale) if ranks.intervals else None,
                number(aligned.get(name), scale) if aligned else None,
                *map(counted, won[name] if outcomes else ()),
            )
            for name in ordered
        ],
        *notes(
            context,
            TOPIC,
            "notes_of_ranks",
            aligned=bool(aligned),
            intervals=bool(ranks.intervals),
            reach="" if reach is None else fixed(reach, scale),
            alpha=comparison.alpha,
        ),
    )


MOST_DRAWN = 20  # models in diagrams and matrices; of more, the best are drawn


def decision_panels(context: Context, comparison: Comparison) -> list[Drawn]:
    """Draw the groups and the matrices, or the posterior probabilities of the pairs."""
    if any(bayesian(pair) for pair in comparison.pairwise):
        return _posterior_panels(context, comparison)
    if comparison.data is None:
        return _rank_panels(context, comparison)
    places = _positions(context, comparison)
    if places is None or not is_decided(tuple(places.values), comparison):
        return []
    every, shown = tuple(places.values), _first(places)
    rest = _left_out(context, comparison, len(every))
    found = groups(every, comparison, MOST_DRAWN)
    title, words = _matrix_panel(context, comparison, tuple(shown.values))
    if not found:
        return [(title, words + _too_many_groups(context) + rest)]
    columns = drawn_as_columns(shown, found)
    panel = Panel(*grouping_diagram(shown, found, columns=columns), runs("Groups of models"))
    reading = _reading(context, shown, found, columns=columns)
    noun = context.metric(comparison.metric).noun
    facts = {"words": noun, "reading": reading, "rest": rest}
    return [(panel, write(context, TOPIC, "groups_drawn", **facts)), (title, words)]


def _first(places: Positions) -> Positions:
    """Return the positions of the models that are drawn."""
    values = dict(islice(places.values.items(), MOST_DRAWN))
    return replace(places, values=values, far=places.far & values.keys())


def _too_many_groups(context: Context) -> Runs:
    return write(context, TOPIC, "too_many_groups", most=MOST_GROUPS)


def _left_out(context: Context, comparison: Comparison, n: int) -> Runs:
    """State that only the best models are drawn, and where the others are."""
    if n <= MOST_DRAWN:
        return ()
    where = where_pairs_are(context, comparison)
    return write(context, TOPIC, "not_all_drawn", drawn=MOST_DRAWN, n=n, where=where)


def _reading(
    context: Context,
    places: Positions,
    found: Sequence[Sequence[str]],
    *,
    columns: bool,
    names: bool = True,
) -> Runs:
    """State how groups are drawn, and with `names` who is in more than one."""
    shared = [n for n in places.values if names and sum(n in members for members in found) > 1]
    joined = any(len(members) > 1 for members in found)
    facts = {"joined": joined, "columns": columns, "far": bool(places.far), "shared": shared}
    return write(context, TOPIC, "reading_of_groups", **facts)


def _matrix_panel(context: Context, comparison: Comparison, ordered: Sequence[str]) -> Drawn:
    drawn = decision_matrix(context, comparison, ordered)
    words = adjusted_words(comparison)
    of_p, differences = drawn.numbers
    title = runs(capitalised(words), p_letter(context), " and differences" if differences else "")
    text = write(
        context,
        TOPIC,
        "matrix",
        comparison=comparison,
        of_p=of_p,
        differences=differences,
        ranks=context.is_about_ranks(comparison),
        units=context.difference_words(comparison).units,
    )
    return Panel(drawn.drawing, drawn.alt, title), text


def _positions(context: Context, comparison: Comparison) -> Positions | None:
    """Place models by their estimates.

    A test under a protocol of its own (5x2cv) has no estimates here; those of another protocol
    would contradict its decisions.
    """
    setting = context.comparison_setting(comparison)
    if setting is None or not context.compared_on_estimates(comparison):
        return None
    metric = context.metric(comparison.metric)
    names = context.best_first(comparison)
    found = {n: context.estimate(setting, n, comparison.metric) for n in names}
    values = {n: e.value for n, e in found.items() if e is not None and e.value is not None}
    if len(values) < len(names):
        return None
    return Positions(
        values,
        *_named(context, names),
        context.scale(setting, comparison.metric),
        f"{metric.title}{metric.sign}",
        not metric.higher_is_better,
        metric.range,
        far_estimates([e for e in found.values() if e is not None]),
    )


def _named(context: Context, names: Sequence[str]) -> tuple[dict[str, str], dict[str, Look]]:
    """Return the labels and the looks of models."""
    return {n: context.model(n) for n in names}, {n: context.look(n) for n in names}


def _rank_panels(context: Context, comparison: Comparison) -> list[Drawn]:
    """Draw average ranks with their groups, and the matrices of p-values and of wins."""
    ranks = comparison.ranks
    if ranks is None or len(ranks.average) < 3:
        return []
    every = tuple(sorted(ranks.average, key=ranks.average.__getitem__))
    ordered = every[:MOST_DRAWN]
    values = {name: ranks.average[name] for name in ordered}
    reach = ranks.critical_difference if context.is_about_ranks(comparison) else None
    places = Positions(
        values,
        *_named(context, ordered),
        Scale(2),
        "Average rank",
        True,
        (1.0, len(every)),
        reach=reach,
        ends=(math.floor(min(values.values())), math.ceil(max(values.values()))),
    )
    drawn: list[Drawn] = []
    found = groups(every, comparison, MOST_DRAWN)
    doubtful = bool(found) and drawn_as_columns(places, found)
    for columns in (False, True)[: 1 + doubtful] if found else ():
        words = _reading(context, places, found, columns=columns, names=columns or not doubtful)
        if not columns:
            size = "" if reach is None else fixed(reach, Scale(2))
            words = write(context, TOPIC, "average_ranks", n=ranks.n, reading=words, reach=size)
        title = "Groups of average ranks" if columns else "Average ranks and groups"
        drawn.append((Panel(*grouping_diagram(places, found, columns=columns), runs(title)), words))
    if reach is not None:
        words = write(context, TOPIC, "lines_of_ranks")
        drawing = rank_plot(places.labels, values, reach, len(every), places.looks)
        drawn.append((Panel(*drawing, runs("Average ranks")), words))
    if is_decided(every, comparison):
        panel, words = _matrix_panel(context, comparison, ordered)
        drawn.append((panel, words if found else words + _too_many_groups(context)))
    if ranks.win_tie_loss:
        matrix = win_matrix(context, wins_ties_losses(comparison), ordered)
        whole, wins = matrix.numbers
        words = write(context, TOPIC, "wins", whole=whole, numbers=wins)
        title = "Wins / ties / losses" if whole else "Wins"
        drawn.append((Panel(matrix.drawing, matrix.alt, runs(title)), words))
    if drawn:
        drawn[0] = (drawn[0][0], drawn[0][1] + _left_out(context, comparison, len(every)))
    return drawn


def _posterior_panels(context: Context, comparison: Comparison) -> list[Drawn]:
    """Draw the posterior of each pair: its density where it has one, its three probabilities."""
    pairs = [p for p in comparison.pairwise if p.extra.get("p_first") is not None]
    if not pairs:
        return []
    n, rest = len(pairs), runs()
    if n > POSTERIORS_DRAWN:
        best = context.best_model(comparison)
        pairs = [p for p in pairs if best in p.models][:POSTERIORS_DRAWN]
        where = where_pairs_are(context, comparison)
        facts = {"drawn": len(pairs), "n": n, "best": best, "where": where}
        rest = write(context, TOPIC, "pairs_of_the_best", **facts)
    confidence = context.results.study.confidence
    drawn: list[Drawn] = []
    curves = densities(context, comparison, pairs)
    if curves is not None:
        words = write(context, TOPIC, "density", order=order_words(pairs))
        drawn.append((Panel(*curves, runs("Posterior of the difference")), words))
    words = write(context, TOPIC, "probabilities")
    title = runs("Posterior probabilities")
    drawn.append((Panel(*shares(context, pairs, confidence), title), words))
    if curves is None:
        words = write(context, TOPIC, "simplex", confidence=confidence)
        drawn.append((Panel(*simplex(context, pairs, confidence), runs("In the simplex")), words))
    drawn[0] = (drawn[0][0], drawn[0][1] + rest)
    return drawn
