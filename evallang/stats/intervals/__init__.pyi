# Written by `python -m docs.generator` from the registries: do not edit.
# ruff: noqa
from evallang.stats.intervals.bootstrap_bounds import bootstrap as bootstrap
from evallang.stats.intervals.class_areas import multiclass_auc as multiclass_auc
from evallang.stats.intervals.confusion_delta import delta as delta
from evallang.stats.intervals.cross_validation import corrected_t as corrected_t
from evallang.stats.intervals.cross_validation import cv_clt as cv_clt
from evallang.stats.intervals.cross_validation import t as t
from evallang.stats.intervals.differences import agresti_min as agresti_min
from evallang.stats.intervals.differences import bonett_price as bonett_price
from evallang.stats.intervals.differences import newcombe as newcombe
from evallang.stats.intervals.differences import newcombe_independent as newcombe_independent
from evallang.stats.intervals.differences import paired_wald as paired_wald
from evallang.stats.intervals.differences import tango as tango
from evallang.stats.intervals.f_scores import takahashi as takahashi
from evallang.stats.intervals.few_groups import wild_clusters as wild_clusters
from evallang.stats.intervals.influence import jackknife as jackknife
from evallang.stats.intervals.pairs_of_folds import nested_cv as nested_cv
from evallang.stats.intervals.proportions import agresti_coull as agresti_coull
from evallang.stats.intervals.proportions import clopper_pearson as clopper_pearson
from evallang.stats.intervals.proportions import jeffreys as jeffreys
from evallang.stats.intervals.proportions import wald as wald
from evallang.stats.intervals.proportions import wilson as wilson
from evallang.stats.intervals.ranking import cv_auc as cv_auc
from evallang.stats.intervals.ranking import delong as delong
from evallang.stats.intervals.ratio_of_sums import ratio as ratio
from evallang.stats.intervals.readers import obuchowski_rockette as obuchowski_rockette
from evallang.stats.intervals.sums_of_shares import sum_of_shares as sum_of_shares
