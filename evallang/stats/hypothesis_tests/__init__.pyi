# Written by `python -m docs.generator` from the registries: do not edit.
# ruff: noqa
from evallang.stats.hypothesis_tests.aligned_ranks import friedman_aligned as friedman_aligned
from evallang.stats.hypothesis_tests.aligned_ranks import quade as quade
from evallang.stats.hypothesis_tests.bayesian_datasets import bayes_sign as bayes_sign
from evallang.stats.hypothesis_tests.bayesian_datasets import bayes_signed_rank as bayes_signed_rank
from evallang.stats.hypothesis_tests.bayesian_folds import bayes_t as bayes_t
from evallang.stats.hypothesis_tests.contingency import mcnemar as mcnemar
from evallang.stats.hypothesis_tests.contingency import proportions_z as proportions_z
from evallang.stats.hypothesis_tests.datasets import friedman as friedman
from evallang.stats.hypothesis_tests.equivalence import noninferiority as noninferiority
from evallang.stats.hypothesis_tests.equivalence import tost as tost
from evallang.stats.hypothesis_tests.folds import corrected_t as corrected_t
from evallang.stats.hypothesis_tests.folds import kfold_t as kfold_t
from evallang.stats.hypothesis_tests.folds import resampled_t as resampled_t
from evallang.stats.hypothesis_tests.losses import diebold_mariano as diebold_mariano
from evallang.stats.hypothesis_tests.losses import t as t
from evallang.stats.hypothesis_tests.matched_proportions import cochran as cochran
from evallang.stats.hypothesis_tests.matched_proportions import looney_f as looney_f
from evallang.stats.hypothesis_tests.one_sample import binomial as binomial
from evallang.stats.hypothesis_tests.one_sample import single_t as single_t
from evallang.stats.hypothesis_tests.rank_posthoc import bonferroni_dunn as bonferroni_dunn
from evallang.stats.hypothesis_tests.rank_posthoc import nemenyi as nemenyi
from evallang.stats.hypothesis_tests.ranking_curves import delong as delong
from evallang.stats.hypothesis_tests.resampling_tests import bootstrap as bootstrap
from evallang.stats.hypothesis_tests.resampling_tests import permutation as permutation
from evallang.stats.hypothesis_tests.signed_ranks import wilcoxon as wilcoxon
from evallang.stats.hypothesis_tests.signs import sign as sign
