"""Single edits of the samples, those of `benchmarks/syntax_recovery.py`."""

import importlib.util
from itertools import islice
from types import ModuleType

import pytest

from evallang.source import SourceFile
from evallang.syntax.formatter import format_source
from evallang.syntax.parser import parse

from .reading import TESTS

SOME = 200


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    path = TESTS.parent / "benchmarks" / "syntax_recovery.py"
    spec = importlib.util.spec_from_file_location("syntax_recovery", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_single_mistake_is_reported_about_once(benchmark: ModuleType) -> None:
    counts = [
        len(benchmark.errors_of(source)) for source, _, _ in islice(benchmark.mutants(), 3 * SOME)
    ]
    faulty = [count for count in counts if count]
    assert sum(faulty) <= benchmark.MOST_ERRORS * len(faulty)
    assert max(faulty) <= 5


def test_faulty_files_are_formatted_without_loss(benchmark: ModuleType) -> None:
    for source, _, _ in islice(benchmark.mutants(), SOME):
        study, found = parse(source)
        once = SourceFile(source.path, format_source(source))
        again, found_again = parse(once)
        assert again == study
        assert [d.code for d in found_again] == [d.code for d in found]
        assert sorted(c.text for c in again.comments) == sorted(c.text for c in study.comments)
        assert format_source(once) == once.text
