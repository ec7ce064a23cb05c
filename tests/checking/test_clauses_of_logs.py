"""Clauses of `predictions ... from TOOL` and what excludes them, without reading a log."""

import pytest
from studies import checked

HEAD = "evallang 1\nstudy\n  seed 1\npredictions p from {}\nmeasure accuracy\n"


@pytest.mark.parametrize(
    ("rest", "code", "words"),
    [
        ('inspect "s3://logs/a.eval"', "E127", "files of this machine"),
        ("inspect frame logs", "E127", "files of this machine"),
        ('inspect "a.eval"\n  truth y', "E144", "`truth`"),
        ('inspect "a.eval"\n  filter strict', "E144", "`scorer`, `samples`"),
        ('lm_eval "runs"\n  samples errored wrong', "E", "`unscored wrong | dropped`"),
        ('inspect "a.eval"\n  samples errored scored', "E", "`errored wrong | dropped`"),
        ('inspect "a.eval"\n  samples errored wrong, errored wrong', "E", "once"),
        ('"a.csv"\n  truth y\n  scorer match', "E144", "`from lm_eval`"),
        ('"{model}.csv"\n  truth y\n  model m\n  models all as x', "E144", "`{model}`"),
        ('"a.csv"\n  truth y\n  repeat by order', "E", "`id"),
    ],
)
def test_what_does_not_fit_is_refused(rest: str, code: str, words: str) -> None:
    errors = [d for d in checked(HEAD.format(rest)).diagnostics if d.severity == "error"]
    assert [d for d in errors if d.code.startswith(code) and words in f"{d.message} {d.help}"]


@pytest.mark.parametrize(
    "rest",
    [
        'inspect "a.eval"\n  scorer rubric.relevance\n  value "relevance" all\n  higher is better',
        'lm_eval "r", "s"\n  metric acc\n  filter "maj@4"\n  models a as "o/a"\n  group doc.p',
        'every_eval_ever "*.jsonl"\n  samples errored dropped\n  repeat by order',
        'inspect "a.eval"\n  value "output tokens" all\n  models a as "m/a"\n  lower is better',
    ],
)
def test_what_fits_is_accepted(rest: str) -> None:
    body = HEAD.format(rest)
    body = body.replace("measure accuracy\n", "") if "value" in rest else body
    assert not [d for d in checked(body).diagnostics if d.severity == "error"]
