"""Files of parts: found in their order, read as one table, refused where they differ."""

from pathlib import Path

import pytest

import evallang as ev
from evallang.data.path_patterns import path_pattern
from evallang.limits import limits

STUDY = (
    'evallang 1\n\nstudy\n  seed 1\n\npredictions p from "{}"\n  truth truth\n  models a\n'
    "measure accuracy\n"
)


def study(folder: Path, pattern: str, text: str = STUDY) -> Path:
    place = folder / "study.eval"
    place.write_text(text.replace("{}", pattern, 1))
    return place


def write(folder: Path, **parts: str) -> None:
    for name, rows in parts.items():
        (folder / f"{name.replace('_', '-')}.csv").write_text(f"truth,a\n{rows}")


def refused(place: Path) -> str:
    with pytest.raises(ev.StudyError) as caught:
        ev.run(place)
    return " ".join(f"{d.code} {d.message} {d.help}" for d in caught.value.diagnostics)


def test_parts_are_in_the_order_of_their_numbers_or_of_their_letters() -> None:
    pattern = path_pattern("p/{part}.csv")
    paths = ["p/10.csv", "p/9.csv", "p/1.csv"]
    assert [path for _, path in pattern.matches(paths)] == ["p/1.csv", "p/9.csv", "p/10.csv"]
    paths = ["p/b.csv", "p/10.csv", "p/9.csv"]
    assert [words["part"] for words, _ in pattern.matches(paths)] == ["10", "9", "b"]


@pytest.mark.parametrize(
    ("written", "plain"), [("a{{b}}.csv", "a{b}.csv"), ("a.csv", "a.csv"), ("{{{{.csv", "{{.csv")]
)
def test_two_braces_are_one_literal_brace(written: str, plain: str) -> None:
    pattern = path_pattern(written)
    assert not pattern.words
    assert pattern.plain == plain


def test_signs_of_patterns_in_a_name_are_signs_of_the_name() -> None:
    pattern = path_pattern("a[1]*{part}.csv")
    assert pattern.glob == "a[[]1][*]*.csv"
    assert pattern.matches(["a[1]*x.csv", "a1x.csv"]) == [({"part": "x"}, "a[1]*x.csv")]


def test_a_part_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "p" / "q").mkdir(parents=True)
    (tmp_path / "p" / "q" / "1.csv").write_text("truth,a\n1,1\n0,0\n")
    assert "E401" in refused(study(tmp_path, "p/{part}.csv"))


def test_a_literal_brace_names_one_file(tmp_path: Path) -> None:
    (tmp_path / "a{b}.csv").write_text("truth,a\n1,1\n0,0\n")
    found = ev.run(study(tmp_path, "a{{b}}.csv")).record
    assert found.data[0].n == 2
    assert found.data[0].source == "a{b}.csv"


def test_a_label_that_is_text_in_one_part_makes_all_labels_text(tmp_path: Path) -> None:
    # One file of these rows has the labels 01, 1 and x, as text
    write(tmp_path, p_1="1,1\n1,x\n", p_2="x,x\n01,1\n")
    write(tmp_path, whole="1,1\n1,x\nx,x\n01,1\n")
    parts, whole = (ev.run(study(tmp_path, name)).record for name in ("p-{part}.csv", "whole.csv"))
    assert parts.data[0].class_counts == whole.data[0].class_counts == {"01": 1, "1": 2, "x": 1}
    assert parts.estimates == whole.estimates


def test_a_part_of_which_where_keeps_no_row_counts_nothing(tmp_path: Path) -> None:
    write(tmp_path, p_1="1,1\n1,0\n", p_2="0,0\n0,1\n0,0\n")
    text = STUDY.replace("  models a\n", "  models a\n  where a = 0\n")
    text = text.replace("truth truth", "truth truth\n  task classification")
    write(tmp_path, p_3="1,1\n")
    found = ev.run(study(tmp_path, "p-{part}.csv", text)).record
    assert found.data[0].n == 3
    assert [excluded.n for excluded in found.data[0].excluded] == [3]


def test_an_id_that_occurs_in_two_parts_is_found(tmp_path: Path) -> None:
    for part, first in ((1, 1), (2, 3)):
        rows = "".join(f"{i},{i % 2},1\n" for i in range(first, first + 3))
        (tmp_path / f"p-{part}.csv").write_text(f"n,truth,a\n{rows}")
    text = STUDY.replace("  truth truth", "  id n\n  truth truth")
    found = refused(study(tmp_path, "p-{part}.csv", text))
    assert "`n` names more than one row" in found
    assert "row 1 (line 2) of `p-2.csv`" in found


def test_what_is_wrong_in_a_part_is_placed_in_it(tmp_path: Path) -> None:
    write(tmp_path, p_1="1,1\n0,0\n", p_2="1,1\n0,\n")
    found = refused(study(tmp_path, "p-{part}.csv"))
    assert "row 2 (line 3) of `p-2.csv`" in found


def test_rows_beyond_the_memory_are_refused_with_what_needs_none(tmp_path: Path) -> None:
    for part in range(10):
        rows = "".join(f"{i % 2},{i / 7},{i % 3 // 2}\n" for i in range(500))
        (tmp_path / f"p-{part}.csv").write_text(f"truth,s,a\n{rows}")
    scored = STUDY.replace("  models a\n", "  models a\n  score a = s\n")
    scored = scored.replace("accuracy", "roc_auc")
    with limits(memory=26_000):
        assert "rows are counted" in refused(study(tmp_path, "p-{part}.csv", scored))
        assert ev.run(study(tmp_path, "p-{part}.csv")).record.data[0].n == 5000


def test_whole_numbers_and_shares_of_parts_are_one_column(tmp_path: Path) -> None:
    import polars as pl

    rows = {"a": [1, 0, 1], "b": [1.5, 0.0, 0.5]}
    for name, values in rows.items():
        pl.DataFrame({"truth": values, "m": values}).write_parquet(tmp_path / f"{name}.parquet")
    text = STUDY.replace("models a", "models m").replace("accuracy", "mae")
    record = ev.run(study(tmp_path, "{part}.parquet", text)).record
    assert [(e.n, e.value) for e in record.estimates] == [(6, 0.0)]


def test_small_and_large_whole_numbers_of_parts_are_one_column(tmp_path: Path) -> None:
    import polars as pl

    for name, dtype in {"a": pl.Int8, "b": pl.Int64}.items():
        cells = pl.DataFrame({"truth": [1, 0, 1], "a": [1, 1, 1]}, schema_overrides={"a": dtype})
        cells.write_parquet(tmp_path / f"{name}.parquet")
    text = STUDY + "report html\n"
    record = ev.run(study(tmp_path, "{part}.parquet", text)).record
    assert record.estimates[0].n == 6
    assert record.estimates[0].value == pytest.approx(2 / 3)


def test_numbers_beside_text_in_another_part_keep_their_spelling(tmp_path: Path) -> None:
    write(tmp_path, p_1="1.0,1.0\n2.50,1.0\n", p_2="x,x\n1.0,2.50\n")
    record = ev.run(study(tmp_path, "p-{part}.csv")).record
    assert record.estimates[0].value == 0.5  # of 1.0, 1.0 | 2.50, 1.0 | x, x | 1.0, 2.50


def test_parts_beyond_the_limit_and_names_that_cannot_be_are_refused(tmp_path: Path) -> None:
    write(tmp_path, p_1="x,x\n", p_2="y,y\n")
    with limits(files=1):
        assert "more files than the limit of 1" in refused(study(tmp_path, "p-{part}.csv"))
