"""The characteristics of the data: excluded rows, and what the features hold by class."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from evallang.reporting.context import Context
from evallang.reporting.document import Block, Cell, Paragraph, Row, Table
from evallang.reporting.letter_case import capitalised
from evallang.reporting.narrow_tables import with_a_row_for_each_cell
from evallang.reporting.numbers import NBSP, Scale, count, fixed, scale_of
from evallang.reporting.section import SECTIONS, SectionDeclaration, Topic
from evallang.reporting.sentences import notes, write
from evallang.reporting.tables import counted, dash, left, printed, right, row, share, table
from evallang.reporting.wording import condition_words, plural_count
from evallang.results.records import ClassValues, ColumnRecord, DataRecord

TOPIC = "characteristics"
MOST_DATA_SETS = 3  # with a table each
PERCENT = Scale(1, 2)
WITHOUT_COMMA = 10_000  # such as years
SEVERAL = 3  # classes, whose columns a column of a journal has no room for
MOST_ROWS = 40  # of a page of a journal


def _topics(context: Context) -> list[Topic]:
    made = []
    shown = context.results.data[:MOST_DATA_SETS]
    if any(map(_has_flow, shown)):
        made += [Topic.EXCLUSIONS, Topic.FLOW]
    if any(map(_described, shown)):
        made += [Topic.CHARACTERISTICS, Topic.FEATURES]
    return made


@SECTIONS.register(
    SectionDeclaration(order=15, supplement=True, topics=_topics), title="Data characteristics"
)
def characteristics(context: Context) -> Sequence[Block]:
    """Return the flow of exclusions and the table of characteristics of the first data sets."""
    blocks: list[Block] = []
    for place, data in enumerate(context.results.data[:MOST_DATA_SETS], start=1):
        if _has_flow(data):
            blocks.append(_flow(context, data, f"table-flow-{place}"))
        if _described(data):
            blocks.append(_table(context, data, f"table-characteristics-{place}"))
    rest = len(context.results.data) - MOST_DATA_SETS
    if blocks and rest > 0:
        blocks.append(Paragraph(write(context, TOPIC, "further_data", number=rest), "note"))
    return blocks


def _has_flow(data: DataRecord) -> bool:
    return data.kind == "table" and bool(data.excluded)


def _described(data: DataRecord) -> list[ColumnRecord]:
    return [column for column in data.columns if column.by_class]


def _flow(context: Context, data: DataRecord, identifier: str) -> Table:
    """Return how many rows were read, excluded by which line, and tested."""
    left_over = data.n + sum(one.n for one in data.excluded)
    rows = [row("Read", counted(left_over), dash())]
    for one in data.excluded:
        left_over -= one.n
        rows.append(row(f"Kept: {condition_words(one)}", counted(left_over), counted(one.n)))
    for setting in context.settings:
        tested = context.tested(setting)
        if setting.data == data.name and tested is not None:
            where = f" ({context.protocol(setting.protocol)})" if context.several_protocols else ""
            rows.append(row(f"Tested{where}", counted(tested.n), dash()))
    return table(
        identifier,
        write(context, TOPIC, "caption_of_flow", data=data),
        [
            left("Step"),
            right(capitalised(context.cases(data.name)), "rows"),
            right("Excluded", "excluded"),
        ],
        rows,
        whole=True,
    )


def _table(context: Context, data: DataRecord, identifier: str) -> Table:
    """Return the outcome and every described feature, in all rows and by class."""
    described = _described(data)
    classes = [one.name for one in described[0].by_class if one.name is not None]
    if any(column.name == data.target for column in described):
        classes = []
    labels = context.class_labels(classes, data.name)
    sizes = [data.n, *((data.class_counts or {}).get(name, 0) for name in classes)]
    heads = [
        f"{head} (n{NBSP}={NBSP}{count(n)})"
        for head, n in zip(["All", *labels], sizes, strict=True)
    ]
    missing = any(column.missing for column in described)
    rows: list[Row] = []
    for column in described:
        rows += _rows(column, len(heads), missing=missing)
    known = data.n_features or 0
    left_out = known - sum(column.name != data.target for column in described)
    counted_ = [bool(column.by_class[0].levels) for column in described]
    made = table(
        identifier,
        write(context, TOPIC, "caption", data=data, by_class=bool(classes)),
        [
            left("Characteristic"),
            *map(right, heads),
            right("Missing", "missing") if missing else None,
        ],
        rows,
        *notes(
            context,
            TOPIC,
            "notes",
            data=data,
            left_out=left_out,
            numbers=not all(counted_),
            levels=any(counted_),
        ),
    )
    if len(classes) < SEVERAL or len(rows) * (len(heads) + 1) > MOST_ROWS:
        return made
    return replace(made, narrow=with_a_row_for_each_cell(made))


def _rows(column: ColumnRecord, width: int, *, missing: bool) -> Iterator[Row]:
    """Iterate over the row of a number, or the rows of the levels of a column."""
    shown = column.by_class[:width]
    lost = counted(column.missing) if missing else None
    if not column.by_class[0].levels:
        scale = _scale(shown)
        yield row(column.name, *(_median(one, scale) for one in shown), lost)
        return
    levels = list(column.by_class[0].levels)
    yield row(column.name, *(Cell(()) for _ in shown), lost)
    for level in levels:
        cells = (_part(one.levels.get(level, 0), one.n) for one in shown)
        yield row(f"\u2003{level}", *cells, Cell(()) if missing else None)
    rest = (column.levels or len(levels)) - len(levels)
    if rest > 0:
        cells = (_part(one.n - sum(one.levels.values()), one.n) for one in shown)
        yield row(
            f"\u2003{plural_count(rest, 'further level')}", *cells, Cell(()) if missing else None
        )


def _part(n: int, total: int) -> Cell:
    return counted(n, f" ({fixed(n / total, PERCENT)}%)") if total else share(n, total)


def _scale(shown: Sequence[ClassValues]) -> Scale:
    """Choose the decimals of a row: a tenth of the half distance of quartiles, fewer if exact."""
    quartiles = [one.quartiles for one in shown if one.quartiles is not None]
    widths = [(high - low) / 2 for low, _, high in quartiles if high > low]
    values = [value for row in quartiles for value in row]
    decimals = scale_of(widths, values, percent=False).decimals
    while decimals > 0 and all(round(v, decimals - 1) == round(v, decimals) for v in values):
        decimals -= 1
    return Scale(decimals)


def _median(one: ClassValues, scale: Scale) -> Cell:
    if one.quartiles is None:
        return dash()
    low, median, high = one.quartiles
    texts = [fixed(value, scale) for value in (low, median, high)]
    if max(map(abs, one.quartiles)) < WITHOUT_COMMA:
        texts = [text.replace(",", "") for text in texts]
    return printed(texts[1], median, f"{NBSP}[{texts[0]},{NBSP}{texts[2]}]")
