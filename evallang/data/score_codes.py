"""What is wrong with tables of scores made elsewhere (E484 to E489, W421)."""

from evallang.diagnostics import declare

SCORE_NOT_NUMERIC = declare(
    "E484",
    "score_not_numeric",
    "A cell of a table of scores is not one finite number.",
    reason="Means and ranks are computed from it. A mean with its spread in one cell, a percent "
    "sign or a footnote mark make it text.",
    wrong="name,nb,rf\niris,0.94 ± 0.02,0.95\nwine,0.97,0.98",
    right="name,nb,rf\niris,0.94,0.95\nwine,0.97,0.98",
)
SCORE_TWICE = declare(
    "E485",
    "score_given_twice",
    "A table of scores has two scores for the same model in the same place.",
    reason="One of them would silently be dropped, or both averaged. Often a column that tells "
    "rows apart is not named: the fold, the repeat, the data set.",
    wrong='scores auc from "auc.csv"\n  dataset name\n  models nb, rf',
    right='scores auc from "auc.csv"\n  dataset name\n  fold fold\n  models nb, rf',
)
FOLDS_DIFFER = declare(
    "E486",
    "folds_differ",
    "Not every model has a score in every fold and repeat of a data set.",
    reason="Folds are compared one by one: a model without the hard fold would look better than "
    "it is.",
    wrong="name,fold,nb,rf\niris,1,0.94,0.95\niris,2,,0.93",
    right="name,fold,nb,rf\niris,1,0.94,0.95\niris,2,0.91,0.93",
)
NO_COMPLETE_DATA_SET = declare(
    "E487",
    "no_complete_data_set",
    "No data set has a score of every model.",
    reason="Models are compared on the data sets that all of them were run on, and there is none.",
    wrong="name,nb,rf\niris,0.94,\nwine,,0.98",
    right="name,nb,rf\niris,0.94,0.95\nwine,0.97,0.98",
)
NO_SUCH_MODEL = declare(
    "E489",
    "no_scores_of_model",
    "A model that a table of scores should hold has no row in it.",
    reason="Names are compared letter by letter.",
    wrong='scores auc from "auc-long.csv"\n  dataset name\n  model algorithm\n  score auc\n'
    "  models nb, rff",
    right='scores auc from "auc-long.csv"\n  dataset name\n  model algorithm\n  score auc\n'
    "  models nb, rf",
)
MISSING_SCORE = declare(
    "W421",
    "missing_score",
    "Some models have no score on some data sets.",
    reason="The tests over data sets leave such data sets out, or rank the missing score last "
    "(`missing=worst`). Runs that fail are rarely missing by chance: they tend to be the large "
    "or hard data sets.",
    wrong="name,nb,rf\niris,0.94,0.95\nwine,0.97,",
    right="name,nb,rf\niris,0.94,0.95\nwine,0.97,0.98",
)
