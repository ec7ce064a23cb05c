"""Labels of long files are read as categories, and mean what their texts mean."""

import io

import numpy as np
import polars as pl
import pytest
from many_cases import for_each

from evallang.data import fast_csv, file_formats, prediction_files
from evallang.data.dataset import GivenModel
from evallang.data.file_formats import read_file
from evallang.data.findings import Findings

A, B = (GivenModel(name, name, column=name) for name in "ab")
NAMED = frozenset({"truth", "a", "b"})
ROWS = [("no", "no", "no"), ("yes", "yes", "no"), ("yes", "no", "yes"), ("no", "yes", "no")] * 6


def csv(rows, *, quoted=False):
    mark = '"' if quoted else ""
    lines = [",".join(f"{mark}{cell}{mark}" for cell in row) for row in rows]
    return "\n".join(["truth,a,b", *lines]) + "\n"


@pytest.fixture
def long_from(monkeypatch):
    """Return what sets the size from which files are long, and the size of a sample of them."""

    def put(size, sample=fast_csv.SAMPLE):
        monkeypatch.setattr(fast_csv, "LONG", size)
        monkeypatch.setattr(fast_csv, "SAMPLE", sample)
        monkeypatch.setattr(fast_csv, "SAMPLE_LINES", 2)
        monkeypatch.setattr(file_formats, "LONG", size)

    return put


def types_of(source, name):
    findings = Findings({})
    frame = read_file(name, source.folder, findings, named=NAMED, short=NAMED, coded=NAMED)
    return [frame.cells[column].dtype for column in ("truth", "a", "b")]


def everything(source, name, **clauses):
    """Return what a statement reads, and what is found on the way."""
    made, found = source.predictions(name, models=(A, B), **clauses)
    said = [(d.code, d.message, d.help) for d in found]
    if not made:
        return None, said
    (one,) = made
    labels = {model: codes.tolist() for model, codes in one.predictions.items()}
    return (
        one.classes,
        one.truth.tolist(),
        labels,
        one.sha256,
        one.source_columns,
        one.notes,
    ), said


def replaced(rows, places):
    changed = [list(row) for row in rows]
    for row, column, cell in places:
        changed[row][column] = cell
    return changed


TABLES = {
    "plain": ROWS,
    "names with accents": [[cell.replace("yes", "é") for cell in row] for row in ROWS],
    "blanks at the edges": replaced(ROWS, [(0, 0, " no"), (5, 1, "yes "), (7, 2, "\tno")]),
    "a label in one row": replaced(ROWS, [(9, 0, "perhaps"), (13, 1, "perhaps")]),
    "a prediction that is never true": replaced(ROWS, [(9, 1, "perhaps"), (10, 1, "perhaps")]),
    "a missing prediction": replaced(ROWS, [(4, 1, "")]),
    "a missing truth": replaced(ROWS, [(4, 0, "")]),
    "all predictions missing": [(t, "", b) for t, _, b in ROWS],
    "true and false": [[{"no": "False", "yes": "True"}[cell] for cell in row] for row in ROWS],
    "true as text of one model": replaced(
        [[{"no": "false", "yes": "true"}[cell] for cell in row] for row in ROWS], [(3, 1, "TRUE?")]
    ),
    "whole floats": [[{"no": "0.0", "yes": "1.0"}[cell] for cell in row] for row in ROWS],
    "one label in several spellings": replaced(
        [[{"no": "0.0", "yes": "1.0"}[cell] for cell in row] for row in ROWS],
        [(1, 1, "1"), (2, 2, "1.00"), (4, 0, "1e0"), (5, 1, "nan"), (6, 2, "-0.0")],
    ),
    "spelled apart": [[{"no": "00", "yes": "01"}[cell] for cell in row] for row in ROWS],
    "an infinite truth": replaced(
        [[{"no": "0.0", "yes": "1.0"}[cell] for cell in row] for row in ROWS], [(3, 0, "inf")]
    ),
    "a fraction": replaced(
        [[{"no": "0.5", "yes": "1.5"}[cell] for cell in row] for row in ROWS], [(3, 1, "2.5")]
    ),
    "words and numbers": [(t, {"no": "0.0", "yes": "1.0"}[a], b) for t, a, b in ROWS],
    "truth of numbers": [({"no": "0.0", "yes": "1.0"}[t], a, b) for t, a, b in ROWS],
    "true and 1.0": [
        ({"no": "0.0", "yes": "1.0"}[t], {"no": "False", "yes": "true"}[a], b) for t, a, b in ROWS
    ],
    "dates as labels": [
        [{"no": "2026-01-01", "yes": "2026-01-02"}[c] for c in row] for row in ROWS
    ],
    "numbers and a word": [("7" if t == "no" else "8.0", a, "7") for t, a, _ in ROWS],
    "a number among words": replaced(ROWS, [(2, 0, "1"), (2, 1, "1.0"), (2, 2, "1")]),
    "dates": [("2026-01-01", "2026-01-02", "2026-01-01"), ("2026-01-02", "2026-01-02", "x")] * 9,
    "no label of the truth": [(t, "maybe", b) for t, _, b in ROWS],
    "three hundred labels": [(f"c{i}", f"c{i}", f"c{i // 2}") for i in range(300)],
}


@for_each("table", TABLES)
@for_each("sample", [fast_csv.SAMPLE, 24])
@for_each("quoted", [False, True])
def test_labels_of_a_long_csv_file_mean_their_texts(source, long_from, table, sample, quoted):
    source.write("p.csv", csv(TABLES[table], quoted=quoted))
    expected = everything(source, "p.csv")
    long_from(0, sample)
    assert everything(source, "p.csv") == expected


def check_a_long_parquet_file(source, long_from, rows, dtype):
    """Compare a Parquet file of few rows with the same file read as a long one."""
    columns = zip(*rows, strict=True)
    cells = [
        pl.Series(name, c, dtype=dtype)
        for name, c in zip(("truth", "a", "b"), columns, strict=True)
    ]
    stream = io.BytesIO()
    pl.DataFrame(cells).write_parquet(stream)
    source.write("p.parquet", stream.getvalue())
    expected = everything(source, "p.parquet")
    long_from(0)
    assert everything(source, "p.parquet") == expected


@for_each("table", TABLES)
@for_each("dtype", [pl.String, pl.Categorical])
def test_labels_of_a_long_parquet_file_mean_their_texts(source, long_from, table, dtype):
    check_a_long_parquet_file(source, long_from, TABLES[table], dtype)


@pytest.mark.parametrize("kind", [pl.Int64, pl.UInt64, pl.Int32])
@pytest.mark.parametrize("labels", [[0, 1], [-1, 300], [0, 2**31 - 1], [0, 1, None]])
def test_numbers_of_a_long_parquet_file_mean_the_same(source, long_from, kind, labels):
    if kind == pl.UInt64:
        labels = [label and abs(label) for label in labels]
    cells = np.random.default_rng(2).choice(np.array(labels, dtype=object), (60, 3))
    table = pl.DataFrame(
        [pl.Series(n, cells[:, i].tolist(), dtype=kind) for i, n in enumerate(("truth", "a", "b"))]
    )
    stream = io.BytesIO()
    table.with_columns(only_nulls=pl.lit(None, dtype=kind)).write_parquet(stream)
    source.write("p.parquet", stream.getvalue())
    expected = everything(source, "p.parquet")
    long_from(0)
    assert everything(source, "p.parquet") == expected
    largest = max(abs(label) for label in labels if label is not None)
    fits = pl.Int8 if largest < 128 else pl.Int16 if largest < 2**15 else pl.Int32
    assert types_of(source, "p.parquet") == [fits] * 3


@pytest.mark.parametrize("name", ["p.csv", "p.parquet"])
def test_columns_of_unnamed_models_take_as_few_bytes_as_those_of_named_ones(
    source, long_from, monkeypatch, where, name
):
    text = "id,site,truth,a,b\n" + "".join(
        f"{i},s{i % 3},{t},{a},{int(b == 'yes')}\n" for i, (t, a, b) in enumerate(ROWS)
    )
    source.write("p.csv", text)
    pl.read_csv(io.StringIO(text)).write_parquet(source.folder / "p.parquet")
    frames = []

    def read(*values, **named):
        frames.append(read_file(*values, **named))
        return frames[-1]

    monkeypatch.setattr(prediction_files, "read_file", read)
    long_from(0)
    for models in ((A, B), ()):
        source.predictions(name, models=models, id="id", where=(where("site", "!=", "s9"),))
    named, unnamed = (frame.cells for frame in frames)
    assert named.schema == unnamed.schema
    assert unnamed.dtypes == [pl.Int8, pl.String, *[pl.Enum(["no", "yes"])] * 2, pl.Int8]
    assert named.equals(unnamed)


def test_a_text_takes_one_byte_in_a_long_file(source, long_from):
    source.write("p.csv", csv(ROWS))
    assert types_of(source, "p.csv") == [pl.String] * 3
    long_from(0)
    assert types_of(source, "p.csv") == [pl.Enum(["no", "yes"])] * 3


def test_labels_are_met_in_the_middle_and_at_the_end_of_a_sorted_file(source, long_from):
    rows = sorted([(label, label, label) for label in ("a", "b", "c")] * 200)
    source.write("p.csv", csv(rows))
    long_from(0, 32)
    assert types_of(source, "p.csv") == [pl.Enum(["a", "b", "c"])] * 3


def test_a_label_that_no_sample_holds_leaves_texts(source, long_from):
    source.write("p.csv", csv(replaced(ROWS * 9, [(70, 1, "perhaps")])))
    long_from(0, 32)
    assert types_of(source, "p.csv") == [pl.String] * 3


def test_columns_of_filters_and_other_roles_stay_texts(source, long_from, where):
    sites = np.random.default_rng(3).choice(["x", "y"], len(ROWS))
    rows = [(t, a, b, site) for (t, a, b), site in zip(ROWS, sites, strict=True)]
    text = "truth,a,b,site\n" + "\n".join(map(",".join, rows)) + "\n"
    source.write("p.csv", text)
    clauses = {
        "where": (where("site", "=", "x"), where("a", "!=", "perhaps")),
        "subgroups": ("site",),
    }
    expected = everything(source, "p.csv", **clauses)
    long_from(0)
    assert everything(source, "p.csv", **clauses) == expected
    assert expected[0] is not None


def test_files_that_are_joined_keep_texts(source, long_from):
    for name, place in (("q", 1), ("r", 2)):
        lines = [f"{i},{row[0]},{row[place]}\n" for i, row in enumerate(ROWS)]
        source.write(f"{name}.csv", f"id,truth,{'-ab'[place]}\n" + "".join(lines))

    def joined():
        (made,), _ = source.predictions("q.csv", "r.csv", models=(A, B), id="id")
        return made.sha256, made.source_columns

    expected = joined()
    long_from(0)
    assert joined() == expected


@pytest.mark.parametrize(
    ("last", "dtype"), [(127, pl.Int8), (128, pl.Int16), (2**31 - 1, pl.Int32), (2**31, pl.Int64)]
)
@pytest.mark.parametrize("sample", [8, fast_csv.SAMPLE])
def test_whole_numbers_take_as_few_bytes_as_the_largest_of_any_piece_needs(
    source, monkeypatch, last, dtype, sample
):
    monkeypatch.setattr(fast_csv, "PIECE", 12)
    monkeypatch.setattr(fast_csv, "SAMPLE", sample)
    monkeypatch.setattr(fast_csv, "SAMPLE_LINES", 2)
    numbers = [*range(20), last, *range(20, 30)]
    source.write("p.csv", "id,n\n" + "".join(f"{n},{n}\n" for n in numbers))
    frame = read_file("p.csv", source.folder, Findings({}), short=frozenset({"id"}))
    assert [frame.cells[name].dtype for name in ("id", "n")] == [dtype, pl.Int64]
    assert frame.cells["id"].to_list() == frame.cells["n"].to_list() == numbers


def test_a_label_of_many_digits_is_no_fault(source):
    source.write("p.csv", f"id,n\n{'9' * 5000},1\n2,3\n")
    frame = read_file("p.csv", source.folder, Findings({}), short=frozenset({"id"}))
    assert frame.texts("id").to_list() == ["9" * 5000, "2"]


def test_labels_of_several_long_files_are_categories(source, long_from, monkeypatch):
    models = tuple(GivenModel(m, m, column=m, path=f"{m}.csv") for m in "ab")
    for place, model in enumerate("ab"):
        lines = [f"{i},{row[0]},{row[1 + place]}" for i, row in enumerate(ROWS)]
        ordered = lines if model == "a" else lines[::-1]
        source.write(f"{model}.csv", "\n".join([f"id,truth,{model}", *ordered]) + "\n")

    def read():
        held = []
        side_by_side = prediction_files._side_by_side

        def noted(parts, *rest):
            held.extend(part.cells["truth"].dtype for part in parts.values())
            return side_by_side(parts, *rest)

        with monkeypatch.context() as patch:
            patch.setattr(prediction_files, "_side_by_side", noted)
            (made,), found = source.predictions("a.csv", "b.csv", models=models, id="id")
        labels = {name: codes.tolist() for name, codes in made.predictions.items()}
        return held, (made.classes, made.truth.tolist(), labels, made.sha256, made.notes, found)

    texts, expected = read()
    long_from(1)
    categories, found = read()
    assert texts == [pl.String] * 2
    assert all(isinstance(dtype, pl.Enum) for dtype in categories)
    assert found == expected
    assert expected[2] == {
        "a": [row[1] == "yes" for row in ROWS],
        "b": [row[2] == "yes" for row in ROWS],
    }


FLOATS = {
    "whole": [(0.0, 1.0, 0.0), (1.0, 1.0, 0.0)] * 6,
    "one is missing": [(0.0, 1.0, 0.0), (1.0, None, 0.0)] * 6,
    "one is not a number": [(0.0, 1.0, float("nan")), (1.0, 1.0, 0.0)] * 6,
    "one is infinite": [(0.0, 1.0, float("inf")), (1.0, 1.0, 0.0)] * 6,
    "an infinite truth": [(float("inf"), 1.0, 1.0), (1.0, 1.0, 0.0)] * 6,
    "two zeros": [(0.0, -0.0, 0.0), (1.0, 1.0, 0.0)] * 6,
    "fractions": [(0.5, 0.5, 0.25), (1.0, 1.0, 0.5)] * 6,
    "another label": [(0.0, 2.0, 0.0), (1.0, 1.0, 0.0)] * 6,
    "none": [(0.0, None, 0.0), (1.0, None, 0.0)] * 6,
}


@for_each("table", FLOATS)
@for_each("dtype", [pl.Float64, pl.Float32])
def test_floats_of_a_long_parquet_file_mean_the_same(source, long_from, table, dtype):
    check_a_long_parquet_file(source, long_from, FLOATS[table], dtype)
