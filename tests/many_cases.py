"""Many small cases in one test."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest

Test = Callable[..., None]
PARAM = type(pytest.param())


def for_each(
    names: str | Sequence[str],
    cases: Iterable[Any],
    ids: Callable[[Any], object] | Iterable[object] | None = None,
) -> Callable[[Test], Test]:
    """Try a test on each case, as `pytest.mark.parametrize` does, but in one test.

    It is for cases that take less time than a test of their own, which every process collects and
    reports. All cases are tried, each with a `tmp_path` and a `monkeypatch` of its own, and what
    fails names its case. A case that is skipped hides no other.
    """
    given = names.replace(",", " ").split() if isinstance(names, str) else list(names)
    listed = list(ids) if ids is not None and not callable(ids) else None
    tried = []
    for number, case in enumerate(cases):
        assert not (isinstance(case, PARAM) and case.marks), (
            "a case with marks is a test of its own"
        )
        values = case.values if isinstance(case, PARAM) else case
        values = values if len(given) > 1 or isinstance(case, PARAM) else (values,)
        assert len(values) == len(given), values
        name = case.id if isinstance(case, PARAM) else None
        if name is None and callable(ids):
            name = "-".join(str(ids(value)) for value in values)
        elif name is None:
            name = listed[number] if listed is not None else "-".join(map(str, values))
        tried.append((str(name), dict(zip(given, values, strict=True))))

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)
        asked = [p for p in signature.parameters.values() if p.name not in given]

        @wraps(test)
        def try_all(**fixtures: Any) -> None:
            failed, skipped = [], []
            for number, (name, values) in enumerate(tried):
                try:
                    _try(test, fixtures, values, number)
                except pytest.skip.Exception as skip:
                    skipped.append(skip)
                except (Exception, pytest.fail.Exception, BaseExceptionGroup) as error:
                    error.add_note(f"in the case {name}")
                    failed.append(error)
            if failed:
                words = f"{len(failed)} of {len(tried)} cases of {test.__name__}"
                raise BaseExceptionGroup(words, failed)
            if skipped and len(skipped) == len(tried):
                raise skipped[0]

        try_all.cases = tried  # type: ignore[attr-defined]  # `make member` keeps those of one member
        try_all.__signature__ = signature.replace(parameters=asked)  # type: ignore[attr-defined]
        return try_all

    return decorate


def _try(test: Test, fixtures: dict[str, Any], values: dict[str, Any], number: int) -> None:
    """Try a test on one case, in a folder of the case, and undo its patches."""
    mine = dict(fixtures)
    if "tmp_path" in mine:
        mine["tmp_path"] = mine["tmp_path"] / str(number)
        mine["tmp_path"].mkdir()
    if "monkeypatch" in mine:
        with mine["monkeypatch"].context() as patched:
            test(**{**mine, "monkeypatch": patched}, **values)
    else:
        test(**mine, **values)
