"""What is wrong with predictions, counts and tables of scores made elsewhere."""

from evallang.diagnostics import declare

# --- E44x: predictions made elsewhere ---------------------------------------------------

ID_NEEDED = declare(
    "E440",
    "id_needed_to_join",
    "Several files of predictions are given without the column that joins them.",
    reason="Files are joined by id, never by the order of their rows: one row too many would "
    "shift every prediction after it.",
    wrong='predictions p from "a.csv", "b.csv"',
    right='predictions p from "a.csv", "b.csv"\n  id sample_id',
)
ROWS_DIFFER = declare(
    "E441",
    "files_differ_in_rows",
    "Some rows are in one file of predictions and not in another.",
    reason="Models are compared on the same examples.",
    wrong='predictions p from "a.csv", "b.csv"\n  id sample_id',
    right='predictions p from "a.csv", "b.csv"\n  id sample_id\n  rows common',
)
FILES_CONFLICT = declare(
    "E442",
    "files_contradict",
    "Two files of predictions give the same row different values in a column that describes it.",
    reason="At least one of them is about another example, or another version of the data.",
)
AMBIGUOUS_COLUMN = declare(
    "E443",
    "column_in_several_files",
    "A model's column stands in several files.",
    reason="Which of them is meant must be written.",
    wrong="models cnn as pred",
    right='models cnn as pred in "cnn.csv"',
)
MISSING_PREDICTION = declare(
    "E444",
    "missing_prediction",
    "A model has no prediction, score or value for some rows.",
    reason="Leaving such rows out would compare the models on different examples; counting "
    "them as wrong is a decision that the author must take.",
)
SCORES_DO_NOT_FIT = declare(
    "E445",
    "scores_do_not_fit_labels",
    "The columns of a model's scores do not match the labels of the truth.",
    reason="Each label needs exactly one score.",
    wrong='scores cnn = ["p0", "p1"]  # three labels',
    right='scores cnn = ["p0", "p1", "p2"]',
)
NOT_JUDGED = declare(
    "E446",
    "judgement_is_not_right_or_wrong",
    "A column of judged outcomes holds something other than 0, 1, true and false.",
    reason="Fractions of a point are values: write `value` and the name of the measure.",
    wrong="correct llama as rouge",
    right='value "ROUGE-L" llama as rouge',
)
NOT_NUMERIC = declare(
    "E447",
    "prediction_not_numeric",
    "A column that must hold numbers holds something else.",
    reason="Scores, values and the predictions of a regression are numbers.",
)
NO_LABELS = declare(
    "E448",
    "model_without_predictions",
    "A model has neither a column of labels nor scores to take them from.",
    reason="There is nothing to evaluate.",
)
THRESHOLD_WITHOUT_USE = declare(
    "E449",
    "threshold_beside_labels",
    "A threshold is given for a model whose labels are given too, or not made from one score.",
    reason="Labels in the file were made with a threshold already; with one score a class the "
    "largest score decides.",
)
NO_MODELS = declare(
    "E452",
    "no_models_in_file",
    "A file of predictions has no column for a model.",
    reason="All columns that no clause names are taken for models, and none is left.",
)
NO_TRUTH = declare(
    "E451",
    "no_truth",
    "Predictions are given without the column that says what is true.",
    reason="A prediction can be judged only by the truth; outcomes judged already are read by "
    "`correct` and `value`.",
    wrong='predictions p from "p.csv"\n  models cnn',
    right='predictions p from "p.csv"\n  truth label\n  models cnn',
)

NO_LABEL_IS_TRUE = declare(
    "E453",
    "no_predicted_label_is_true",
    "None of the labels that a model predicts occurs in the truth.",
    reason="Labels spelled in two ways, or a column of scores taken for labels.",
    wrong="models cnn as p_toxic",
    right='models cnn as yhat\nscore cnn = "p_toxic"',
)

# --- E46x: counts ------------------------------------------------------------------------

PATTERN_SHAPE = declare(
    "E460",
    "pattern_does_not_fit_models",
    "A pattern has not one 0 or 1 for each model.",
    reason="A pattern says for each model, in their order, whether it was right (1) or wrong.",
    wrong="models a, b, c\npattern [1, 0]: 12",
    right="models a, b, c\npattern [1, 0, 1]: 12",
)
COUNT_NOT_WHOLE = declare(
    "E461",
    "count_is_not_a_whole_number",
    "A count is not a whole number of at least zero.",
    reason="It counts examples.",
)
NO_EXAMPLES = declare(
    "E462",
    "no_examples_counted",
    "All counts of a table are zero, or there are none.",
    reason="There is nothing to evaluate.",
)
PATTERN_TWICE = declare(
    "E463",
    "pattern_given_twice",
    "The same pattern is given two counts.",
    reason="Adding them up might be meant, or one of them might be a slip.",
)
TOO_MANY_EXAMPLES = declare(
    "E464",
    "too_many_examples_counted",
    "A table counts more examples than the limit.",
    reason="Counts are expanded to one row per example.",
)

# --- E454 on: repeats, data sets in one file ----------------------------------------------

REPEATS_NEED_ID = declare(
    "E454",
    "repeats_need_id",
    "Predictions with repeats have no column that names the examples.",
    reason="The example is the unit: its mean over the repeats enters intervals and tests, so "
    "rows of one example must be known as such.",
    wrong="truth label\nrepeat run",
    right="truth label\nid sample_id\nrepeat run",
)
REPEATS_CONTRADICT = declare(
    "E455",
    "repeats_contradict",
    "A column that describes an example differs between its repeats.",
    reason="An example has one truth, one group and one weight; rows that differ in them are "
    "about several examples with one id.",
)

# --- E484 on: tables of scores ------------------------------------------------------------

SCORE_NOT_NUMERIC = declare(
    "E484",
    "score_not_numeric",
    "A cell of a table of scores is not one finite number.",
    reason="Means and ranks are computed from it. A mean with its spread in one cell (0.91 ± "
    "0.02), a percent sign or a footnote mark make it text.",
    wrong="name,nb,rf\niris,0.94 ± 0.02,0.95",
    right="name,nb,rf\niris,0.94,0.95",
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
)
NO_COMPLETE_DATA_SET = declare(
    "E487",
    "no_complete_data_set",
    "No data set has a score of every model.",
    reason="Models are compared on the data sets that all of them were run on, and there is none.",
)
SCORE_COLUMNS = declare(
    "E488",
    "score_columns_unclear",
    "A table of scores does not say where its models stand.",
    reason="Either each model has a column (`models A, B`), or one column names the model and "
    "another holds its score (`model COL` and `score COL`).",
    wrong="dataset name\nmodel algorithm",
    right="dataset name\nmodel algorithm\nscore auc",
)
NO_SUCH_MODEL = declare(
    "E489",
    "no_scores_of_model",
    "A model that a table of scores should hold has no row in it.",
    reason="Names are compared letter by letter.",
)
MISSING_SCORE = declare(
    "W421",
    "missing_score",
    "Some models have no score on some data sets.",
    reason="The tests over data sets leave such data sets out, or rank the missing score last "
    "(`missing=worst`). Runs that fail are rarely missing by chance: they tend to be the large "
    "or hard data sets.",
)
