"""Cases that are tried in one test: all of them, each apart, and what fails named."""

import os

import pytest
from many_cases import for_each


def test_all_cases_are_tried_and_those_that_fail_are_named(monkeypatch, tmp_path):
    seen = []

    @for_each("number", [1, 2, 3])
    @for_each(("word", "size"), [("a", 1), pytest.param("bb", 2, id="two")])
    def test(number, word, size, tmp_path, monkeypatch):
        seen.append((number, word))
        assert list(tmp_path.iterdir()) == [] and "MANY_CASES" not in os.environ
        (tmp_path / "file").touch()
        monkeypatch.setenv("MANY_CASES", "1")
        if number == 2 and size == 2:
            pytest.fail("planted")
        assert number < 3, "planted too"

    with pytest.raises(BaseExceptionGroup) as raised:
        test(tmp_path=tmp_path, monkeypatch=monkeypatch)
    assert seen == [(n, word) for n in (1, 2, 3) for word in ("a", "bb")]
    two, three = raised.value.exceptions
    assert two.__notes__ == ["in the case 2"] and three.__notes__ == ["in the case 3"]
    assert [e.__notes__ for e in two.exceptions] == [["in the case two"]]
    assert [e.__notes__ for e in three.exceptions] == [["in the case a-1"], ["in the case two"]]
    assert "MANY_CASES" not in os.environ


def test_a_skipped_case_hides_no_other_and_all_of_them_are_a_skipped_test():
    def test(number):
        if number < 2:
            pytest.skip("small")
        assert number != 2

    with pytest.raises(BaseExceptionGroup):
        for_each("number", [0, 1, 2])(test)()
    with pytest.raises(pytest.skip.Exception):
        for_each("number", [0, 1])(test)()
    for_each("number", [0, 3])(test)()
