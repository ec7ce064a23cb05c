"""All pairs of ten models over thirty data sets, beside scikit-posthocs.

scikit-posthocs gives p-values only. Ours gives three effect sizes with bootstrap intervals for
every pair as well, which is most of its time: 2,000 resamples, drawn once for all.

    python -m benchmarks.posthocs
"""

from itertools import combinations

from benchmarks._rows import peer  # isort: skip
from benchmarks._timing import compare, seconds, within  # isort: skip  # before numpy starts its threads

import numpy as np

from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.effect_sizes.over_data_sets import effects_over_data
from evallang.stats.hypothesis_tests.rank_posthoc import nemenyi
from evallang.stats.hypothesis_tests.signed_ranks import wilcoxon

scikit_posthocs = peer("scikit_posthocs")
N, MODELS = 30, 10
LONGEST = 0.3  # seconds
PAIRS = tuple(combinations(range(MODELS), 2))


def main() -> None:
    rng = np.random.default_rng(20181113)

    scores = rng.uniform(0.7, 0.9, (N, MODELS))
    theirs = scikit_posthocs.posthoc_nemenyi_friedman(scores)
    assert abs(nemenyi(scores, pair=(0, 1), better="higher").p - theirs.iloc[0, 1]) < 1e-9

    def holm() -> None:
        p = [wilcoxon(scores[:, i], scores[:, j]).p for i, j in PAIRS]
        CORRECTIONS["holm"].function(p)

    def all_pairs() -> None:
        for pair in PAIRS:
            nemenyi(scores, pair=pair, better="higher")

    def all_effects() -> None:
        for i, j in PAIRS:
            effects_over_data(scores[:, i], scores[:, j], 0.95, 0)

    effects = seconds(all_effects, runs=3)
    mine = seconds(all_pairs, runs=3)
    theirs = seconds(lambda: scikit_posthocs.posthoc_nemenyi_friedman(scores), runs=3)
    compare(f"Nemenyi, {len(PAIRS)} pairs, with effects", mine, "scikit-posthocs", theirs)
    within("of which effects and their intervals", effects, held=LONGEST)
    long = [column.tolist() for column in scores.T]
    mine = seconds(holm, runs=3)
    theirs = seconds(lambda: scikit_posthocs.posthoc_wilcoxon(long, p_adjust="holm"), runs=3)
    work = f"Wilcoxon with Holm, {len(PAIRS)} pairs, with effects"
    compare(work, mine, "scikit-posthocs", theirs, goal=1)


if __name__ == "__main__":
    main()
