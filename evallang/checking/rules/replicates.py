"""Advice on repeats of one experiment that are declared as data sets."""

from collections.abc import Iterator

from evallang.checking.rules.rule import Known, Later, Objection, RuleFunction, Stage, rule
from evallang.checking.rules.study_facts import data_set_column
from evallang.data.dataset import GivenOutcomes, ScoresSpec
from evallang.data.findings import written
from evallang.data.text_forms import (
    names_fold,
    names_replicate,
    names_run,
    names_trial,
    names_unit,
)
from evallang.diagnostics import Changes
from evallang.results.written import statement_of
from evallang.study import SourceSpec, Study

FEWEST = 3  # values 0 and 1 may be any two groups of equal size


def _numbered(find: RuleFunction, study: Study, known: Known) -> Iterator[Objection]:
    """Object to data sets that are called 0, 1, 2, ... and are of one size."""
    sizes: dict[str, list[GivenOutcomes]] = {}
    for outcomes in known.sources.imported if known.sources is not None else ():
        sizes.setdefault(statement_of(outcomes.spec.name), []).append(outcomes)
    for source in study.sources:
        several = sizes.get(source.name, [])
        column = data_set_column(source)
        if column is None or names_replicate(column) or names_unit(column):
            continue
        values = {outcomes.spec.name.rpartition("/")[2] for outcomes in several}
        of_one_size = len({outcomes.n for outcomes in several}) == 1
        if of_one_size and len(several) >= FEWEST and values == set(map(str, range(len(several)))):
            yield Objection(
                f"`{column}` has the values 0 to {len(several) - 1}, each in {several[0].n:,} "
                "rows, as the number of a seed or a fold has",
                source.places.get("dataset"),
                help=_instead(source, column),
            )


def _numbered_trials(find: RuleFunction, study: Study, known: Known) -> Iterator[Objection]:
    """Object to data sets that are called by trials and have numbers instead of names."""
    if known.sources is None:
        return
    names: dict[str, list[str]] = {}
    for outcomes in known.sources.imported:
        value = outcomes.spec.name.rpartition("/")[2]
        names.setdefault(statement_of(outcomes.spec.name), []).append(value)
    for table in known.sources.score_tables:
        names[table.spec.name] = list(table.datasets)
    for source in study.sources:
        column, values = data_set_column(source), names.get(source.name, [])
        if column is not None and names_trial(column) and values and all(map(_is_number, values)):
            yield _repeats(source, column)


def _is_number(value: str) -> bool:
    return value.removesuffix(".0").isdigit()


@rule(
    "W450",
    changes=Changes.QUESTION,
    source="Demšar 2006; Bouthillier et al. 2021",
    later=(Later(Stage.DATA, _numbered), Later(Stage.DATA, _numbered_trials)),
)
def units_not_data_sets(study: Study) -> Iterator[Objection]:
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
    for source in study.sources:
        column = data_set_column(source)
        if column is not None and names_replicate(column) and not names_trial(column):
            yield _repeats(source, column)


def _repeats(source: SourceSpec, column: str) -> Objection:
    return Objection(
        f"`{column}` tells repeats of one experiment apart, and `dataset` makes each of "
        "them a data set of its own",
        source.places.get("dataset"),
        help=_instead(source, column),
    )


def _instead(source: SourceSpec, column: str) -> str:
    clause = "fold" if names_fold(column) else "repeat"
    if isinstance(source, ScoresSpec) and names_run(column):
        clause = "seed"
    return (
        f"name by `dataset` the column of the data sets; if there is one data set, its "
        f"`{clause} {written(column)}` makes no line `across data`"
    )
