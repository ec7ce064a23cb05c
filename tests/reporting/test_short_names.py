"""Names that are too long for a figure remain apart."""

from hypothesis import given, settings, strategies as st

from evallang.reporting import fonts

WINDOWS = [f"Gradient boosting with window {i}, satellite images and maps" for i in (1, 2, 10, 11)]


def test_names_that_differ_in_the_middle_keep_that_part():
    cut = fonts.shorten_names([*WINDOWS, "Ridge"], 7.5, 96)
    assert [name.removesuffix("…").split()[-1] for name in cut[:4]] == ["1", "2", "10", "11"]
    assert all(name.startswith("Grad") and fonts.width(name, 7.5) <= 96 for name in cut[:4])
    assert cut[4] == "Ridge"


@given(
    start=st.text("abc de", min_size=20, max_size=60),
    own=st.lists(st.integers(1, 999), min_size=2, max_size=8, unique=True),
    end=st.text("xyz ,", max_size=60),
)
@settings(max_examples=100)
def test_numbers_inside_names_are_always_seen(start, own, end):
    cut = fonts.shorten_names([f"{start} {n} {end}" for n in own], 7.5, 96)
    assert len(set(cut)) == len(own)
    assert all(fonts.width(name, 7.5) <= 96 for name in cut)
