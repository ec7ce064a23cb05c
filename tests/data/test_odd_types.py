"""Columns of unusual Parquet types in every role: they work, or a finding says what to do."""

import datetime as dt
from decimal import Decimal

import polars as pl
import pytest
from studies import study

from evallang.api import run
from evallang.api.checked_file import StudyError
from evallang.api.running import RunFailed

N = 60
MOMENT = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
COLUMNS = {
    "list": pl.Series([[k, k + 1] for k in range(N)]),
    "array": pl.Series([[k, k + 1] for k in range(N)], dtype=pl.Array(pl.Int64, 2)),
    "struct": pl.Series([{"a": k, "b": "x"} for k in range(N)]),
    "categorical": pl.Series([str(k % 2) for k in range(N)], dtype=pl.Categorical),
    "enum": pl.Series(["uv"[k % 2] for k in range(N)], dtype=pl.Enum(["u", "v"])),
    "gaps": pl.Series([None if k % 3 == 0 else "1" for k in range(N)], dtype=pl.Categorical),
    "time": pl.Series([dt.time(k % 24, k) for k in range(N)]),
    "null": pl.Series([None] * N),
    "uint64": pl.Series([2**64 - 1 - k % 2 for k in range(N)], dtype=pl.UInt64),
    "int128": pl.Series([2**70 + k % 2 for k in range(N)], dtype=pl.Int128),
    "decimal": pl.Series([Decimal(k % 2) + Decimal("0.1") for k in range(N)]),
    "duration": pl.Series([dt.timedelta(seconds=k % 3) for k in range(N)]),
    "moment": pl.Series([MOMENT + dt.timedelta(days=k) for k in range(N)]),
    "binary": pl.Series([bytes([k % 2, 255]) for k in range(N)]),
    "text": pl.Series(["\0" if k % 2 else "a\n\x1b[2K" for k in range(N)]),
    "nan": pl.Series([float("nan") if k % 3 else float("inf") for k in range(N)]),
}
HEAD = 'evallang 1\nstudy "s"\n  seed 1\n'
FITTED = "model a = GaussianNB\nprotocol cv folds=2\nmeasure accuracy\n"
REGRESSED = "  task regression\nmodel a = LinearRegression\nprotocol cv folds=2\nmeasure mae\n"
GIVEN = "  models m as q, n as r\n"
DATA = 'data d from "d.parquet"\n'
PREDICTIONS = 'predictions p from "d.parquet"\n'
ROLES = {
    "feature": f"{DATA}  target y\n{FITTED}",
    "target": f"{DATA}  target x\n{FITTED}",
    "number": f"{DATA}  target x\n{REGRESSED}",
    "id": f"{DATA}  target y\n  id x\n{FITTED}",
    "group": f"{DATA}  target y\n  group x\n{FITTED}",
    "weight": f"{DATA}  target y\n  weight x\n{FITTED}",
    "where": f"{DATA}  target y\n  where x > 1\n{FITTED}",
    "truth": f"{PREDICTIONS}  truth x\n{GIVEN}measure accuracy\n",
    "prediction": f"{PREDICTIONS}  truth y\n  models m as x, n as r\nmeasure accuracy\n",
    "unit": f"{PREDICTIONS}  truth y\n  id x\n{GIVEN}measure accuracy\n",
    "cluster": f"{PREDICTIONS}  truth y\n  group x\n{GIVEN}measure accuracy\n",
    "score": f'{PREDICTIONS}  truth y\n{GIVEN}  positive 1\n  score m = "x"\n  score n = "s"\n'
    "measure roc_auc\n",
    "table": 'scores t from "d.parquet"\n  dataset name\n  models m as x, n as s\n  metric "AUC"\n'
    "compare across data with wilcoxon\n",
}
OTHERS = pl.DataFrame(
    {
        "y": [k // 2 % 2 for k in range(N)],
        "q": [int(k % 5 > 2) for k in range(N)],
        "r": [k // 3 % 2 for k in range(N)],
        "s": [k % 7 / 7 for k in range(N)],
    }
)


def outcome(text, folder):
    """Run a study; its results, or the codes of the errors that it was refused for."""
    try:
        return run(study(HEAD + text, folder)).record
    except StudyError as error:
        return [d.code for d in error.diagnostics if d.severity == "error"]
    except RunFailed as error:
        return [failure.error for failure in error.results.record.failures]


@pytest.mark.parametrize("kind", COLUMNS)
def test_every_type_in_every_role_works_or_is_refused(kind, tmp_path):
    for role, text in ROLES.items():
        columns = OTHERS.with_columns(x=COLUMNS[kind])
        if role == "table":
            columns = columns.with_columns(name=pl.Series([f"set {k}" for k in range(N)]))
        columns.write_parquet(tmp_path / "d.parquet")
        found = outcome(text, tmp_path)
        assert found != [], role


def truths(dtype, low):
    return pl.Series([low + k % 2 for k in range(N)], dtype=dtype)


@pytest.mark.parametrize(
    ("dtype", "low"), [(pl.UInt64, 2**64 - 2), (pl.Int128, 2**70), (pl.Int64, 2**62)]
)
def test_labels_that_are_large_numbers_are_told_apart(dtype, low, tmp_path):
    right = truths(dtype, low)
    wrong = pl.Series([low + (k + (k < 15)) % 2 for k in range(N)], dtype=dtype)
    pl.DataFrame({"t": right, "m": right, "n": wrong}).write_parquet(tmp_path / "d.parquet")
    text = f"{PREDICTIONS}  truth t\n  models m, n\nmeasure accuracy\n"
    record = outcome(text, tmp_path)
    assert {e.model: e.value for e in record.estimates} == {"m": 1.0, "n": 0.75}


@pytest.mark.parametrize(
    "name", ["", "a\nb", "\x1b[2K", "a\0b", "a\u202eb", " ", "\n::error::x", '"', "`", "\\", "#"]
)
def test_columns_of_hostile_names_are_features(name, tmp_path):
    columns = OTHERS.select("y", "s").rename({"s": name})
    columns.write_parquet(tmp_path / "d.parquet")
    record = outcome(f"{DATA}  target y\n{FITTED}", tmp_path)
    if not isinstance(record, list):
        assert record.data[0].n_features == 1
    assert record != []


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("list", "lists"),
        ("array", "lists"),
        ("struct", "objects"),
        ("duration", "durations"),
        ("time", "times of day"),
    ],
)
@pytest.mark.parametrize(("role", "code"), [("feature", "E429"), ("prediction", "E447")])
def test_a_column_that_cannot_be_used_is_called_by_its_type(kind, words, role, code, tmp_path):
    regression = REGRESSED.replace("model a = LinearRegression\nprotocol cv folds=2\n", "")
    text = {
        "feature": ROLES["feature"],
        "prediction": f"{PREDICTIONS}  truth y\n  models m as x, n as r\n{regression}",
    }[role]
    OTHERS.with_columns(x=COLUMNS[kind]).write_parquet(tmp_path / "d.parquet")
    with pytest.raises(StudyError) as refused:
        run(study(HEAD + text, tmp_path))
    (found,) = (d for d in refused.value.diagnostics if d.code == code)
    assert f"contains {words}" in found.message
