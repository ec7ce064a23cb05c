"""Records whose `__init__` is compiled once more than a few are created."""

import copy
import pickle
import typing
from dataclasses import FrozenInstanceError, field, fields, replace

import pytest

from evallang.frozen_records import FEW, frozen, mutable


@frozen
class Point:
    """A place with defaults of each kind."""

    x: int
    y: int = 2
    marks: list[str] = field(default_factory=list)


@frozen
class Named(Point):
    """A record that adds a field."""

    name: str = field(default="", kw_only=True)


@pytest.mark.parametrize("created", ["first", "later"])
def test_records_are_the_same_whether_their_class_was_used_before(created):
    @frozen
    class Local(Point):
        """A class of which no record has been created."""

        z: int = 3

    if created == "later":
        assert [Local(n, z=n).z for n in range(FEW + 1)] == list(range(FEW + 1))
    one = Local(1, marks=["a"])
    assert (one.x, one.y, one.marks, one.z) == (1, 2, ["a"], 3)
    assert one == Local(x=1, y=2, marks=["a"], z=3)
    assert Local(1).marks is not Local(1).marks
    with pytest.raises(FrozenInstanceError):
        one.x = 5


def test_a_variable_of_the_class_is_no_field_however_it_is_written():
    @frozen
    class Local:
        """A record with one field."""

        x: int
        bare: typing.ClassVar = 1
        of_type: typing.ClassVar[int] = 2
        quoted: "typing.ClassVar" = 3
        quoted_of_type: "typing.ClassVar[int]" = 4
        other: "ClassVariable" = 5  # noqa: F821 - a name that merely begins alike

    assert [f.name for f in fields(Local)] == ["x", "other"]
    assert (Local(0).x, Local(0).bare, Local(0).quoted_of_type) == (0, 1, 4)
    with pytest.raises(TypeError):
        Local(0, bare=2)


@pytest.mark.parametrize("wrong", [{}, {"x": 1, "q": 2}])
def test_wrong_arguments_are_refused_the_first_time_and_later(wrong):
    @frozen
    class Local(Point):
        """A class of which no record has been created."""

    for _ in range(2):
        with pytest.raises(TypeError, match=r"__init__\(\)"):
            Local(**wrong)
    with pytest.raises(TypeError, match=r"__init__\(\)"):
        Named(1, 2, [], "given by its place")
    with pytest.raises(TypeError, match="multiple values for argument 'x'"):
        Named(1, x=2)


def test_a_record_of_a_subclass_does_not_change_its_base():
    named = Named(1, name="a")
    assert repr(named) == "Named(x=1, y=2, marks=[], name='a')"
    assert Point(1) == Point(1, 2, [])
    assert Point(1) != named
    assert replace(named, x=7) == Named(7, name="a")
    for again in (copy.copy(named), pickle.loads(pickle.dumps(named))):
        assert again == named


def test_a_class_that_would_be_changed_after_it_is_made_is_refused():
    class Later:
        number: int

        def __post_init__(self):
            """Do what no record calls."""

    with pytest.raises(TypeError, match="Later has `__post_init__`"):
        frozen(Later)


def test_records_that_hold_arrays_are_equal_to_themselves_alone():
    @frozen(eq=False)
    class Held:
        values: list[int]

    one = Held([1])
    assert one == one and one != Held([1]) and len({one, Held([1])}) == 2
    assert repr(one) == "Held(values=[1])"
    with pytest.raises(FrozenInstanceError):
        one.values = []


def test_a_mutable_record_changes():
    @mutable
    class Line:
        start: int
        words: list[str] = field(default_factory=list)

    line = Line(1)
    line.start = 5
    assert (line.start, line.words, line == Line(5)) == (5, [], False)
