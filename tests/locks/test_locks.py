"""`lock`, `verify`, `log`: what is fixed, what a change is called, and what a look is."""

import json
import re
from pathlib import Path

import pytest
from locked_studies import ROWS, STUDY, call, change, classed, write_wards

from evallang import limits
from evallang.locks.looks import many_looks
from evallang.version import VERSION


@pytest.fixture
def locked(tmp_path, monkeypatch):
    """A folder with a study that was just locked."""
    monkeypatch.chdir(tmp_path)
    Path("study.eval").write_text(STUDY)
    write_wards()
    call("lock", "study.eval")
    return tmp_path


NUMBERS, CLAIMS, WORDS = "changes numbers", "changes what is claimed", "words only"
CHANGES = (
    ("seed 4", "seed 5", NUMBERS, "study.eval:5: study seed: 4 -> 5"),
    ("folds=4", "folds=3", NUMBERS, "study.eval:15: protocol cv folds: 4 -> 3"),
    (
        "max_depth=2",
        "max_depth=3",
        NUMBERS,
        "study.eval:12: model tree DecisionTreeClassifier max_depth: 2 -> 3",
    ),
    (
        "accuracy, f1",
        "accuracy, recall",
        CLAIMS,
        "study.eval:17: measure 2 metric: f1 -> recall",
    ),
    ("by 30%", "by 20%", CLAIMS, "study.eval:21: require 1 value: 0.3 -> 0.2"),
    (
        "with permutation",
        "with permutation by accuracy, f1",
        CLAIMS,
        "study.eval:19: family 1 size: 1 -> 2",
    ),
    ("positive yes", "positive no", NUMBERS, "study.eval:9: data wards positive: yes -> no"),
    (
        "DecisionTreeClassifier(max",
        "StandardScaler | DecisionTreeClassifier(max",
        NUMBERS,
        "study.eval:12: model tree steps: DecisionTreeClassifier -> "
        "StandardScaler | DecisionTreeClassifier",
    ),
    (
        "target outcome\n",
        "target outcome\n  where age > 25\n",
        NUMBERS,
        "study.eval:9: data wards where: added, [where age > 25]",
    ),
    (
        "compare tree",
        "compare forest vs tree with mcnemar\ncompare tree",
        CLAIMS,
        "study.eval:19: compare 1: added (pairs forest vs tree; test mcnemar)",
    ),
    (
        "positive yes\n",
        "",
        NUMBERS,
        "study.eval:7: data wards positive: removed, was yes",
    ),
)


@pytest.mark.parametrize(("before", "after", "effect", "line"), CHANGES)
def test_a_changed_setting_is_named_by_its_line_and_classed(locked, before, after, effect, line):
    change(before, after)
    assert line in classed(call("lock", "study.eval", "--check", code=5))[effect]


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ('"A tree"', '"Tree"', "study.eval:12: model tree label: A tree -> Tree"),
        ("seed 4", "seed 4\n  alpha 0.05", "study.eval:6: study alpha: 0.05 is now written"),
        ("data wards", 'data wards "Wards"', "study.eval:7: data wards label: wards -> Wards"),
        ('unit "patients"', 'unit "people"', "study.eval:10: data wards unit: patients -> people"),
    ],
)
def test_words_do_not_break_a_lock(locked, before, after, line):
    change(before, after)
    found = classed(call("verify", "study.eval"))
    assert found == {WORDS: [line]}


def test_comments_and_layout_are_no_settings(locked):
    change("measure", "# why these\nmeasure")
    change("compare tree vs forest", "compare tree, forest")
    assert classed(call("lock", "study.eval", "--check")) == {}


def test_what_changed_in_the_data_is_told_apart(locked):
    def found() -> list[str]:
        return [
            line.removeprefix("study.eval:7: ").partition(":")[0]
            for line in classed(call("verify", "study.eval", code=5))[NUMBERS]
        ]

    write_wards(ROWS[::-1])
    assert found() == ["rows wards order of rows"]
    write_wards([ROWS[1], ROWS[0], *ROWS[2:-1], (1, *ROWS[-1][1:])])
    assert "rows wards column age" in found() and "rows wards order of rows" not in found()
    write_wards([(ROWS[0][0] + 1, *ROWS[0][1:]), *ROWS[1:]])
    assert found() == ["rows wards column age"]
    write_wards(ROWS[:-1])
    assert found() == ["rows wards number"]
    write_wards([(*row, i) for i, row in enumerate(ROWS)], "age,beds,outcome,shift")
    assert found() == ["rows wards column shift"]


def test_a_lock_names_nobody_and_holds_one_setting_a_line(locked):
    text = Path("study.lock").read_text()
    assert "Person" not in text and str(locked) not in text
    document = json.loads(text)
    lines = [line for line in text.splitlines() if line.startswith('  {"section"')]
    assert len(lines) == len(document["settings"])
    places = [[s["section"], s.get("item", ""), s["name"]] for s in document["settings"]]
    assert len({tuple(place) for place in places}) == len(places)


def test_a_lock_that_differs_is_replaced_with_a_reason_only(locked):
    before = Path("study.lock").read_text()
    change("seed 4", "seed 5")
    assert "--update REASON" in call("lock", "study.eval", code=2)
    assert Path("study.lock").read_text() == before
    call("lock", "study.eval", "--update", "the first seed was used in a pilot")
    assert "the first seed was used in a pilot" in call("verify", "study.eval")
    amendment = json.loads(Path("study.lock").read_text())["amendments"][0]
    assert amendment["changed"] == ["study seed"]


def test_a_conflict_is_resolved_by_an_update_that_keeps_both_amendments(locked):
    change("seed 4", "seed 5")
    call("lock", "study.eval", "--update", "ours")
    ours = Path("study.lock").read_text().splitlines()
    change("seed 5", "seed 6")
    call("lock", "study.eval", "--update", "theirs")
    theirs = Path("study.lock").read_text().splitlines()
    same = next(i for i, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1])
    merged = [*ours[:same], "<<<<<<< HEAD", *ours[same:], "=======", *theirs[same:], ">>>>>>> b"]
    Path("study.lock").write_text("\n".join(merged) + "\n")
    assert "merge conflict" in call("lock", "study.eval", "--check", code=2)
    call("lock", "study.eval", "--update", "merged")
    reasons = [one["reason"] for one in json.loads(Path("study.lock").read_text())["amendments"]]
    assert reasons == ["ours", "theirs", "merged"]
    call("verify", "study.eval")


def test_a_study_with_the_longer_ending_is_named_by_its_file(locked):
    change("seed 4", "seed 5")
    Path("study.eval").rename("study.evallang")
    assert "study seed: 4 -> 5" in call("verify", "study.evallang", code=5)
    Path("study.lock").write_text("{")
    assert "`evallang lock study.evallang --update" in call("verify", "study.evallang", code=2)
    Path("short.evallang").write_text(STUDY.replace('study "Wards"', "study"))
    call("run", "short.evallang", "--quiet")
    assert json.loads(Path("short-results/results.json").read_text())["study"]["title"] == "short"


@pytest.mark.parametrize(
    ("content", "least"),
    [
        *((text, 10**6) for text in (b"", b"{}", b"[]", b'{"schema": "evallang/lock/9"}')),
        (b"\x00\xc3\xbf", 10**6),
        (b"{" * 5000, 10**6),
        (b"\xff\xfe", 10**6),
        (b"x" * 99, 98),
    ],
)
def test_a_lock_that_is_damaged_no_text_or_too_large_is_one_line(locked, content, least):
    Path("study.lock").write_bytes(content)
    with limits.limits(results_bytes=least):
        said = call("verify", "study.eval", code=2)
    assert said.startswith("Error: ") and said.count("\n") == 1
    assert (content[:1] not in (b"\xff", b"x")) or "`study.lock` cannot be read" in said


def test_a_lock_edited_by_hand_is_refused(locked):
    path = Path("study.lock")
    path.write_text(
        path.read_text().replace('"name": "folds", "value": 4', '"name": "folds", "value": 3')
    )
    assert "edited by hand" in call("verify", "study.eval", code=2)


def test_a_look_is_another_protocol_other_data_or_other_code(locked):
    run = ("run", "study.eval", "-j", "1", "--format", "html")
    call(*run)
    call(*run)
    change('"A tree"', '"Tree"')
    call(*run)
    looks = Path("study.looks.jsonl")
    assert len(looks.read_text().splitlines()) == 1
    change("max_depth=2", "max_depth=3")
    call(*run)
    assert len(looks.read_text().splitlines()) == 2
    made = json.loads(Path("study-results/results.json").read_text())["provenance"]
    assert made["looks"] == 2
    assert made["lock"]["same"] is False
    page = Path("study-results/report.html").read_text()
    assert "This run differs from the protocol that was locked on" in page
    assert "evaluations on these test data are recorded, which differ in seed" in page
    assert "2 evaluations, at most 2 on the same test data" in call("log", "study.eval")
    write_wards(ROWS[:-1])
    call(*run)
    assert "3 evaluations, at most 2 on the same test data" in call("log", "study.eval")


def test_a_look_that_shall_not_be_recorded_is_printed(locked):
    said = call("run", "study.eval", "-j", "1", "--no-look", "--format", "html", "--quiet")
    line = next(line for line in said.splitlines() if line.startswith("look: "))
    assert json.loads(line.removeprefix("look: "))["study"] == "study"
    assert not Path("study.looks.jsonl").exists()


def test_looks_of_all_studies_of_a_repository_count(locked):
    Path(".git").mkdir()
    Path("sub").mkdir()
    Path("sub/wards.csv").write_bytes(Path("wards.csv").read_bytes())
    Path("sub/other.eval").write_text(STUDY.replace("seed 4", "seed 9"))
    call("run", "study.eval", "-j", "1", "--format", "html")
    call("run", "sub/other.eval", "-j", "1", "--format", "html")
    made = json.loads(Path("sub/other-results/results.json").read_text())["provenance"]
    assert made["looks"] == 2
    assert made["lock"] is None


def test_the_best_of_25_normal_deviates_exceeds_the_bound_of_an_interval():
    # expected largest of 24 and 25 standard normal deviates: 1.9477 and 1.9653 (Harter 1961)
    assert many_looks(0.95) == 25
    # of two: 1 / sqrt(pi) = 0.564
    assert many_looks(0.42) == 2


def test_many_looks_are_a_warning(locked):
    call("run", "study.eval", "-j", "1", "--format", "html")
    looks = Path("study.looks.jsonl")
    first = json.loads(looks.read_text())
    further = [json.dumps({**first, "protocol": f"{i:064x}"}) for i in range(24)]
    looks.write_text(
        "\n".join([looks.read_text().strip(), *further, "", "<<<<<<< HEAD", "{"]) + "\n"
    )
    assert "W418" in call("run", "study.eval", "-j", "1", "--format", "html")
    looks.write_text(json.dumps(first) + "\n" + "\n".join(further[:23]) + "\n")
    assert "W418" not in call("run", "study.eval", "-j", "1", "--format", "html")


def test_results_beside_provenance_do_not_depend_on_the_looks(locked):
    run = ("run", "study.eval", "-j", "1", "--format", "html")
    call(*run)
    results = Path("study-results/results.json")
    before = json.loads(results.read_text())
    assert (
        "on these test data are recorded, each" not in Path("study-results/report.html").read_text()
    )
    first = json.loads(Path("study.looks.jsonl").read_text())
    others = [json.dumps({**first, "protocol": f"{i:064x}"}) for i in range(30)]
    Path("study.looks.jsonl").write_text("\n".join(others) + "\n")
    assert "this is one of 31 recorded evaluations of the same test data" in call(*run)
    after = json.loads(results.read_text())
    assert (before.pop("provenance")["looks"], after.pop("provenance")["looks"]) == (1, 31)
    assert after == before
    call("report", "study-results", "--format", "html")
    assert (
        "31 evaluations on these test data are recorded"
        in Path("study-results/report.html").read_text()
    )


def test_a_locked_run_fits_nothing_where_study_data_or_lock_are_others(locked):
    run = ("run", "study.eval", "-j", "1", "--locked", "--quiet")
    call(*run)
    results, looks = Path("study-results/results.json"), Path("study.looks.jsonl")
    known = results.read_bytes(), looks.read_bytes()
    change("seed 4", "seed 5")
    assert "study seed: 4 -> 5" in call(*run, "--summary", "summary.md", code=5)
    assert "differs from the protocol and data locked on" in Path("summary.md").read_text()
    change("seed 5", "seed 4")
    write_wards(ROWS[:-1])
    assert "nothing was fitted" in call(*run, code=5)
    write_wards()
    lock = Path("study.lock")
    text = lock.read_text()
    lock.write_text(text.replace('"folds", "value": 4', '"folds", "value": 5'))
    assert "was edited by hand" in call(*run, code=2)
    lock.unlink()
    assert "there is no `study.lock`" in call(*run, code=2)
    assert known == (results.read_bytes(), looks.read_bytes())
    lock.write_text(text)
    change('"A tree"', '"Tree"')
    call(*run)


def test_a_lock_of_former_draws_asks_to_be_locked_again(locked):
    lock = Path("study.lock")
    engine = '"version", "name": "engine", "value": '
    text = re.sub(f'{engine}"[0-9]+"', f'{engine}"4"', lock.read_text())
    lock.write_text(re.sub('("rows", "value": )"[0-9a-f]{64}"', f'\\1"{"0" * 64}"', text))
    for command, code in (("verify", 5), ("lock", 2)):
        said = call(command, "study.eval", code=code)
        assert "drew other splits and resamples" in said or command == "lock"
        assert "splits" not in said.replace("other splits", "")
    assert "drew other splits" in call("lock", "--check", "study.eval", code=5)
    assert "drew other splits" in call("run", "study.eval", "-j", "1", "--quiet")
    call("lock", "study.eval", "--update", "other draws")
    call("lock", "--check", "study.eval")


DEEP = "[" * 900 + "]" * 900


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("date", "3"), ("date", '"<b>"'), ("date", "null"), ("settings", "3"), ("settings", "[3]"),
        ("settings", '{"a": 1}'), ("settings", '["a"]'), ("settings", "null"), ("settings", "[[]]"),
        ("settings", '[{"section": 3}]'), ("settings", '[{"section": "a", "item": 3}]'),
        ("settings", '[{"section": "a", "name": []}]'),
        ("settings", '[{"section": "a", "value": {}}]'),
        ("settings", f'[{{"section": "a", "value": {DEEP}}}]'),
        ("settings", '[{"section": "a", "effect": 3}]'),
        ("settings", '[{"section": "a", "effect": "grave"}]'),
        ("amendments", "3"), ("amendments", '["a"]'), ("amendments", "[[]]"),
        ("amendments", '[{"date": 1, "reason": "r"}]'),
        ("amendments", '[{"date": "2026-01-01", "reason": []}]'),
        ("amendments", '[{"date": "2026-01-01", "reason": "r", "changed": 3}]'),
        ("amendments", '[{"date": "2026-01-01", "reason": "r", "changed": [3]}]'),
        ("schema", '"' + "x" * 10_000 + '"'), ("deep", "[" * 100_000), ("deep", DEEP),
        ("protocol_sha256", "[]"),
    ],
)  # fmt: skip
def test_a_lock_of_wrong_types_is_reported_as_such(locked, key, value):
    lock = Path("study.lock")
    document = json.loads(lock.read_text())
    document.pop(key, None)
    lock.write_text(json.dumps(document)[:-1] + f', "{key}": {value}}}')
    sound = key == "deep" and value == DEEP
    said = call("verify", "study.eval", code=0 if sound else 2)
    assert sound or "`study.lock` " in said
    assert len(said) < 1000


def test_a_study_with_a_damaged_lock_is_run_and_locked_again(locked):
    lock = Path("study.lock")
    lock.write_text(json.dumps({**json.loads(lock.read_text()), "settings": [[]]}))
    said = call("run", "study.eval", "-j", "1", "--quiet", "--format", "html")
    assert "this run is not compared with it" in said
    call("lock", "study.eval", "--update", "the file was damaged")
    call("lock", "--check", "study.eval")


def test_every_method_of_a_line_has_the_catalogue_that_holds_its_options():
    from typing import get_args, get_type_hints

    from msgspec.structs import fields

    from evallang import study
    from evallang.locks.settings import REGISTRIES

    records = (study.Measure, study.ComparisonSpec, study.RequirementSpec, study.AnalysisSpec)
    named = {
        field.name
        for record in records
        for field in fields(record)
        if study.Method in (hint := get_type_hints(record)[field.name], *get_args(hint))
    }
    assert named - {"metric", "metrics"} == set(REGISTRIES)


def test_ids_in_another_order_are_the_same_test_data(locked):
    change("target outcome\n", "id patient\n  target outcome\n")
    write_wards([(i, *row) for i, row in enumerate(ROWS)], "patient,age,beds,outcome")
    call("run", "study.eval", "-j", "1", "--format", "html", "--quiet")
    backwards = [(i, *row) for i, row in enumerate(ROWS)][::-1]
    write_wards(backwards, "patient,age,beds,outcome")
    call("run", "study.eval", "-j", "1", "--format", "html", "--quiet")
    looks = [json.loads(line) for line in Path("study.looks.jsonl").read_text().splitlines()]
    assert len(looks) == 2  # other splits, so that it is another look
    assert looks[0]["tests"] == looks[1]["tests"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--check", "--update", "why"), "--check and --update exclude one another"),
        (("--update", " "), "--update needs a reason"),
    ],
)
def test_options_of_a_lock_that_contradict_are_refused(locked, words, said):
    assert said in call("lock", "study.eval", *words, code=2)


def test_a_lock_that_cannot_be_written_is_one_line(locked):
    change("seed 4", "seed 5")
    Path("study.lock").unlink()
    Path("study.lock").mkdir()
    said = call("lock", "study.eval", code=2)
    assert said.startswith("Error: ") and said.count("\n") == 1


def test_settings_of_rare_clauses_are_in_the_lock(locked):
    change("protocol cv folds=4", "protocol cv folds=4\nstratify by target bins=3")
    change("positive yes", "features beds")
    change("target outcome", "task regression\n  target age")
    change("measure accuracy, f1", "measure mae")
    change("DecisionTreeClassifier(max_depth=2)", "DecisionTreeRegressor(max_depth=2)")
    change("RandomForestClassifier(n_estimators=5)", "DummyRegressor")
    change("by 30%", "by 3")
    call("lock", "study.eval", "--update", "another task")
    change("bins=3", "bins=4")
    lines = classed(call("lock", "study.eval", "--check", code=5))
    assert any("bins: 3 -> 4" in line for line in lines[NUMBERS])


def test_stated_looks_are_in_the_lock_and_set_the_level_of_every_requirement(locked):
    before = Path("study.lock").read_text()
    assert '"looks"' not in before  # as locks were before the clause existed
    change("seed 4", "seed 4\n  looks 5")
    named = classed(call("verify", "study.eval", code=5))[CLAIMS]
    assert "study.eval:6: study looks: added, 5" in named
    level = "require 1 level: 0.95 -> 0.99 (a default, not written in the study)"
    assert f"study.eval:22: {level}" in named
    call("lock", "study.eval", "--update", "five nights")
    call("run", "study.eval", "-j", "1", "--format", "html", "--quiet")
    results = json.loads(Path("study-results/results.json").read_text())
    assert results["study"]["looks"] == 5
    assert [item["level"] for item in results["requirements"]] == [0.99]
    assert {e["interval"]["level"] for e in results["estimates"]} == {0.95}


def test_a_test_behind_a_requirement_has_the_level_of_one_look(locked):
    change("by 30%", "by 30%\nrequire tree better than forest with mcnemar")
    change("seed 4", "seed 4\n  looks 4")
    call("run", "study.eval", "-j", "1", "--format", "html", "--quiet", code=4)
    results = json.loads(Path("study-results/results.json").read_text())
    assert [item["alpha"] for item in results["requirements"]] == [None, 0.0125]
    page = Path("study-results/report.html").read_text()
    assert "decisions on the same test data" in page and "Armitage" in page


def test_a_default_of_another_version_is_named_as_one(locked):
    """Write a lock as a version with other defaults would have written it."""
    from msgspec.structs import replace

    from evallang.locks.lock_file import lock_text, read_lock

    def former(setting):
        if (setting.section, setting.name) == ("model", "DecisionTreeClassifier criterion"):
            return replace(setting, value="entropy")
        if (setting.section, setting.name) == ("version", "evallang"):
            return replace(setting, value="0.0.9")
        return setting

    lock = read_lock(Path("study.lock"))
    assert lock is not None
    old = replace(lock, settings=tuple(map(former, lock.settings)))
    Path("study.lock").write_text(lock_text(old))
    found = classed(call("verify", "study.eval", code=5))
    changed = "study.eval:12: model tree DecisionTreeClassifier criterion: entropy -> gini"
    assert f"{changed} (a default, not written in the study)" in found[NUMBERS]
    assert f"version evallang: 0.0.9 -> {VERSION}" in found[NUMBERS]
    change("max_depth=2", "max_depth=2, criterion=entropy")
    assert f"{changed.partition(':12')[0]}" in str(found)
    again = classed(call("verify", "study.eval", code=5))
    assert not any("criterion" in line for line in again[NUMBERS])
