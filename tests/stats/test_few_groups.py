"""What is said of few groups, and where it is not."""

import numpy as np
import pytest

from evallang import stats


def grouped(count):
    """Losses of two models, and right and wrong, on `count` groups of three rows."""
    random = np.random.default_rng(count)
    codes = np.repeat(np.arange(count), 3)
    first, second = random.normal(size=(2, 3 * count)) + random.normal(size=count)[codes]
    return first, second, codes


FORMS = {
    "bootstrap interval": lambda x, y, g: (
        stats.intervals.bootstrap(stats.LossSample(x, groups=g), 0.95, 1, rounds=200).notes
    ),
    "bootstrap test": lambda x, y, g: (
        stats.bootstrap(
            stats.DifferenceSample(stats.LossSample(x, groups=g), stats.LossSample(y, groups=g)),
            rounds=200,
        ).notes
    ),
    "wilson": lambda x, y, g: stats.clustered_wilson(x > 0, g, 0.95)[0].notes,
    "delong": lambda x, y, g: (
        stats.delong(np.arange(len(x)) % 2, np.column_stack([x, y]), None, g).notes
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_fewer_than_fifty_groups_are_said_to_be_few_where_theory_needs_many(form):
    # Cameron & Miller 2015: few are fewer than 20 to 50; docs/validation.md has the coverage
    said = [note for note in FORMS[form](*grouped(49)) if note.startswith("only 49 groups")]
    assert len(said) == 1
    assert ("p too small" in said[0]) == (form in ("bootstrap test", "delong"))
    assert not any("groups: with fewer" in note for note in FORMS[form](*grouped(50)))


def test_forms_that_keep_their_level_with_few_groups_say_nothing_of_it():
    x, y, codes = grouped(12)
    assert not any("too" in note for note in stats.t(x, y, groups=codes).notes)
    right = np.column_stack([x > 0, y > 0])
    table = [[(right.all(1)).sum(), (right[:, 0] & ~right[:, 1]).sum()],
             [(right[:, 1] & ~right[:, 0]).sum(), (~right).all(1).sum()]]  # fmt: skip
    assert stats.mcnemar(table, correct=right, groups=codes).notes == ()
    swapper = stats.LossSwapper(x, y, groups=codes)
    assert not any("too" in note for note in stats.permutation(swapper).notes)


def test_rows_without_groups_are_not_few_groups():
    x, _, _ = grouped(4)
    assert stats.intervals.bootstrap(stats.LossSample(x), 0.95, 1, rounds=200).notes == ()
