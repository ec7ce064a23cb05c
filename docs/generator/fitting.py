"""The page what-goes-with-what: tests, intervals and metrics by protocols and sources."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from docs.generator import markdown as md
from docs.generator.members import link
from evallang.manual.compatibility_table import (
    UNDEFINED,
    Setting,
    default_of,
    interval_fit,
    metrics_in_words,
    metrics_of,
    settings,
    test_fit,
)
from evallang.manual.glossary import REGISTRIES
from evallang.metrics.metric import METRICS

Cell = Callable[[Any, Setting], str]
LEAD = """\
The tables follow from the declared outputs of protocols and sources and the declared inputs of
tests, intervals and metrics. The checker uses the same declarations (E201, E202, E204, E207), and a
test compares every cell with it. Columns with equal cells are merged. Options have their defaults:
`nested cv times=3` is treated like `repeated cv`, and a `split` by fold numbers like `cv`."""
TESTS = """\
✓ runs on the splits of the protocol · `block=` runs with that option · *plans* adds an implied
protocol, which all tests that need it share · – is refused. Tests whose sample is the data sets
follow below, because they run `across data` under any protocol."""


def pages() -> Iterator[tuple[str, str]]:
    """Iterate over the one page."""
    tests = list(REGISTRIES["tests"])
    over_data = [t for t in tests if t.declaration.across_data]
    on_rows = [t for t in tests if not t.declaration.across_data]
    intervals = [i for i in REGISTRIES["intervals"] if i.declaration.form != "paired"]
    yield (
        "what-goes-with-what",
        md.page(
            "What goes with what",
            LEAD,
            "## Tests",
            TESTS,
            _table("test", "tests", on_rows, _test),
            "## Tests over data sets",
            md.table(
                ("test", "models", "by"),
                [(link("tests", t), _models(t), "any metric") for t in over_data],
            ),
            "## By which metric, with groups, with a correction",
            md.table(
                ("test", "by", "models", "grouped rows", "weighted rows", "correction"),
                [
                    (
                        link("tests", t),
                        _metrics(t),
                        _models(t),
                        _groups(t),
                        _weights(t),
                        _corrected(t),
                    )
                    for t in tests
                ],
            ),
            "## Default intervals of metrics",
            "– there is none that is sound, and fold values are shown; *undefined* has no value "
            "there. With more than two classes, and with groups, a proportion's interval is "
            "`bootstrap`.",
            _table("metric", "metrics", list(METRICS), _default),
            "## Intervals",
            "For which of the metrics an interval may be written; *all* that have a value there.",
            _table("interval", "intervals", intervals, _interval),
        ),
    )


def _table(name: str, plural: str, entries: Sequence[Any], cell: Cell) -> str:
    columns: dict[tuple[str, ...], list[str]] = {}
    for setting in settings():
        cells = tuple(cell(entry, setting) for entry in entries)
        columns.setdefault(cells, []).append(setting.words)
    head = (name, *(", ".join(words) for words in columns.values()))
    rows = [
        (link(plural, entry), *(cells[place] for cells in columns))
        for place, entry in enumerate(entries)
    ]
    return md.table(head, rows)


def _test(entry: Any, setting: Setting) -> str:
    marks = {"yes": "✓", "in blocks": "`block=`", "implied": "*plans*", "no": "–"}
    return marks[test_fit(entry, setting)]


def _default(entry: Any, setting: Setting) -> str:
    name = default_of(entry, setting)
    return "–" if name is None else f"*{name}*" if name == UNDEFINED else f"`{name}`"


def _interval(entry: Any, setting: Setting) -> str:
    fitting = [m.name for m in METRICS if interval_fit(entry, m, setting)]
    valued = [m.name for m in METRICS if default_of(m, setting) != UNDEFINED]
    if not fitting:
        return "–"
    return "*all*" if fitting == valued else ", ".join(fitting)


def _metrics(entry: Any) -> str:
    return metrics_in_words(metrics_of(entry))


def _models(entry: Any) -> str:
    low, high = entry.declaration.models
    return str(low) if low == high else f"{low} or more"


def _groups(entry: Any) -> str:
    declared = entry.declaration
    if declared.across_data:
        return "the data set is the unit"
    if declared.rests_only_on("fold"):
        return "folds of whole groups"
    return "clustered form" if declared.clustered else "–"


def _weights(entry: Any) -> str:
    declared = entry.declaration
    return "✓" if declared.weights or declared.rests_only_on("fold") else "–"


def _corrected(entry: Any) -> str:
    if entry.declaration.bayesian:
        return "none: probabilities"
    return "none: its own" if entry.declaration.self_correcting else "any"
