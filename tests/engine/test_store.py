"""Outcomes are kept from run to run: no fit twice, none from a damaged or foreign file."""

import io
import os
import random
import stat
import zipfile
from hashlib import sha256

import numpy as np
import pytest
from calling import call
from click.testing import CliRunner
from sklearn.ensemble import BaggingClassifier
from sklearn.naive_bayes import GaussianNB
from studies import study

from evallang.api import read_and_plan, run
from evallang.api.running import RunFailed
from evallang.cli.run import command
from evallang.engine import fits as engine_fits, store as stores
from evallang.engine.fit_outcome import FitOutcome, InnerScores
from evallang.engine.store import open_store
from evallang.engine.store_folder import StoreRefused, store_folder
from evallang.models import fitting
from evallang.results import codec

HEAD = 'evallang 1\nstudy "Kept"\n  seed 4\ndata iris from sklearn iris\n'
TEXT = HEAD + (
    "model bayes = GaussianNB\n"
    "model knn = StandardScaler | KNeighborsClassifier(n_neighbors in [1, 5])\n"
    "protocol nested cv outer=3 inner=2\nmeasure accuracy\n"
)
FITS = 3 * (1 + 5)  # three splits; of the tuned model two candidates in two folds, and the refit


def fits_of(results):
    found = results.record.provenance.fits
    return found.run, found.cached


def without_provenance(results):
    plain = codec.to_plain(results.record)
    del plain["provenance"]
    return plain


@pytest.fixture
def no_fits(monkeypatch):
    """Make every fit an error that ends the run."""

    def refuse(*_, **__):
        raise AssertionError("a pipeline was fitted")

    monkeypatch.setattr(fitting, "fit_candidates", refuse)


def entries(folder):
    return sorted(p for p in folder.glob("??/*") if len(p.name) == 64)


def test_a_second_run_fits_nothing_and_gives_the_same_results(tmp_path, request):
    text = TEXT + "report html\n"
    first = run(study(text), store=tmp_path / "s", out=tmp_path / "one")
    assert fits_of(first) == (FITS, 0)
    request.getfixturevalue("no_fits")
    again = run(study(text), store=tmp_path / "s", out=tmp_path / "two")
    assert fits_of(again) == (0, FITS)
    assert without_provenance(again) == without_provenance(first)
    one, two = ((tmp_path / f / "predictions.parquet").read_bytes() for f in ("one", "two"))
    assert one == two


@pytest.mark.parametrize(
    "changed",
    [
        TEXT + "compare with mcnemar\n",
        TEXT.replace('"Kept"', '"Another title"'),
        TEXT + "report html\n",
        TEXT.replace("measure accuracy", "measure f1(average=macro), accuracy"),
        TEXT.replace("bayes", "plain"),
        TEXT.replace("GaussianNB", "GaussianNB(var_smoothing=1e-9)"),  # its default
    ],
    ids=["compare", "title", "report", "measure", "name", "default"],
)
def test_what_no_fit_depends_on_fits_nothing(tmp_path, changed):
    run(study(TEXT), store=tmp_path)
    made = fits_of(run(study(changed), store=tmp_path))
    if "measure f1" in changed:  # by which candidates are chosen
        assert made == (15, 3)
    else:
        assert made == (0, FITS)


@pytest.mark.parametrize(
    ("changed", "again"),
    [
        (TEXT.replace("GaussianNB", "GaussianNB(var_smoothing=1e-3)"), 3),
        (TEXT.replace("[1, 5]", "[1, 7]"), 15),
        (TEXT.replace("seed 4", "seed 5"), FITS),
        (TEXT.replace("outer=3", "outer=4"), 4 * 6),
        (TEXT + "model more = DummyClassifier\n", 3),
        (TEXT.replace("inner=2", "inner=3"), 3 * (1 + 7)),
        (TEXT.replace("iris\nmodel", "iris\n  where target != setosa\nmodel"), FITS),
    ],
    ids=["parameter", "candidates", "seed", "splits", "model", "inner folds", "data"],
)
def test_what_a_fit_depends_on_is_fitted_again(tmp_path, changed, again):
    run(study(TEXT), store=tmp_path)
    assert fits_of(run(study(changed), store=tmp_path))[0] == again


def test_a_fresh_run_reads_nothing_and_keeps_what_it_fits(tmp_path, request):
    run(study(TEXT), store=tmp_path)
    for entry in entries(tmp_path):
        entry.write_bytes(b"")
    assert fits_of(run(study(TEXT), store=tmp_path, fresh=True)) == (FITS, 0)
    request.getfixturevalue("no_fits")
    assert fits_of(run(study(TEXT), store=tmp_path)) == (0, FITS)


def test_damaged_and_foreign_entries_are_dropped_and_fitted_again(tmp_path):
    first = run(study(TEXT), store=tmp_path)
    one, two, three, four, five, six = entries(tmp_path)
    whole = one.read_bytes()
    one.write_bytes(whole[: len(whole) // 2])
    two.write_bytes(whole)  # of another task
    three.write_bytes(three.read_bytes() + bytes(8))
    outside = tmp_path / "outside"
    outside.write_bytes(four.read_bytes())
    four.unlink()
    four.symlink_to(outside)
    five.unlink()
    os.mkfifo(five)
    six.write_bytes(six.read_bytes().replace(b"PK", b"KP"))
    again = run(study(TEXT), store=tmp_path)
    assert fits_of(again) == (FITS, 0)
    assert without_provenance(again) == without_provenance(first)
    assert all(stat.S_ISREG(entry.lstat().st_mode) for entry in entries(tmp_path))
    assert outside.exists()
    assert fits_of(run(study(TEXT), store=tmp_path)) == (0, FITS)


def planned(text):
    return next(iter(read_and_plan(study(text)).planned.fits.values()))


def outcome_for(task, **changes):
    n = len(task.test)
    facts = {"scores": None, "probabilities": False, "params": {}, "inner_score": None}
    labels = np.arange(n, dtype=np.int64) % 3
    return FitOutcome(**{"labels": labels, "seconds": 0.5, "n_fits": 1, **facts, **changes})


def test_no_changed_byte_of_an_entry_is_read_as_an_outcome(tmp_path):
    task, store = planned(TEXT), open_store(tmp_path / "s")
    scores = np.random.default_rng(1).random((len(task.test), 3))
    assert store.put(task, outcome_for(task, scores=scores, probabilities=True)) is None
    (place,) = entries(tmp_path / "s")
    whole, chance = place.read_bytes(), random.Random(7)
    assert store.get(task, 3) is not None
    for at in (*range(40), *(chance.randrange(len(whole)) for _ in range(60))):
        changed = bytearray(whole)
        changed[at] ^= 1 << chance.randrange(8)
        place.write_bytes(changed)
        assert store.get(task, 3) is None, at
        assert not place.exists()


def test_an_outcome_comes_back_as_it_was(tmp_path):
    text = HEAD + (
        "model m = StandardScaler | SVC(C in 0.1..10 loguniform, kernel in [rbf, linear])\n"
        "protocol nested cv outer=3 inner=2\ntune random 3\nmeasure accuracy\n"
    )
    task, store = planned(text), open_store(tmp_path)
    n = len(task.test)
    made = outcome_for(
        task,
        scores=np.linspace(-1e-300, 1e300, n * 3).reshape(n, 3),
        params=task.candidates[1],
        inner_score=1 / 3,
        seconds=1.25,
        warnings=(("ConvergenceWarning", "naïve \ud800\n" + chr(0), 3),),
        inner_failures=((task.candidates[2], "ValueError", "none"),),
        n_fits=7,
    )
    assert store.put(task, made) is None
    found = store.get(task, 3)
    assert np.array_equal(found.labels, made.labels) and found.labels.dtype == np.int64
    assert np.array_equal(found.scores, made.scores)
    kept = (
        "params",
        "inner_score",
        "seconds",
        "warnings",
        "inner_failures",
        "n_fits",
    )
    for name in kept:
        assert getattr(found, name) == getattr(made, name), name
    assert list(found.params) == list(made.params)


@pytest.mark.parametrize(
    "changes",
    [
        {"labels": np.full(50, 3, dtype=np.int64)},
        {"labels": np.full(50, -1, dtype=np.int64)},
        {"labels": np.zeros(50)},
        {"labels": np.zeros(49, dtype=np.int64)},
        {"scores": np.full((50, 3), np.nan)},
        {"scores": np.zeros((50, 4))},
        {"seconds": float("inf")},
        {"n_fits": 0},
        {"params": {"C": 1.0}},
        {"warnings": (("W", "text", 0),)},
        {"search": InnerScores(({},), np.zeros((9, 9)))},
        {"search": InnerScores(({},), np.zeros((9, 1), dtype=np.int64))},
    ],
)
def test_values_that_the_task_does_not_allow_are_refused(tmp_path, changes, monkeypatch):
    task, store = planned(TEXT), open_store(tmp_path)
    assert len(task.test) == 50
    monkeypatch.setattr(stores, "_coded", lambda _, choice: list(choice.values()))
    assert store.put(task, outcome_for(task, **changes)) is None
    assert len(entries(tmp_path)) == 1
    assert store.get(task, 3) is None


def test_an_entry_that_says_it_is_larger_than_it_is_fills_no_memory(tmp_path):
    task, store = planned(TEXT), open_store(tmp_path)
    store.put(task, outcome_for(task))
    (place,) = entries(tmp_path)
    whole = place.read_bytes()[: -stores.DIGEST]
    packed, many = io.BytesIO(), io.BytesIO()
    np.savez_compressed(packed, **np.load(io.BytesIO(whole)), more=np.zeros(10**8))
    with zipfile.ZipFile(io.BytesIO(whole)) as old, zipfile.ZipFile(many, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"(50,), }      ", b"(5000000,), } "))
    for content in (whole, packed.getvalue(), many.getvalue()):
        place.write_bytes(content + sha256(content).digest())
        assert (store.get(task, 3) is None) == (content is not whole)
    with place.open("wb") as file:
        file.truncate(10**12)  # sparse; reading it would need a terabyte
    assert store.get(task, 3) is None


def test_what_was_not_used_for_longest_goes_first(tmp_path):
    fits = read_and_plan(study(TEXT.replace("outer=3", "outer=6"))).planned.fits
    tasks = [task for task in fits.values() if not task.inner]
    store = open_store(tmp_path)
    for age, task in enumerate(tasks):
        store.put(task, outcome_for(task))
        at = 1_000_000_000 - age
        os.utime(tmp_path / task.key[:2] / task.key, (at, at))
    assert store.get(tasks[-1], 3) is not None  # the oldest, and used just now
    size = store.contents().size
    stores.Store(tmp_path, size // 2).sweep()
    kept = {entry.name for entry in entries(tmp_path)}
    assert tasks[-1].key in kept and tasks[0].key in kept
    assert tasks[-2].key not in kept
    assert store.contents().size <= size // 2


def test_only_the_temporary_file_of_a_living_process_stays(tmp_path):
    store = open_store(tmp_path)
    (tmp_path / "unfinished").mkdir()
    file = tmp_path / "unfinished" / ".evallang-half"
    file.write_bytes(b"half")
    with store._locked(alone=False):  # as whoever writes it
        store.sweep()
        assert file.exists()
    store.sweep()
    assert not file.exists()


def test_failed_fits_are_not_kept_and_candidates_that_fail_by_their_input_are(tmp_path):
    head = HEAD.replace("iris\n", "iris\n  where target in [setosa, versicolor]\n  "
                        'where "sepal length (cm)" > 4.9\n')  # fmt: skip
    bad = head + "model bad = NuSVC(nu=1)\nprotocol cv folds=3\nmeasure accuracy\n"
    for _ in range(2):
        with pytest.raises(RunFailed) as caught:
            run(study(bad), store=tmp_path)
        assert fits_of(caught.value.results) == (3, 0)
    tuned = head + (
        "model svm = NuSVC(nu in [1, 0.2])\nprotocol nested cv outer=3 inner=3\nmeasure accuracy\n"
    )
    first = run(study(tuned), store=tmp_path)
    again = run(study(tuned), store=tmp_path)
    assert fits_of(again)[0] == 0
    assert without_provenance(again) == without_provenance(first)
    assert first.record.failures


def test_an_outcome_without_a_candidate_that_lacked_memory_is_not_kept(tmp_path, monkeypatch):
    text = TEXT.replace("KNeighborsClassifier(n_neighbors in", "SVC(C in")
    real = engine_fits.fitting.build_step

    def hungry(pipeline, depth, context):
        if "('C', 1)" in repr(pipeline.steps[depth]):
            raise MemoryError
        return real(pipeline, depth, context)

    monkeypatch.setattr(fitting, "build_step", hungry)
    first = run(study(text), store=tmp_path)
    assert {f.error for f in first.record.failures} == {"MemoryError"}
    monkeypatch.setattr(fitting, "build_step", real)
    again = run(study(text), store=tmp_path)
    assert fits_of(again) == (15, 3)
    assert not again.record.failures


OWN = "from sklearn.naive_bayes import GaussianNB\nfrom {} import SHARE\n\n\n" + (
    "class Own(GaussianNB):\n    def __init__(self, var_smoothing=SHARE):\n"
    "        super().__init__(var_smoothing=var_smoothing)\n"
)


def test_own_code_is_fitted_again_when_a_module_that_it_imports_changes(tmp_path):
    text = (
        'evallang 1\nuse kept_own.models\nstudy "s"\ndata iris from sklearn iris\n'
        "model own = kept_own.models.Own\nprotocol cv folds=3\nmeasure log_loss\n"
    )
    package, store = tmp_path / "kept_own", tmp_path / "store"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "models.py").write_text(OWN.format("kept_helper"))
    (tmp_path / "kept_helper.py").write_text("SHARE = 1e-9\n")

    def again():
        results = run(study(text, tmp_path), store=store, trust=True)
        return results.record.estimates[0].value, fits_of(results)[0]

    first, made = again()
    assert made == 3
    assert again() == (first, 0)
    (tmp_path / "kept_helper.py").write_text("SHARE = 0.5\n")
    second, made = again()
    assert made == 3 and second != first
    (package / "weights.json").write_text("[1]")
    assert again() == (second, 3)
    (package / ".hidden").write_text("1")
    assert again() == (second, 0)


def test_objects_are_kept_where_class_and_parameters_tell_all_of_them(tmp_path):
    text = HEAD + "model net = DummyClassifier\nprotocol cv folds=3\nmeasure accuracy\n"

    def again(model):
        return fits_of(run(study(text), models={"net": model}, store=tmp_path))[0]

    class Local(GaussianNB):
        pass

    assert [again(GaussianNB()), again(GaussianNB()), again(GaussianNB(var_smoothing=0.1))] == [
        3, 0, 3,
    ]  # fmt: skip
    nested = BaggingClassifier(GaussianNB(), n_estimators=2)
    assert [again(nested), again(nested)] == [3, 3]
    assert [again(Local()), again(Local())] == [3, 3]


def test_the_command_states_how_many_fits_came_from_the_store(tmp_path):
    (tmp_path / "study.eval").write_text(TEXT + "report html\n")

    def told(*options):
        words = [str(tmp_path / "study.eval"), "-j", "1", "--store", str(tmp_path / "s"), *options]
        done = CliRunner().invoke(command, words, standalone_mode=False)
        assert done.return_value == 0
        return [line for line in done.stderr.splitlines() if "from the store" in line]

    assert told() == []
    assert told() == ["18 of 18 fits from the store"]
    assert told("--fresh") == []


# --- the folder --------------------------------------------------------------------------------


def test_a_store_that_others_can_write_or_that_is_none_is_refused(tmp_path, monkeypatch):
    open_to_all = tmp_path / "all"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    with pytest.raises(StoreRefused, match="other users can write"):
        open_store(open_to_all)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("mine")
    with pytest.raises(StoreRefused, match="contains files and is not a store"):
        open_store(tmp_path / "notes")
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreRefused, match="is not a folder"):
        open_store(tmp_path / "file")
    mine = tmp_path / "mine"
    open_store(mine)
    assert stat.S_IMODE(mine.stat().st_mode) == 0o700
    monkeypatch.setattr(stores.os, "geteuid", lambda: mine.stat().st_uid + 1)
    with pytest.raises(StoreRefused, match="belongs to another user"):
        open_store(mine)


def test_the_folder_is_the_one_given_then_the_variable_then_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("EVALLANG_STORE", str(tmp_path / "named"))
    monkeypatch.chdir(tmp_path)
    assert store_folder("here") == tmp_path / "here"
    assert store_folder("off") is None
    assert store_folder() == tmp_path / "named"
    monkeypatch.setenv("EVALLANG_STORE", "off")
    assert store_folder() is None
    monkeypatch.delenv("EVALLANG_STORE")
    assert store_folder() == tmp_path / "cache" / "evallang" / "store"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert store_folder() == tmp_path / "home" / ".cache" / "evallang" / "store"
    for wrong in ("s3://bucket/a", ""):
        with pytest.raises(StoreRefused, match="is not a folder of this machine"):
            store_folder(wrong)
    for wrong in ("relative/folder", "s3://bucket/a"):
        monkeypatch.setenv("EVALLANG_STORE", wrong)
        with pytest.raises(StoreRefused, match="must be an absolute path"):
            store_folder()


def test_a_store_that_cannot_be_used_costs_one_note_and_no_result(tmp_path):
    usual = without_provenance(run(study(TEXT)))
    blocked = tmp_path / "blocked"
    open_store(blocked)
    (blocked / "unfinished").write_text("")  # nothing can be written next to the entries
    (tmp_path / "file").write_text("")
    for store, said in (
        (blocked, "could not keep all fits"),
        (tmp_path / "file", "is not a folder"),
    ):
        results = run(study(TEXT), store=store)
        assert len(results.notes) == 1 and said in results.notes[0]
        assert without_provenance(results) == usual


def test_clearing_a_store_leaves_what_it_did_not_write(tmp_path):
    run(study(TEXT), store=tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "ab").mkdir(exist_ok=True)
    (tmp_path / "ab" / "notes.txt").write_text("mine")

    def told(action):
        return call("cache", action, "--store", str(tmp_path)).stdout

    assert told("path") == f"{tmp_path}\n"
    assert "6 entries" in told("info")
    assert "deleted 6 entries" in told("clear")
    assert "0 entries" in told("info")
    assert sorted(p.name for p in tmp_path.rglob("notes.txt")) == ["notes.txt"] * 2
    assert fits_of(run(study(TEXT), store=tmp_path)) == (FITS, 0)


# --- what another process or file system does meanwhile ----------------------------------------


def test_a_folder_in_place_of_an_entry_is_no_outcome_and_stays(tmp_path):
    task, store = planned(TEXT), open_store(tmp_path)
    place = tmp_path / task.key[:2] / task.key
    place.mkdir(parents=True)
    (place / "notes.txt").write_text("mine")
    assert store.get(task, 3) is None
    assert not store.has(task)
    assert store.put(task, outcome_for(task)) == "is a directory"
    assert (place / "notes.txt").read_text() == "mine"


def test_a_store_is_swept_by_one_run_at_a_time(tmp_path):
    task, store = planned(TEXT), open_store(tmp_path)
    store.put(task, outcome_for(task))
    with store._locked(alone=True):
        stores.Store(tmp_path, 0).sweep()  # no entry may stay, but another run holds the lock
        assert len(entries(tmp_path)) == 1
    stores.Store(tmp_path, 0).sweep()
    assert not entries(tmp_path)


def test_an_entry_of_another_user_is_not_read(tmp_path, monkeypatch):
    task, store = planned(TEXT), open_store(tmp_path)
    store.put(task, outcome_for(task))
    monkeypatch.setattr(stores.os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    assert store.get(task, 3) is None


def test_without_a_home_folder_the_store_asks_for_one(monkeypatch):
    for name in ("XDG_CACHE_HOME", "EVALLANG_STORE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "nowhere")
    with pytest.raises(StoreRefused, match="no home folder"):
        store_folder()


def test_looking_at_a_store_makes_nothing(tmp_path):
    found = stores.existing_store(tmp_path / "none")
    assert found is not None and found.contents().entries == 0
    assert not (tmp_path / "none").exists()
    assert stores.existing_store("off") is None
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("mine")
    with pytest.raises(StoreRefused, match="is not a store"):
        stores.existing_store(tmp_path / "notes")
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreRefused, match="is not a folder"):
        stores.existing_store(tmp_path / "file")


def test_what_is_known_of_the_oldest_studies_goes_and_counts_as_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(stores, "MOST_STUDIES", 2)
    studies = tmp_path / "studies"
    studies.mkdir()
    new, middle, old = (letter * 32 for letter in "abc")
    for age, name in enumerate((new, middle, old)):
        (studies / f"{name}.json").write_bytes(b"{}" * 50)
        os.utime(studies / f"{name}.json", (1e9 - age, 1e9 - age))
    kept = stores.Store(tmp_path, 10**9)
    assert (kept.contents().entries, kept.contents().size) == (0, 300)
    kept.sweep()
    assert {file.name for file in studies.iterdir()} == {f"{new}.json", f"{middle}.json"}
    stores.Store(tmp_path, 150).sweep()
    assert {file.name for file in studies.iterdir()} == {f"{new}.json"}
