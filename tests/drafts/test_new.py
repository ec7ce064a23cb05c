"""`evallang new`: a study from a table or from nothing that checks, runs and gives its reasons."""

import datetime
import json
import re

import numpy as np
import polars as pl
import pytest
from calling import call
from many_cases import for_each
from sklearn import datasets

from evallang.api.study_file import check_text
from evallang.data.frame import frame_of
from evallang.diagnostics import CODES, Severity
from evallang.drafts.columns import Use, guess_columns, positive_class
from evallang.drafts.draft import draft_study
from evallang.drafts.writing import Goal

GOALS = Goal.__args__


def bundled(name):
    found = getattr(datasets, f"load_{name}")()
    columns = {str(f): found.data[:, i] for i, f in enumerate(found.feature_names)}
    return {**columns, "target": found.target}


def numbers(n, seed=0):
    rng = np.random.default_rng(seed)
    return {f"x{i}": rng.normal(size=n) for i in range(4)}


def rare():
    table = numbers(600)
    noise = np.random.default_rng(1).normal(size=600)
    return {**table, "churn": np.where(table["x0"] + noise > 1.9, "yes", "no")}


def groups():
    table = numbers(300)
    outcome = (table["x0"] > 0).astype(int)
    return {**table, "patient_id": np.arange(300) // 4, "outcome": outcome}


def series():
    table = numbers(300)
    days = [str(datetime.date(2020, 1, 1) + datetime.timedelta(i)) for i in range(300)]
    return {**table, "date": days, "y": table["x0"] * 2 + table["x1"]}


def forty():
    table = numbers(40)
    return {**table, "label": np.where(table["x0"] > 0, "a", "b")}


def large():
    table = numbers(100_000)
    return {**table, "target": (table["x0"] > 0.2).astype(int)}


def texts():
    rng = np.random.default_rng(2)
    words = ["good", "bad", "film", "plot", "actor", "long"]
    return {
        **numbers(250),
        "review": [" ".join(rng.choice(words, 12)) for _ in range(250)],
        "city": rng.choice(["a", "b", "c"], 250),
        "label": rng.choice(["pos", "neg"], 250),
    }


def gaps():
    table = numbers(250)
    marked = [f"{value:.3f}" if i % 9 else "?-"[i % 2] for i, value in enumerate(table["x1"])]
    noise = np.random.default_rng(3).normal(size=250)
    return {
        **table, "x1": marked, "const": np.ones(250), "id": np.arange(250),
        "price": 10 + table["x0"] + noise,
    }  # fmt: skip


def odd_names():
    rng = np.random.default_rng(4)
    return {
        'weird "col"': rng.normal(size=100),
        "data": rng.normal(size=100),
        "class": rng.choice(["x y", 'z"q'], 100),
    }


def labels_beside_truth():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 300)
    made = {
        name: np.where(rng.random(300) < p, truth, 1 - truth)
        for name, p in (("a", 0.9), ("b", 0.8))
    }
    scores = {
        f"{name}_p": np.where(column, 0.6, 0.3) + rng.random(300) / 9
        for name, column in made.items()
    }
    return {"id": np.arange(300), "truth": truth, **made, **scores}


def numbers_beside_truth():
    rng = np.random.default_rng(6)
    truth = rng.normal(size=200)
    return {"truth": truth, "pred_ridge": truth + rng.normal(size=200), "pred_tree": truth + 0.1}


def groups_beside_truth():
    rng = np.random.default_rng(7)
    truth = np.where(rng.random(400) < 0.1, "yes", "no")
    wrong = np.where(truth == "no", "yes", "no")
    made = {name: np.where(rng.random(400) < 0.1, wrong, truth) for name in ("my model", "b")}
    return {"patient_id": np.arange(400) // 4, "truth": truth, **made}


def unsorted_days():
    table = series()
    order = np.random.default_rng(8).permutation(300)
    return {name: np.asarray(values)[order] for name, values in table.items()}


def categories():
    rng = np.random.default_rng(9)
    colour, size = rng.choice(["r", "g", "b"], 200), rng.choice(["s", "m", "l"], 200)
    gappy = [None if i % 20 == 0 else value for i, value in enumerate(size)]
    return {"colour": colour, "size": gappy, "empty": [None] * 200, "label": colour == "r"}


def classes_over_time():
    table = series()
    return {**table, "y": np.where(table["y"] > 0, "up", "down")}


def sessions_of_subjects():
    rows = np.arange(240)
    subject = [f"S{i // 6}" for i in rows]
    return {"subject": subject, "session": rows % 6, "x": numbers(240)["x0"],
            "label": np.where(rows // 6 % 2, "case", "control")}  # fmt: skip


def parts_of_a_date():
    """Hours, months and years of a model: they order no rows."""
    rng = np.random.default_rng(5)
    months = ["jan", "feb", "mar", "apr", "may", "jun"]
    return {
        "hour": rng.integers(0, 24, 240), "year": rng.integers(1990, 2015, 240),
        "month": rng.choice(months, 240), "x": rng.normal(size=240),
        "born": [f"19{50 + i % 40}-0{1 + i % 9}-11" for i in range(240)],
        "label": np.where(rng.random(240) < 0.4, "case", "control"),
    }  # fmt: skip


TABLES = {
    "iris": (lambda: bundled("iris"), None, ["repeated cv", "accuracy, balanced_accuracy"]),
    "wine": (lambda: bundled("wine"), None, ["repeated cv"]),
    "breast cancer": (lambda: bundled("breast_cancer"), None, ["positive", "roc_auc"]),
    "diabetes": (lambda: bundled("diabetes"), None, ["Ridge", "stratify none", "mae"]),
    "rare class": (rare, None, ['positive "yes"', "balanced_accuracy, roc_auc"]),
    "groups": (groups, None, ["group by patient_id"]),
    "series": (series, None, ["time_series", "diebold_mariano", "all except date"]),
    "classes over time": (
        classes_over_time,
        "y",
        ["measure accuracy, roc_auc, brier", "with diebold_mariano by brier"],
    ),
    "sessions": (
        sessions_of_subjects,
        None,
        ["group by subject", "# Not `session`: its values recur in every `subject`"],
    ),
    "forty rows": (forty, None, ["times=10"]),
    "100,000 rows": (large, None, ["holdout", "mcnemar", "HistGradientBoosting"]),
    "text": (texts, None, ["review: TfidfVectorizer", "[city]: OneHotEncoder"]),
    "gaps": (gaps, None, ['missing "-", "?"', "SimpleImputer", "id id", "all except const"]),
    "odd names": (odd_names, None, ["target class", "positive "]),
    "labels": (labels_beside_truth, None, ["models a, b", 'score a = "a_p"', "mcnemar"]),
    "values": (numbers_beside_truth, None, ["models pred_ridge, pred_tree", "measure mae"]),
    "groups of labels": (
        groups_beside_truth,
        None,
        ['m1 "my model" as "my model"', "group patient_id", "balanced_accuracy"],
    ),
    "unsorted days": (unsorted_days, None, ["# Sort the rows of the file by `date` first"]),
    "parts of a date": (parts_of_a_date, None, ["repeated cv", "all except born\n"]),
    "dates by another name": (
        lambda: {("seen" if k == "date" else k): v for k, v in series().items()},
        "y",
        ["time_series", "all except seen"],
    ),
    "categories": (
        categories,
        "label",
        ["SimpleImputer(strategy=most_frequent) | OneHotEncoder", "all except empty"],
    ),
}


def drafted(folder, name, goal="compare"):
    made, target, _ = TABLES[name]
    source = folder / "table.csv"
    if not source.exists():
        pl.DataFrame(made(), strict=False).write_csv(source)
    return draft_study(folder / "study.eval", source, target, goal)


@pytest.mark.parametrize("name", TABLES)
def test_a_study_of_every_kind_of_table_checks(tmp_path, name):
    for goal in GOALS if name != "100,000 rows" else GOALS[:1]:
        draft = drafted(tmp_path, name, goal)
        errors = [d for d in draft.diagnostics if d.severity is Severity.ERROR]
        assert errors == [], goal
        lines = draft.text.splitlines()
        for one in draft.diagnostics:
            if one.severity is Severity.WARNING:
                assert any(line.strip().startswith(f"# {one.code}: ") for line in lines)
                reason = CODES[one.code].words.reason.split(maxsplit=3)[:3]
                assert " ".join(reason) in re.sub(r"\n *# ", " ", draft.text)
        if goal == "compare":
            for part in TABLES[name][2]:
                assert part in draft.text, part
        assert max(map(len, lines)) <= 100
        statements = [i for i, line in enumerate(lines) if line.startswith(("model", "protocol"))]
        assert all(lines[i - 1].startswith("# ") for i in statements if "models" not in lines[i])


def test_the_text_is_in_the_canonical_format(tmp_path):
    (tmp_path / "study.eval").write_text(drafted(tmp_path, "gaps").text)
    done = call("fmt", "--check", "study.eval", folder=tmp_path)
    assert done.returncode == 0, done.stderr


def fewer_fits(text):
    """Repeat cross-validation once, with small forests: what is tried is that every step fits."""
    text = re.sub(r"times=(4|10)", "times=1", text)
    return re.sub(r"(RandomForest\w+)$", r"\1(n_estimators=5)", text, flags=re.MULTILINE)


LIKE_OTHERS = {
    "iris", "breast cancer", "forty rows", "100,000 rows", "sessions", "unsorted days",
    "parts of a date", "dates by another name", "groups of labels",
}  # fmt: skip
"""Tables whose studies have the steps and tests of others."""


@pytest.mark.parametrize("name", [name for name in TABLES if name not in LIKE_OTHERS])
def test_the_study_runs(tmp_path, name):
    made, target, _ = TABLES[name]
    table = pl.DataFrame(made(), strict=False)
    table.write_csv(tmp_path / "table.csv")
    words = ("--target", target) if target else ()
    made = call("new", "--from", "table.csv", *words, folder=tmp_path)
    assert (made.returncode, made.stdout) == (0, "")
    assert "wrote study.eval; `evallang run study.eval` runs it" in made.stderr
    study = tmp_path / "study.eval"
    study.write_text(fewer_fits(study.read_text()))
    done = call("run", "study.eval", "--format", "html", "--no-look", "-j", "1", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "study-results" / "results.json").read_text())
    assert results["failures"] == [] and results["estimates"] and results["comparisons"]
    assert all(entry["value"] is not None for entry in results["estimates"])


@pytest.mark.parametrize("ending", ["parquet", "jsonl", "tsv"])
def test_other_files_give_the_same_study(tmp_path, ending):
    table = pl.DataFrame(TABLES["groups"][0]())
    table.write_csv(tmp_path / "table.csv")
    write = {"parquet": table.write_parquet, "jsonl": table.write_ndjson}
    write.get(ending, lambda path: table.write_csv(path, separator="\t"))(
        tmp_path / f"table.{ending}"
    )
    made = [
        draft_study(tmp_path / "study.eval", tmp_path / name, None, "compare").text
        for name in ("table.csv", f"table.{ending}")
    ]
    assert made[0] == made[1].replace(f"table.{ending}", "table.csv")


def test_from_nothing_a_study_of_bundled_data_checks(tmp_path):
    done = call("new", "-", folder=tmp_path)
    assert done.returncode == 0 and not list(tmp_path.iterdir())
    found = check_text(done.stdout, "study.eval", tmp_path).diagnostics
    assert [d for d in found if d.severity is not Severity.HINT] == []


def test_rows_without_a_target_are_excluded_and_no_class(tmp_path):
    """Write the table of a classification with R's NA among the labels; see case 06."""
    rows = [f"{i / 7},{'NA' if i % 8 == 0 else 'yes' if i % 3 else 'no'}\n" for i in range(120)]
    (tmp_path / "na.csv").write_text("x,y\n" + "".join(rows))
    made = draft_study(tmp_path / "study.eval", tmp_path / "na.csv", None, "compare").text
    assert "  target y\n" in made and "  where y is not missing\n" in made
    assert "2 values, missing in 15 rows" in made
    found = check_text(made, "study.eval", tmp_path).diagnostics
    assert [d for d in found if d.severity is Severity.ERROR] == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--from", "none.csv"), "there is no file `none.csv`"),
        (("--from", "folder"), "has no log or table"),
        (("--from", "two.csv"), "which column is to be predicted? `colour`, `size`"),
        (("--from", "last.csv"), "which column is to be predicted? `colour`, `size`, `rent`"),
        (("--from", "two.csv", "--target", "colou"), "did you mean `colour`?"),
        (("--from", "two.csv", "--target", "name"), "too many for classes"),
        (("--from", "two.csv", "--target", "same"), "`same` has one value"),
        (("--from", "names.csv"), "no column of `names.csv` looks like a target"),
        (("--from", "one.csv"), "no column to learn `target` from"),
        (("--from", "left.csv"), "from: `name` is skipped, as it has 60 different names; `same`"),
        (("--target", "x"), "name the file with --from"),
    ],
)
def test_what_cannot_be_guessed_is_asked_for(tmp_path, words, told):
    (tmp_path / "folder").mkdir()
    (tmp_path / "one.csv").write_text("target\n" + "1\n2\n" * 20)
    rng = np.random.default_rng(0)
    table = {
        "colour": rng.choice(["r", "g"], 60), "size": rng.choice(["s", "m"], 60),
        "name": [f"n{i}" for i in range(60)], "gap": [None, *rng.normal(size=59)],
        "same": ["a"] * 60,
    }  # fmt: skip
    pl.DataFrame(table).write_csv(tmp_path / "two.csv")
    rent = {"rent": rng.normal(size=60)}
    pl.DataFrame({**table, **rent}).write_csv(tmp_path / "last.csv")
    pl.DataFrame(table).select("name", "same").write_csv(tmp_path / "names.csv")
    left = pl.DataFrame(table).select("name", "same", target="colour")
    left.write_csv(tmp_path / "left.csv")
    done = call("new", *words, folder=tmp_path)
    assert done.returncode in (1, 2)
    assert told in done.stderr.replace("\n", " ")
    assert not (tmp_path / "study.eval").exists()


def test_a_file_is_replaced_only_by_force(tmp_path):
    (tmp_path / "study.eval").write_text("mine")
    done = call("new", folder=tmp_path)
    assert done.returncode == 2 and "--force" in done.stderr
    assert (tmp_path / "study.eval").read_text() == "mine"
    assert call("new", "--force", folder=tmp_path).returncode == 0
    assert (tmp_path / "study.eval").read_text().startswith("evallang 1\n")


@for_each(
    ("name", "values", "use"),
    [
        ("user_id", list(range(60)), Use.ID),
        ("notes", [["a"], ["b", "c"]] * 30, Use.OMITTED),
        ("user_id", [i // 3 for i in range(60)], Use.GROUP),
        ("timestamp", ["2020-01-01", "2020-01-02"] * 30, Use.TIME),
        ("fold", [0, 1, 2] * 20, Use.OMITTED),
        ("seed", [1] * 60, Use.OMITTED),
        ("colour", ["r", "g", "b"] * 20, Use.FEATURE),
        ("age", [20.5 + i for i in range(60)], Use.FEATURE),
        ("name", [f"Ann Lee {i}" for i in range(60)], Use.OMITTED),
        ("text", [f"not so bad {i}" for i in range(60)], Use.TEXT),
    ],
)
def test_a_column_is_used_as_its_name_and_values_tell(name, values, use):
    cells = pl.DataFrame({name: values})
    if name == "timestamp":
        cells = cells.with_columns(pl.col(name).str.to_date())
    (column,) = guess_columns(frame_of("table.csv", cells, untyped=False))
    assert column.use is use


@pytest.mark.parametrize(
    ("common", "rare", "positive", "why"),
    [
        ("no", "yes", "yes", "The class that is looked for, 20 of 60 rows"),
        ("yes", "no", "yes", "The class that is looked for, 40 of 60 rows"),
        (1, 0, "1", "The class that is looked for, 40 of 60 rows"),
        ("ham", "spam", "spam", "The rarer class, 20 of 60 rows"),
        ("yes", "y", "y", "The rarer class, 20 of 60 rows"),
    ],
)
def test_the_positive_class_is_the_affirmed_one_or_the_rarer(common, rare, positive, why):
    cells = pl.DataFrame({"target": [common, common, rare] * 20})
    (column,) = guess_columns(frame_of("table.csv", cells, untyped=False))
    label, words = positive_class(column)
    assert label == positive
    assert words.startswith(why)
