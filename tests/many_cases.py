"""Many small cases in one test."""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import pytest

Test = Callable[..., None]


def each(names: str, cases: Iterable[Any], ids: Callable[[Any], str] = repr) -> Callable[[Test], Test]:
    """Return a decorator that tries a test on each case, in one test.

    It is used as `pytest.mark.parametrize` is, for cases that take less time than a test of their
    own, which every process collects and reports. All cases are tried; what fails names its case
    by `ids`. Each case has a folder `tmp_path` and a `monkeypatch` of its own.
    """
    given = [name.strip() for name in names.split(",")]
    tried = [(case.values if isinstance(case, type(pytest.param())) else (case,)) for case in cases]

    def decorate(test: Test) -> Test:
        @wraps(test)
        def try_all(**fixtures: Any) -> None:
            ...

        return try_all

    return decorate
