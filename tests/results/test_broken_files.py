"""A results.json that was changed is read as far as its types allow, or refused with the place."""

import json
import math
import random
import subprocess
import sys
from pathlib import Path

import pytest
from many_cases import for_each
from studies import study

from evallang.api import Results, run
from evallang.api.results import read_record
from evallang.api.running import RunFailed
from evallang.api.study_file import open_study
from evallang.reporting import fonts, html
from evallang.reporting.context import Context
from evallang.reporting.section import build
from evallang.results import codec

TEXT = (
    'evallang 1\nstudy "s"\n  seed 1\ndata iris from sklearn iris\nmodel bayes = GaussianNB\n'
    "model tree = DecisionTreeClassifier\nprotocol holdout\nmeasure accuracy\n"
    "compare with mcnemar\nreport html\n"
)


PAIR = ("comparisons", 0, "pairwise", 0)


@pytest.fixture(scope="module")
def text():
    return codec.dumps(run(study(TEXT)).record)


def changed(text, place, value):
    document = json.loads(text)
    inside = document
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = value
    return json.dumps(document)


@for_each(
    ("place", "value", "told"),
    [
        (("diagnostics",), [{"notes": 3}], r"got `int` - at `\$.diagnostics\[0\].notes`"),
        (
            ("diagnostics",),
            [{"message": {}}],
            r"Expected `str`, got `object` - at `\$.diagnostics\[0\].message`",
        ),
        (("models", 1, "label"), None, r"Expected `str`, got `null` - at `\$.models\[1\].label`"),
        (("data", 0, "n"), True, r"got `bool` - at `\$.data\[0\].n`"),
        (("estimates", 0, "value"), float("nan"), "NaN is not a number of JSON"),
        (("schema",), "evallang/results/9", "results of schema"),
        (("study", "alpha"), 0, r"> 0.0 - at `\$.study.alpha`"),
        (("provenance", "seconds"), "inf", r"<= 1000000000000.0 - at `\$.provenance.seconds`"),
        (("data", 0, "n"), 10**30, "a number of 31 digits is too long"),
        (("estimates", 0, "value"), 10**330, "a number of 331 digits is too long"),
        (("estimates", 0, "n"), 10**500, "a number of 501 digits is too long"),
        (("estimates", 0, "model"), "tre", r"estimates\[0\].model is 'tre', which is not a model"),
        (("estimates", 0, "extra"), {"oob": "x"}, r"got `str` - at `\$.estimates\[0\].extra.oob`"),
        (("comparisons", 0, "data"), "wine", r"\.data is 'wine', which is not a data set"),
        (("comparisons", 0, "protocol"), "cv", r"\.protocol is 'cv', which is not a protocol"),
        (("comparisons", 0, "metric"), "mcc", r"\.metric is 'mcc', which is not a metric"),
        ((*PAIR, "models"), ["tree"] * 3, r"pairwise\[0\].models has 3 items, not 2"),
        ((*PAIR, "models"), ["tree", "x"], r"pairwise\[0\].models is 'x', which is not a model"),
        ((*PAIR, "p"), -1, r"- at `\$.comparisons\[0\].pairwise\[0\].p`"),
        ((*PAIR, "side"), "left", r"greater|less.* - at `.*pairwise\[0\].side`"),
        ((*PAIR, "table"), [[1, 2]], r"of length 2, got 1 - at `.*\.table`"),
        ((*PAIR, "extra"), {"p_first": "x"}, r"got `str` - at `.*extra.p_first`"),
        ((*PAIR, "extra"), {"average_aligned_ranks": [1.5]}, r"ranks has 1 items, not 2"),
        (("models", 1, "name"), "bayes", r"models\[1\].name is 'bayes' a second time"),
        (("report", "numbers"), "x", r"apa|ama.* - at `.*report.numbers`"),
    ],
)
def test_the_place_of_what_is_wrong_is_named(text, place, value, told):
    with pytest.raises(ValueError, match=told):
        codec.loads(changed(text, place, value))


def test_unknown_fields_are_passed_over(text):
    assert codec.loads(changed(text, ("models", 0, "later"), 1)) == codec.loads(text)


@pytest.mark.parametrize(
    "content",
    [b"[" * 200_000, b"{", b"", b"\xff\xfe{}", b"3", b'{"schema": []}', b" " * 1_000_000],
)
def test_the_shell_answers_2_in_one_line(tmp_path, content):
    (tmp_path / "results.json").write_bytes(content)
    done = subprocess.run(
        [sys.executable, "-m", "evallang", "report", "."],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("Error: cannot read `.`: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("key", ["answers", "target", "notes", "level", "test"])
def test_the_values_of_a_power_analysis_are_read_by_their_types(key):
    record = codec.dumps(run(open_study(EXAMPLES / "planning.eval")).record)
    for value in ({"a": 1}, [1, 2], None):
        if value is not None or key != "notes":
            with pytest.raises(ValueError, match=rf"analyses\[0\].values.{key}"):
                read_record(changed(record, ("analyses", 0, "values", key), value))


def test_an_infinite_number_beside_a_test_is_read_as_one(text):
    read = read_record(changed(text, (*PAIR, "extra"), {"chi2": "inf", "other": "inf"}))
    assert read.comparisons[0].pairwise[0].extra == {"chi2": math.inf, "other": "inf"}


@pytest.mark.parametrize("begin", [b"", b'{"schema": "evallang/results/1", "data": [', b"["])
def test_a_huge_file_is_refused_before_it_is_read(tmp_path, begin):
    with (tmp_path / "results.json").open("wb") as file:
        file.write(begin + b" " * 1000)
        file.truncate(3_000_000_000)  # sparse: the rest is zeros that take no room
    with pytest.raises(ValueError, match="3,000,000,000 bytes are more than the limit"):
        Results.load(tmp_path)


def test_the_limit_of_a_file_can_be_lowered_and_is_named(tmp_path, text):
    (tmp_path / "results.json").write_text(text)
    words = ["report", ".", "--format", "html", "--limit", "results_bytes=1000"]
    done = subprocess.run(
        [sys.executable, "-m", "evallang", *words], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "1,000" in done.stderr and "`--limit results_bytes=" in done.stderr


# --- every field ---------------------------------------------------------------------------------

EXAMPLES = Path(__file__).parents[2] / "examples"
FAILING = (
    'evallang 1\nstudy "s"\n  seed 4\ndata iris from sklearn iris\n'
    '  where "sepal length (cm)" > 4.9\n  where target in [setosa, versicolor]\n'
    "model bad = NuSVC(nu=1)\nmodel good = GaussianNB\nmodel tree = DecisionTreeClassifier\n"
    "model slow = LogisticRegression(max_iter=1)\nprotocol cv folds=3\n"
    "measure accuracy, roc_auc\ncompare with mcnemar\n"
)
STUDIES = (
    "four_trees", "gate", "holdout", "planning", "published_tables", "quiz", "search", "survey",
    "grid_load", "failing",
)  # fmt: skip
WRONG = (
    None, True, 0, -1, -3.5, 0.5, 10**400, 1e308, -1e308, 5e-324, -(10**18), "", "inf", "-inf",
    "NaN", "unknown", "\n<b>", [], {}, [None], [[]], {"a": None}, ["x"], [1, 2, 3],
)  # fmt: skip
MUTATIONS = 70


def recorded(name):
    """Run a study; its results, also of one whose fits fail."""
    if name != "failing":
        return run(open_study(EXAMPLES / f"{name}.eval"))
    with pytest.raises(RunFailed) as caught:
        run(study(FAILING))
    return caught.value.results


def fields(value, place=()):
    """Go through the places of a document, with the first two items of each list."""
    if place:
        yield place
    inside = value.items() if isinstance(value, dict) else ()
    for key, item in list(enumerate(value))[:2] if isinstance(value, list) else inside:
        yield from fields(item, (*place, key))


def mutated(document, rng):
    """Change, delete or swap one field; fields of one name are one as often as another."""
    kinds = {}
    for place in fields(document):
        kinds.setdefault(tuple(k for k in place if isinstance(k, str)), []).append(place)
    place = rng.choice(kinds[rng.choice(sorted(kinds))])
    *path, last = place
    inside = document
    for key in path:
        inside = inside[key]
    way = rng.random()
    if way < 0.1:
        del inside[last]
    elif way < 0.25:
        named = [r["name"] for part in ("models", "data", "protocols") for r in document[part]]
        inside[last] = rng.choice(named)
    else:
        inside[last] = rng.choice(WRONG)
    return place, inside[last] if way >= 0.1 else "deleted"


@pytest.mark.parametrize("name", STUDIES)
def test_whatever_field_is_wrong_it_is_refused_in_a_line_or_rendered(name, monkeypatch):
    monkeypatch.setattr(fonts, "cut", lambda *_: b"")  # the slow part, which sees letters only
    whole, rng = codec.dumps(recorded(name).record), random.Random(name)
    html.render(build(Context(read_record(whole))), "screen")
    told, rendered = [], 0
    for _ in range(MUTATIONS):
        document = json.loads(whole)
        place, value = mutated(document, rng)
        try:
            record = read_record(json.dumps(document))
        except ValueError as error:
            told.append(str(error))
            continue
        try:
            page = html.render(build(Context(record)), "screen")
        except Exception as error:
            raise AssertionError(f"{place} = {value!r}") from error
        assert "</html>" in page.html
        rendered += 1
    assert rendered > 0
    assert told and [line for line in told if not line or "\n" in line] == []


@pytest.mark.parametrize("value", [1e308, -1e308, "inf", 5e-324, 0, -1])
@pytest.mark.parametrize("keys", [("value",), ("low", "high"), ("value", "low", "high")])
def test_numbers_at_the_end_of_what_floats_hold_are_rendered(keys, value, text, monkeypatch):
    monkeypatch.setattr(fonts, "cut", lambda *_: b"")
    document = json.loads(text)
    document["estimates"][0]["interval"] |= dict.fromkeys(set(keys) - {"value"}, value)
    document["comparisons"][0]["pairwise"][0]["estimate"] |= dict.fromkeys(keys, value)
    for bound in {"low"} & set(keys) if isinstance(value, float) else ():
        document["estimates"][0]["interval"][bound] = -value
        document["comparisons"][0]["pairwise"][0]["estimate"][bound] = -value
    if "value" in keys:
        document["estimates"][0]["value"] = value
    record = read_record(json.dumps(document))
    assert "</html>" in html.render(build(Context(record)), "screen").html
