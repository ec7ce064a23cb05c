"""All pairs of ten models over thirty data sets, beside scikit-posthocs.

scikit-posthocs gives p-values only. Ours gives three effect sizes with bootstrap intervals for
every pair of Nemenyi's test as well, which is nearly all of its time.

    python benchmarks/posthocs.py
"""

import sys
from itertools import combinations

from _timing import compare, seconds  # isort: skip  # before numpy starts its threads

import numpy as np
import scikit_posthocs

from evallang.stats.corrections import CORRECTIONS
from evallang.stats.hypothesis_tests.rank_posthoc import nemenyi
from evallang.stats.hypothesis_tests.signed_ranks import wilcoxon

N, MODELS = 30, 10
PAIRS = tuple(combinations(range(MODELS), 2))


def main() -> int:
    scores = np.random.default_rng(20181113).uniform(0.7, 0.9, (N, MODELS))
    theirs = scikit_posthocs.posthoc_nemenyi_friedman(scores)
    assert abs(nemenyi(scores, pair=(0, 1)).p - theirs.iloc[0, 1]) < 1e-9

    def holm() -> None:
        p = [wilcoxon(scores[:, i], scores[:, j]).p for i, j in PAIRS]
        CORRECTIONS["holm"].function(p)

    compare(
        f"Nemenyi, {len(PAIRS)} pairs, with effects and intervals",
        seconds(lambda: [nemenyi(scores, pair=pair) for pair in PAIRS], runs=3),
        "scikit-posthocs",
        seconds(lambda: scikit_posthocs.posthoc_nemenyi_friedman(scores), runs=3),
        None,
    )
    long = [column.tolist() for column in scores.T]
    compare(
        f"Wilcoxon with Holm, {len(PAIRS)} pairs",
        seconds(holm, runs=3),
        "scikit-posthocs",
        seconds(lambda: scikit_posthocs.posthoc_wilcoxon(long, p_adjust="holm"), runs=3),
        1,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
