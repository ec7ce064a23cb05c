"""Of models with the same average rank a report names the first, whatever the hash seed."""

from itertools import combinations
from types import SimpleNamespace

from evallang.reporting.context import Context


def test_pairs_are_read_from_the_first_of_the_models_that_share_the_best_rank():
    names = ["worst", *(f"model {i}" for i in range(12))]
    pairs = [SimpleNamespace(models=pair) for pair in combinations(names, 2)]
    ranks = SimpleNamespace(average={name: 13.0 if name == "worst" else 6.5 for name in names})
    comparison = SimpleNamespace(pairwise=pairs, ranks=ranks, against=None)
    study = SimpleNamespace(comparison_setting=lambda comparison: None)
    assert Context.best_first(study, comparison) == (*names[1:], "worst")
