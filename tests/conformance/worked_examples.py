"""Runs the worked examples that registrations carry."""

import pytest


def assert_example(entry, example):
    """Call the function and compare each expected number within the tolerance."""
    found = entry.function(*example.arguments, **example.options)
    for path, expected in example.expected.items():
        assert at(found, path) == pytest.approx(expected, rel=0, abs=example.tolerance), path


def at(value, path):
    """Follow a path of attributes, keys and positions ("statistic.value", "df.0")."""
    for part in path.split("."):
        if part.isdigit():
            value = value[int(part)]
        elif hasattr(value, "keys"):
            value = value[part]
        else:
            value = getattr(value, part)
    return value


def examples_of(registry):
    """Give (entry, example) pairs as test parameters with readable names."""
    return [
        pytest.param(entry, example, id=f"{entry.name}-{number}")
        for entry in registry
        for number, example in enumerate(entry.examples)
    ]


def entries_of(registry):
    """Give entries as test parameters."""
    return [pytest.param(entry, id=entry.name) for entry in registry]


def assert_documented(entry):
    """What every member promises its reader and its caller."""
    assert entry.title
    assert entry.summary.endswith("."), "the first sentence is alone"
    assert entry.examples, "a worked example with its source"
    assert all(example.source for example in entry.examples)
    required = {option.name for option in entry.options if option.required}
    assert all(required <= set(example.options) for example in entry.examples)
