"""Rows of benchmarks, and how `make bench` tells a missed limit from a crash."""

import json
from dataclasses import asdict

import pytest

from benchmarks._rows import Kind, Row, read


@pytest.mark.parametrize(
    ("kind", "value", "met"),
    [
        (Kind.RATIO, 2.0, True),
        (Kind.RATIO, 2.1, False),
        (Kind.TIMES, 0.5, True),
        (Kind.TIMES, 0.4, False),
        (Kind.MOST, 3.0, True),
        (Kind.MOST, 2.9, False),
        (Kind.LEAST, 3.0, True),
        (Kind.LEAST, 3.1, False),
    ],
)
def test_a_limit_is_about_the_figure_or_the_ratio(kind, value, met):
    row = Row("work", 3.0, peer="peer", theirs=6.0, kind=kind, limit=value)
    assert row.met is met
    assert read(json.loads(json.dumps(asdict(row)))) == row


def test_what_was_not_measured_neither_meets_nor_misses():
    assert Row("work", None, kind=Kind.MOST, limit=1.0).met is None
