"""Advice on repeats of one experiment that are declared as something else."""

from collections.abc import Iterator

from evallang.checking.rules.rule import Known, Objection, Stage, rule
from evallang.checking.rules.study_facts import data_set_column
from evallang.data.dataset import PredictionsSpec, ScoresSpec
from evallang.data.findings import written
from evallang.data.text_forms import (
    names_fold,
    names_replicate,
    names_run,
    names_seed,
    names_trial,
    names_unit,
)
from evallang.diagnostics import Changes, Severity
from evallang.results.written import statement_of
from evallang.study import SourceSpec, Study

FEWEST = 3  # values 0 and 1 may be any two groups of equal size


@rule(
    "W450",
    changes=Changes.QUESTION,
    source="Demšar 2006; Bouthillier et al. 2021",
    at=(Stage.DATA,),
)
def units_not_data_sets(known: Known) -> Iterator[Objection]:
    """Repeats of one experiment are declared as data sets.

    A test over data sets asks how models compare on further data sets. Seeds, runs and folds of
    one data set share its rows: their spread shows how training varies, not how data sets do,
    and a p-value over them falls with every seed that is added. A column of trials is objected to
    if its values are numbers; clinical trials have names.

    Objects to:

        scores acc from "acc.csv"
          models ours, base
          dataset seed
          metric "accuracy"
        compare ours, base across data with wilcoxon

    Accepts:

        scores acc from "acc.csv"
          models ours, base
          dataset corpus
          metric "accuracy"
        compare ours, base across data with wilcoxon
    """
    names: dict[str, list[str]] = {}
    sizes: dict[str, set[int]] = {}
    for outcomes in known.imported:
        name, _, value = outcomes.spec.name.rpartition("/")
        names.setdefault(name, []).append(value)
        sizes.setdefault(name, set()).add(outcomes.n)
    for table in known.score_tables:
        names[table.spec.name] = list(table.datasets)
    for name, source in {statement_of(s.name): s for s in known.study.sources}.items():
        column, values = data_set_column(source), names.get(name, [])
        if column is None:
            continue
        place, fix = source.places.get("dataset"), _instead(source, column)
        numbers = bool(values) and all(value.removesuffix(".0").isdigit() for value in values)
        in_turn = len(values) >= FEWEST and set(values) == set(map(str, range(len(values))))
        if numbers if names_trial(column) else names_replicate(column):
            message = "tells repeats of one experiment apart, and `dataset` makes each of them a "
            yield Objection(f"`{column}` {message}data set of its own", place, help=fix)
        elif not in_turn or len(sizes.get(name, ())) != 1:
            continue
        elif not names_replicate(column) and not names_unit(column):
            message = f"has the values 0 to {len(values) - 1}, each in {max(sizes[name]):,} rows, "
            message += "as the number of a seed or a fold has"
            yield Objection(f"`{column}` {message}", place, help=fix)


@rule(
    "W359",
    changes=Changes.QUESTION,
    severity=Severity.HINT,
    source="Bouthillier et al. 2021",
)
def seeds_as_repeats(study: Study) -> Iterator[Objection]:
    """Repeats are named by seeds, and may be networks that were trained with these seeds.

    `repeat` averages over the repeats of an example, and its intervals are about these networks.
    `seed` treats the networks as a sample of those that are trained this way. Seeds with which one
    language model drew its answers are repeats.

    Objects to:

        predictions digits from "digits.csv"
          id image
          repeat seed
          truth digit
          models small, large
        measure accuracy

    Accepts:

        predictions digits from "digits.csv"
          id image
          seed seed
          truth digit
          models small, large
        measure accuracy
    """
    for source in study.sources:
        if not isinstance(source, PredictionsSpec) or source.repeat is None or source.fold:
            continue
        if names_seed(source.repeat):
            yield Objection(
                f"if `{source.repeat}` names the seeds with which networks were trained, the "
                "intervals are about these networks only",
                source.places.get("repeat"),
                help=f"write `seed {written(source.repeat)}` in place of `repeat "
                f"{written(source.repeat)}` for conclusions about other networks trained this way; "
                "seeds with which answers were sampled are repeats",
            )


def _instead(source: SourceSpec, column: str) -> str:
    clause = "fold" if names_fold(column) else "repeat"
    if isinstance(source, ScoresSpec) and names_run(column):
        clause = "seed"
    return (
        f"name by `dataset` the column of the data sets; if there is one data set, its "
        f"`{clause} {written(column)}` makes no line `across data`"
    )
