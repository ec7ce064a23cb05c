"""A plan states what the store has, why it lacks the rest, and how long that took before."""

import json
from collections import Counter
from statistics import median

import pytest
from click.testing import CliRunner
from sklearn.naive_bayes import GaussianNB
from studies import study

from evallang.api import parse, run
from evallang.cli.main import root
from evallang.cli.plan import _graph
from evallang.engine import last_plan
from evallang.engine.store import Store

TEXT = (
    'evallang 1\nstudy "Planned"\n  seed 4\ndata iris from sklearn iris\n'
    "model bayes = GaussianNB\nmodel knn = KNeighborsClassifier(n_neighbors=3)\n"
    "protocol cv folds=3\nmeasure accuracy\n"
)


@pytest.fixture
def kept(tmp_path):
    """Return a store that has every fit of the study."""
    run(study(TEXT, tmp_path), store=tmp_path / "store")
    return tmp_path / "store"


def reasons(plan):
    return {task.model: task.stale_because for task in plan.tasks if task.kind == "fit"}


def test_a_plan_of_a_study_that_was_run_has_nothing_to_fit(tmp_path, kept):
    plan = study(TEXT, tmp_path).plan(kept)
    assert (plan.n_fits, plan.n_cached, plan.seconds) == (6, 6, 0.0)
    assert all(task.cached for task in plan.tasks if task.kind == "fit")
    assert not any(task.cached for task in plan.tasks if task.kind != "fit")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("=3)", "=4)", {"bayes": None, "knn": "the classes or parameters of knn changed"}),
        ("seed 4", "seed 5", dict.fromkeys(("bayes", "knn"), "the seed changed (4 -> 5)")),
        (
            "iris\nmodel b",
            "iris\n  where target != setosa\nmodel b",
            dict.fromkeys(("bayes", "knn"), "the data or their description in the study changed"),
        ),
        ("seed 4", "seed 4\n  alpha 0.01", {"bayes": None, "knn": None}),
        ("model knn", "model new", {"bayes": None, "new": None}),
    ],
    ids=["parameter", "seed", "data", "level", "name"],
)
def test_a_plan_states_why_a_fit_is_not_in_the_store(tmp_path, kept, old, new, expected):
    plan = study(TEXT.replace(old, new), tmp_path).plan(kept)
    assert reasons(plan) == expected
    lacking = sum(task.n_fits for task in plan.tasks if task.kind == "fit" and not task.cached)
    assert plan.n_fits - plan.n_cached == lacking
    assert (plan.seconds == 0) == (lacking == 0)


FURTHER = """\
evallang 1
study
  seed 4
data rows from "rows.csv"
  target y
  threshold linear = 0.4
model linear = StandardScaler | LogisticRegression
model tree = DecisionTreeClassifier(max_depth in [1, 2])
protocol p = split by fold
tune cv=2
measure accuracy
analyze learning_curve(fractions=[1/2, 1], repeats=2) of linear
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("linear = 0.4", "linear = 0.3", {"the threshold of linear changed": 8 + 4}),
        ("model tree", "model third = DecisionTreeClassifier(max_depth in [1, 2])\nmodel tree", {}),
        ("cv=2", "cv=3", {"the inner folds changed": 4 * 7}),
        ("repeats=2", "repeats=3", {"the last run had no such fit": 4}),
        ("[1/2, 1]", "[1/4, 1]", {"the training parts changed": 8}),
        ("by fold", "by fold seeds=2", {"the last run had no such fit": 4 * 6}),
    ],
)
def test_a_plan_states_no_more_than_what_has_changed(tmp_path, old, new, expected):
    lines = (f"{i % 7},{i % 3},{'ab'[i % 2]},{i % 4}\n" for i in range(80))
    (tmp_path / "rows.csv").write_text("a,b,y,fold\n" + "".join(lines))
    run(study(FURTHER, tmp_path), store=tmp_path / "store")
    plan = study(FURTHER.replace(old, new), tmp_path).plan(tmp_path / "store")
    found = Counter()
    for task in plan.tasks:
        if task.kind == "fit" and not task.cached:
            found[task.stale_because] += task.n_fits
    assert found == expected
    assert plan.n_fits == plan.n_cached + found.total()


def test_the_text_of_a_plan_accounts_for_every_fit(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["plan", "study.eval", "--store", str(tmp_path / "store")]

    def said(text):
        (tmp_path / "study.eval").write_text(text + 'export knn to "knn.skops"\n')
        done = CliRunner().invoke(root, words, catch_exceptions=False)
        return [line.strip() for line in done.stdout.partition("\nWork\n")[2].splitlines()]

    assert said(TEXT)[0] == "7 fits"
    run(study(TEXT, tmp_path), store=tmp_path / "store")
    found = said(TEXT.replace("=3)", "=4)") + "model new = LinearSVC\n")
    assert found[:5] == [
        "10 fits",
        "3 of them in the store",
        "3 fits to do: the classes or parameters of knn changed",
        "3 more fits to do",
        "1 fit for exports, as in every run",
    ]


def test_a_deleted_entry_is_told_from_a_changed_one(tmp_path, kept):
    for entry in kept.glob("??/*"):
        entry.unlink()
    found = set(reasons(study(TEXT, tmp_path).plan(kept)).values())
    assert found == {"their outcomes are no longer in the store"}


def test_times_come_from_fits_of_the_same_classes_and_a_similar_size(tmp_path, kept):
    def seconds(text):
        return study(text, tmp_path).plan(kept).seconds

    (plan,) = last_plan._latest(Store(kept, 1))
    known = [f.seconds for f in plan.fits if plan.shared[f.shared][1] == "KNeighborsClassifier"]
    other = TEXT.replace("n_neighbors=3", "n_neighbors=4")
    assert seconds(other) == pytest.approx(3 * median(known), abs=1e-3)
    assert seconds(other.replace("KNeighborsClassifier(n_neighbors=4)", "LinearSVC")) is None
    larger = other.replace("sklearn iris", "sklearn breast_cancer")  # 29 times the values
    assert seconds(larger) is None


def test_a_damaged_record_of_past_runs_is_no_record(tmp_path, kept):
    (record,) = (kept / "studies").iterdir()
    for content in (b"", b"[1]", record.read_bytes()[:-9], b'{"format": 1, "facts": 3}'):
        record.write_bytes(content)
        plan = study(TEXT.replace("seed 4", "seed 5"), tmp_path).plan(kept)
        assert (plan.n_cached, plan.seconds) == (0, None)


def test_graphs_escape_the_names_of_data_sets():
    name = 'a "b" <i>\\\n#1;'
    task = {"kind": "fit", "data": name, "protocol": "cv", "model": "m", "key": "k",
            "needs": [], "cached": True, "n_fits": 1}  # fmt: skip
    _, mermaid = _graph([task], "mermaid")
    assert mermaid == ('  n0["fit a #34;b#34; #60;i#62;#92; #35;1#59; cv m (in the store)"]')
    dot = _graph([task], "dot")[3]
    assert dot == '  n0 [label="fit a \\"b\\" <i>\\\\ #1; cv m (in the store)"];'


def test_a_plan_states_that_a_store_is_refused(tmp_path):
    (tmp_path / "all").mkdir()
    (tmp_path / "all").chmod(0o777)
    (tmp_path / "study.eval").write_text(TEXT)
    words = ["plan", str(tmp_path / "study.eval"), "--store", str(tmp_path / "all")]
    done = CliRunner().invoke(root, words, catch_exceptions=False)
    assert "other users can write to the store" in done.stderr.splitlines()[-1]
    (note,) = study(TEXT, tmp_path).plan(tmp_path / "all").notes
    assert done.stderr.splitlines()[-1] == note


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"tuning": "another"}, "the search changed"),
        ({"code": {"own": "another"}}, "own code or a package that it imports changed"),
        ({"versions": {"processor": "another"}}, "the kind of processor changed"),
        ({"versions": {}}, "none -> "),
        (
            {"code": {"own": "another"}, "seed": 9},
            "the seed changed (9 -> 4), own code or a package that it imports changed",
        ),
    ],
)
def test_a_plan_compares_what_the_last_fits_were_made_of(tmp_path, kept, facts, reason):
    (record,) = (kept / "studies").iterdir()
    document = json.loads(record.read_bytes())
    for known, _ in document["shared"]:
        changed = (
            {**known["versions"], **facts.get("versions", {})} if facts.get("versions") else {}
        )
        known.update(facts)
        known["versions"] = changed if "versions" in facts else known["versions"]
    record.write_text(json.dumps(document))
    for entry in kept.glob("??/*"):
        entry.unlink()
    found = set(reasons(study(TEXT, tmp_path).plan(kept)).values())
    assert len(found) == 1 and reason in found.pop()


@pytest.mark.parametrize("where", ["store", "off"])
def test_an_interrupted_run_says_how_many_fits_are_kept(tmp_path, where):
    def progress(done, _):
        if done == 4:
            raise KeyboardInterrupt

    store = "off" if where == "off" else tmp_path / where
    with pytest.raises(KeyboardInterrupt) as ending:
        run(study(TEXT, tmp_path), store=store, progress=progress)
    kept = study(TEXT, tmp_path).plan(store).n_cached
    told = f"{kept} of 6 fits are kept for the next run" if kept else ""
    assert str(ending.value) == told
    assert (kept or 0) == (0 if where == "off" else 3)  # the fourth fit's task did not end


def test_an_interrupted_run_counts_no_fit_of_a_class_whose_source_is_unknown(tmp_path):
    class Own(GaussianNB):
        """A class as of a notebook: it may be another in the next run."""

    def progress(done, _):
        if done == 6:
            raise KeyboardInterrupt

    text = TEXT.replace("model knn = KNeighborsClassifier(n_neighbors=3)\n", "").replace(
        "measure accuracy\n", "measure accuracy\ncompare bayes vs own with permutation\n"
    )
    parsed = parse(text, models={"own": Own()})
    with pytest.raises(KeyboardInterrupt) as ending:
        run(parsed, store=tmp_path, progress=progress)
    kept = parsed.plan(tmp_path).n_cached
    assert str(ending.value) == f"{kept} of 6 fits are kept for the next run"
    assert 0 < kept <= 3  # of the fits of `bayes` alone
