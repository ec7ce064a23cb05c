"""Sample logs of lm-evaluation-harness: JSON Lines with objects inside, several filters a row.

A line of its samples_*.jsonl holds doc_id, doc, target, arguments, resps, filtered_resps,
filter, metrics, hashes of document, prompt and target, and one key a metric.
"""

import gzip
import json

import pytest

from evallang.data.dataset import GivenModel, Where
from evallang.source import Span

FILTERS = ("strict-match", "flexible-extract")


def log(right, *, filters=("strict-match",), order=None, doc="d"):
    """Give a log in which document i is right where `right[i]`, in each filter."""
    lines = []
    for i in order or range(len(right)):
        for name in filters:
            lines.append(
                {
                    "doc_id": i,
                    "doc": {"question": f"q{i}", "passage": {"id": f"p{i // 2}", "len": 7}},
                    "target": str(i),
                    "arguments": {"gen_args_0": {"arg_0": f"Q: q{i}\\nA:"}},
                    "resps": [[f"it is {i}"]],
                    "filtered_resps": [str(i)],
                    "filter": name,
                    "metrics": ["exact_match"],
                    "doc_hash": f"{doc}{i}",
                    "target_hash": f"t{i}",
                    "exact_match": float(right[i] and name != "flexible-extract"),
                }
            )
    return "".join(json.dumps(line) + "\n" for line in lines)


def model(name, path, column="exact_match"):
    return GivenModel(name, name, column=column, path=path)


def where(word):
    return Where("filter", "=", word, f'filter = "{word}"', Span("study.eval", 900, 901))


def read(source, *paths, **clauses):
    given = {
        "models": tuple(model(path[0], path) for path in paths),
        "judged": "correct",
        "truth": None,
        "id": "doc_id",
    }
    return source.predictions(*paths, **{**given, **clauses})


def test_logs_of_two_models_are_joined_by_document(source):
    source.write("a.jsonl", log([1, 0, 1, 1]))
    source.write("b.jsonl", log([0, 0, 1, 0], order=[2, 0, 3, 1]))
    (made,), found = read(source, "a.jsonl", "b.jsonl")
    assert found == ()
    assert made.correct["a"].tolist() == [True, False, True, True]
    assert made.correct["b"].tolist() == [False, False, True, False]
    assert made.ids == ("0", "1", "2", "3")


@pytest.mark.parametrize(("word", "right"), [("strict-match", 2), ("flexible-extract", 0)])
def test_one_filter_is_kept_before_files_are_joined(source, word, right):
    source.write("a.jsonl", log([1, 0, 1], filters=FILTERS))
    source.write("b.jsonl", log([1, 1, 0], filters=(*FILTERS, "none")))
    (made,), found = read(source, "a.jsonl", "b.jsonl", where=(where(word),))
    assert found == ()
    assert (made.correct["a"].sum(), made.correct["b"].sum(), made.n) == (right, right, 3)
    assert made.excluded == ((f'filter = "{word}"', 6),)  # 3 rows of a, 6 of b
    assert f'filter = "{word}": excludes 3, 6 rows of a.jsonl, b.jsonl' in made.notes


def test_dotted_names_reach_into_objects_and_lists(source):
    source.write("a.jsonl", log([1, 0, 1, 1]))
    (made,), found = read(
        source, "a.jsonl", group="doc.passage.id", subgroups=("filtered_resps.0", "doc.question")
    )
    assert found == ()
    assert made.groups == ("p0", "p0", "p1", "p1")
    assert made.subgroups["filtered_resps.0"] == ("0", "1", "2", "3")
    assert made.subgroups["doc.question"] == ("q0", "q1", "q2", "q3")


def test_a_key_that_holds_a_dot_comes_before_what_is_inside(source):
    lines = [{"i": i, "m.x": i % 2, "m": {"x": 1, "y.z": i % 2}} for i in range(4)]
    source.write("a.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    for column in ("m.x", "m.y.z"):
        (made,), _ = read(source, "a.jsonl", id="i", models=(model("a", "a.jsonl", column),))
        assert made.correct["a"].tolist() == [False, True, False, True]


def test_numbers_between_right_and_wrong_are_values(source):
    text = log([1, 0, 1]).replace('"exact_match": 0.0', '"exact_match": 0.5')
    source.write("a.jsonl", text)
    assert read(source, "a.jsonl")[1][0].code == "E446"
    (made,), found = read(source, "a.jsonl", judged="value", value_metric="partial match")
    assert found == ()
    assert made.values["a"].tolist() == [1.0, 0.5, 1.0]


def test_a_packed_log_says_the_same(source):
    source.write("a.jsonl", log([1, 0, 1]))
    (plain,), _ = read(source, "a.jsonl")
    source.write("a.jsonl.gz", gzip.compress(log([1, 0, 1]).encode()))
    (packed,), found = read(source, "a.jsonl.gz")
    assert found == ()
    assert packed.sha256 == plain.sha256
