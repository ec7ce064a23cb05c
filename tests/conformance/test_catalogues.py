"""The catalogues agree with each other and with what the checker says of them."""

import pytest

from evallang.checking.rules.rule import load_codes
from evallang.diagnostics import CODES
from evallang.manual.glossary import REGISTRIES, entries

BOUNDED = [
    (entry, option)
    for registry in REGISTRIES.values()
    for entry in registry
    for option in entry.options
    if option.bounds is not None
]


@pytest.mark.parametrize(("entry", "option"), BOUNDED)
def test_a_number_outside_the_bounds_of_an_option_is_refused(entry, option):
    """Before the member computes anything, whatever its inputs are."""
    bounds = option.bounds
    outside = [end - 1 for end in (bounds.least, bounds.above) if end is not None]
    outside += [end + 1 for end in (bounds.most, bounds.below) if end is not None]
    outside += [end for end in (bounds.above, bounds.below) if end is not None]
    for number in outside:
        with pytest.raises(ValueError, match=f"^{option.name} must "):
            entry.function(*[None] * len(entry.inputs), **{option.name: number})


def test_every_code_says_why():
    load_codes()
    for code in CODES.values():
        assert code.words.reason, f"write `reason=` in the declaration of {code.code}"
        assert code.words.right or not code.words.wrong or code.code[:2] in ("E4", "E6", "W4"), (
            code.code
        )


def test_every_catalogue_can_be_listed():
    for name in (*REGISTRIES, "models", "rules", "codes", "statements"):
        listed = entries(name)
        if name in (*REGISTRIES, "models"):
            order = [(e.get("group", ""), e["name"]) for e in listed]
            assert order == sorted(order)
        assert all(entry["summary"] for entry in listed)
