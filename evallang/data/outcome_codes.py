"""What is wrong with predictions and counts made elsewhere (E44x, E45x, E46x, W40x)."""

from evallang.diagnostics import declare

# --- E44x: predictions made elsewhere ---------------------------------------------------

ID_NEEDED = declare(
    "E440",
    "id_needed_to_join",
    "Several files of predictions are given without the column that joins them.",
    reason="Files are joined by id, never by the order of their rows: one row too many would "
    "shift every prediction after it.",
    wrong='predictions p from "cnn.csv", "base.csv"\n  truth label',
    right='predictions p from "cnn.csv", "base.csv"\n  truth label\n  id sample_id',
)
ROWS_DIFFER = declare(
    "E441",
    "files_differ_in_rows",
    "Some rows are in one file of predictions and not in another.",
    reason="Models are compared on the same examples. `rows common` keeps those that every file "
    "has, and says how many were left out.",
    wrong='predictions p from "cnn.csv", "base.csv"\n  truth label\n  id sample_id',
    right='predictions p from "cnn.csv", "base.csv"\n  truth label\n  id sample_id\n  rows common',
)
FILES_CONFLICT = declare(
    "E442",
    "files_contradict",
    "Two files of predictions give the same row different values in a column that describes it.",
    reason="At least one of them is about another example, or another version of the data.",
    wrong='predictions p from "cnn.csv", "base-of-last-year.csv"\n  truth label\n  id sample_id',
    right='predictions p from "cnn.csv", "base.csv"\n  truth label\n  id sample_id',
)
AMBIGUOUS_COLUMN = declare(
    "E443",
    "column_in_several_files",
    "A model's column stands in several files.",
    reason="Files that a program wrote for each model often call its predictions alike, so the "
    "study says which file is meant.",
    wrong="models cnn as pred",
    right='models cnn as pred in "cnn.csv"',
)
MISSING_PREDICTION = declare(
    "E444",
    "missing_prediction",
    "A model has no prediction, score or value for some rows.",
    reason="Leaving such rows out for one model would compare the models on different examples, "
    "and counting them as wrong is a decision that the author must take.",
    wrong="truth label\nmodels cnn, base   # cnn is empty in some rows",
    right="truth label\nmodels cnn, base\nwhere cnn is not missing   # left out for both",
)
SCORES_DO_NOT_FIT = declare(
    "E445",
    "scores_do_not_fit_labels",
    "The columns of a model's scores do not match the labels of the truth.",
    reason="Each label needs exactly one score.",
    wrong='scores cnn = ["p0", "p1"]   # of three labels',
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
    wrong="score cnn = verdict   # `spam` and `ham`",
    right="score cnn = p_spam",
)
NO_LABELS = declare(
    "E448",
    "model_without_predictions",
    "A model has a threshold, and neither scores to put it to nor a column of labels.",
    reason="A threshold makes labels out of scores; without either there is nothing to evaluate.",
    wrong="truth label\nthreshold cnn = 0.3",
    right="truth label\nscore cnn = p_spam\nthreshold cnn = 0.3",
)
THRESHOLD_WITHOUT_USE = declare(
    "E449",
    "threshold_beside_labels",
    "A threshold is given for a model whose labels are given too, or not made from one score.",
    reason="Labels in the file were made with a threshold already, and with a score for each of "
    "several classes the largest score decides.",
    wrong="models cnn as verdict\nscore cnn = p_spam\nthreshold cnn = 0.3",
    right="score cnn = p_spam\nthreshold cnn = 0.3",
)
NO_MODELS = declare(
    "E452",
    "no_models_in_file",
    "A file has no column for a model.",
    reason="All columns that no clause names are taken for models, and none is left.",
    wrong='predictions p from "labels.csv"   # its only column is the truth\n  truth label',
    right='predictions p from "answers.csv"\n  truth label',
)
NO_LABEL_IS_TRUE = declare(
    "E453",
    "no_predicted_label_is_true",
    "None of the labels that a model predicts occurs in the truth.",
    reason="The labels are spelled in two ways, or a column of scores is taken for labels.",
    wrong="models cnn as p_spam",
    right="models cnn as verdict\nscore cnn = p_spam",
)

# --- E454, E455: repeats ------------------------------------------------------------------

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
    wrong="truth verdict_of_rater   # another rater in each run\nid sample_id\nrepeat run",
    right="truth consensus\nid sample_id\nrepeat run",
)

# --- E46x: counts ------------------------------------------------------------------------

PATTERN_SHAPE = declare(
    "E460",
    "pattern_does_not_fit_models",
    "A pattern does not hold one 0 or 1 for each model.",
    reason="A row of a file of patterns says for each model whether it was right (1) or wrong "
    "(0), and how many examples were so.",
    wrong="cnn,base,n\n1,1,90\n2,0,6\n0,1,4",
    right="cnn,base,n\n1,1,90\n1,0,6\n0,1,4",
)
COUNT_NOT_WHOLE = declare(
    "E461",
    "count_is_not_a_whole_number",
    "A count is not a whole number of at least zero.",
    reason="It counts examples; shares and percentages lose how many there were.",
    wrong="cnn,base,n\n1,1,0.90\n1,0,0.06\n0,1,0.04",
    right="cnn,base,n\n1,1,90\n1,0,6\n0,1,4",
)
NO_EXAMPLES = declare(
    "E462",
    "no_examples_counted",
    "All counts of a table are zero.",
    reason="There is nothing to evaluate.",
    wrong="table [[0, 0], [0, 0]]",
    right="table [[90, 6], [4, 0]]",
)
PATTERN_TWICE = declare(
    "E463",
    "pattern_given_twice",
    "The same pattern is given two counts.",
    reason="Adding them up might be meant, or one of them might be a slip.",
    wrong="cnn,base,n\n1,1,90\n1,0,6\n1,0,4",
    right="cnn,base,n\n1,1,90\n1,0,6\n0,1,4",
)
TOO_MANY_EXAMPLES = declare(
    "E464",
    "too_many_examples_counted",
    "A table counts more examples than the limit.",
    reason="Counts are expanded to one row for each example.",
    wrong="table [[9_000_000_000, 6], [4, 0]]",
    right="table [[9_000_000, 6], [4, 0]]",
)

# --- W40x --------------------------------------------------------------------------------

UNSEEN_LABEL = declare(
    "W401",
    "predicted_label_never_true",
    "A model predicts a label that never occurs in the truth.",
    reason="Such predictions count as wrong. Often a label is only spelled differently.",
    wrong="models cnn as answer   # `ham`, `spam` and `unsure`",
    right="models cnn as verdict   # `ham` and `spam`",
)
SCORE_OF_OTHER_CLASS = declare(
    "W403",
    "score_of_the_other_class",
    "A model's scores are higher where it predicts the negative class.",
    reason="The score column probably belongs to the other class; an area under the curve would "
    "come out as one minus what it is.",
    wrong="positive spam\nmodels cnn as verdict\nscore cnn = p_ham",
    right="positive spam\nmodels cnn as verdict\nscore cnn = p_spam",
)
NOT_PROBABILITIES = declare(
    "W404",
    "scores_do_not_sum_to_one",
    "Scores between 0 and 1 do not sum to 1 over the labels.",
    reason="They are read as scores, not as probabilities: measures such as log_loss do not "
    "apply to them.",
    wrong="models cnn as verdict\nscores cnn = [sigmoid_ham, sigmoid_spam]",
    right="models cnn as verdict\nscores cnn = [p_ham, p_spam]",
)
