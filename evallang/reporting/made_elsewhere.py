"""What the methods text says of scores that were taken from a table, of shares, and of repeats."""

from evallang.reporting.context import Context
from evallang.reporting.document import Cite, Runs, listed, runs
from evallang.reporting.numbers import count
from evallang.results.records import DataRecord


def made_elsewhere(context: Context) -> Runs:
    """Say where scores come from, how shares are treated, and how repeats of an example count."""
    made: Runs = ()
    tables: dict[tuple[str, str], list[DataRecord]] = {}
    for data in context.results.data:
        if data.kind == "scores":
            tables.setdefault((data.source, data.statement), []).append(data)
    for (source, _), parts in tables.items():
        first = parts[0]
        cite: Runs = (Cite((f"data:{first.name}",)),) if first.cite else ()
        folds = f", {count(first.n)} of each model on a data set" if first.n > 1 else ""
        names = listed([runs(noun) for noun in _metrics(context, parts)])
        made += runs(" The scores (", names, f"{folds}) were taken from {source}", cite, ".")
    for data in context.results.data:
        if context.samples(data.name):
            whose = f" of {context.data_label(data.name)}" if len(context.results.data) > 1 else ""
            made += runs(
                f" The shares{whose} are treated as independent samples, because it is not known "
                f"which {context.cases(data.name)} each model got right."
            )
    for data in context.results.data:
        times = {
            int(str(e.extra["n_repeats"]))
            for e in context.results.estimates
            if e.data == data.name and "n_repeats" in e.extra
        }
        if times:
            where = f" of {context.data_label(data.name)}" if len(context.results.data) > 1 else ""
            made += runs(
                f" The {context.cases(data.name)}{where} were predicted in {count(max(times))} "
                "repeats: measures are means over the repeats, and one of the "
                f"{context.cases(data.name)} with all its repeats is the unit of intervals and "
                "tests."
            )
    return made


def _metrics(context: Context, parts: list[DataRecord]) -> list[str]:
    names = {part.name for part in parts}
    found = [e.metric for e in context.results.estimates if e.data in names]
    return [context.metric(name).noun for name in dict.fromkeys(found)]
