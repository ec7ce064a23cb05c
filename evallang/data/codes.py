"""The codes of what only the data can show: E4xx errors, W4xx warnings."""

from evallang.diagnostics import declare

# --- E40x: files -----------------------------------------------------------------------

FILE_NOT_FOUND = declare(
    "E401",
    "file_not_found",
    "A data file is not where the study says it is.",
    reason="Paths are relative to the folder of the study's own file, not to the folder in "
    "which the command is called.",
    wrong='data visits from "visit.csv"\n  target readmitted',
    right='data visits from "visits.csv"\n  target readmitted',
)
REMOTE_PATH = declare(
    "E402",
    "remote_path",
    "A data path is an address of another machine.",
    reason="A study opens no network connection: what it reads must lie beside it, so that it "
    "can be read again in ten years.",
    wrong='data visits from "https://example.org/visits.csv"\n  target readmitted',
    right='data visits from "visits.csv"\n  target readmitted',
)
UNKNOWN_ENDING = declare(
    "E403",
    "unknown_file_ending",
    "A data file's ending is none that can be read.",
    reason="The ending decides how a file is read: .csv, .tsv, .parquet and .jsonl, and the "
    "text formats with .gz behind.",
    wrong='data visits from "visits.xlsx"\n  target readmitted',
    right='data visits from "visits.csv"\n  target readmitted',
)
FILE_TOO_LARGE = declare(
    "E404",
    "file_too_large",
    "A data file is larger than the limit.",
    reason="A table is held in memory several times over while it is read; beyond the limit a "
    "machine would rather stop answering than read it. It also stops small compressed files "
    "that unpack into enormous ones.",
)
UNREADABLE_FILE = declare(
    "E405",
    "unreadable_file",
    "A data file cannot be read as what its ending says.",
    reason="The file is damaged, is not of that format, is a folder, or may not be opened.",
)
NOT_UTF8 = declare(
    "E406",
    "text_not_utf8",
    "A text file is not UTF-8, or holds bytes that no text has.",
    reason="In another encoding the same bytes are other letters, so labels and levels would "
    "silently change with the machine.",
)
EMPTY_FILE = declare(
    "E407", "no_rows_in_file", "A data file holds no rows.", reason="There is nothing to evaluate."
)
RAGGED_LINE = declare(
    "E408",
    "ragged_line",
    "A line has another number of fields than the header.",
    reason="Its values would stand in the wrong columns.",
    wrong="age,ward\n34,A\n51,B,extra",
    right="age,ward\n34,A\n51,B",
)
DUPLICATE_COLUMN = declare(
    "E409",
    "column_name_twice",
    "Two columns of a file have the same name.",
    reason="A clause that names the column would be about either of them.",
    wrong="age,age,ward",
    right="age,age_at_discharge,ward",
)
MALFORMED_JSON = declare(
    "E410",
    "malformed_json_line",
    "A line of a JSON Lines file is no JSON object.",
    reason="Each line is one row: an object that maps column names to values.",
    wrong='[{"id": 1}, {"id": 2}]',
    right='{"id": 1}\n{"id": 2}',
)
UNKNOWN_BUNDLED = declare(
    "E411",
    "unknown_bundled_data",
    "A bundled data set of that name does not exist.",
    reason="Bundled with scikit-learn, and read without a network, are iris, wine, "
    "breast_cancer, digits and diabetes.",
    wrong="data flowers from sklearn irises",
    right="data flowers from sklearn iris",
)
SOURCE_NOT_READ = declare(
    "E412",
    "source_not_read",
    "This version does not read data from that kind of source.",
    reason="Tables come from files and from the bundled data sets.",
)
SAME_STEM = declare(
    "E413",
    "data_sets_share_a_name",
    "Two files of a glob would give data sets of the same name.",
    reason="Data sets of a glob are named after their files without folder and ending.",
)

# --- E42x: columns, rows and values ----------------------------------------------------

UNKNOWN_COLUMN = declare(
    "E420",
    "unknown_column",
    "A clause names a column that the data do not have.",
    wrong="target readmited",
    right="target readmitted",
    reason="Names are compared letter by letter; names with blanks stand in quotes.",
)
COLUMN_IN_TWO_ROLES = declare(
    "E421",
    "column_in_two_roles",
    "One column is given two roles that exclude each other.",
    reason="The target and the columns of id, group, weight and split are never features: a "
    "model that saw them would be told the answer, or who is asked.",
    wrong="target readmitted\nfeatures age, readmitted",
    right="target readmitted\nfeatures age, ward",
)
NO_TARGET = declare(
    "E422",
    "no_target",
    "A data set does not say which column is to be predicted.",
    reason="Only the bundled data sets know their target; the last column of a file is not "
    "taken for it, because a wrong guess would look like a result.",
    wrong='data visits from "visits.csv"',
    right='data visits from "visits.csv"\n  target readmitted',
)
MISSING_TARGET = declare(
    "E423",
    "missing_target",
    "The target is missing in some rows.",
    reason="Such rows are never dropped silently: why the outcome is unknown may be the most "
    "important fact about them.",
    wrong="target readmitted",
    right="target readmitted\nwhere readmitted is not missing",
)
TARGET_NOT_NUMERIC = declare(
    "E424",
    "target_not_numeric",
    "The target of a regression is not a number in every row.",
    reason="Errors of a regression are differences of numbers.",
    wrong="target ward\ntask regression",
    right="target ward\ntask classification",
)
ONE_CLASS = declare(
    "E425",
    "one_class",
    "All rows have the same label.",
    reason="There is nothing to tell apart.",
)
UNKNOWN_POSITIVE = declare(
    "E426",
    "unknown_positive_label",
    "The positive label does not occur in the target.",
    wrong="target readmitted\npositive Yes",
    right="target readmitted\npositive yes",
    reason="Labels are compared as text, and as numbers where both are.",
)
POSITIVE_OF_MANY = declare(
    "E427",
    "positive_needs_two_classes",
    "A positive label is given for a target that has not two classes.",
    reason="Precision, recall and their kin are about one class against one other; with more "
    "classes they are averaged over all.",
)
NO_FEATURES = declare(
    "E428",
    "no_features",
    "No column is left for the models to learn from.",
    reason="The target and the columns of id, group, weight and split are never features.",
)
FEATURE_TYPE = declare(
    "E429",
    "unusable_feature_type",
    "A feature holds values that are neither numbers nor text.",
    reason="Dates, lists and binary values cannot reach a model as they are, and what to make "
    "of them (a year, a season, a length of time) is the author's choice.",
    wrong="features age, admitted_on",
    right="features all except admitted_on",
)
INFINITE_VALUE = declare(
    "E430",
    "infinite_value",
    "A column that is used holds an infinite number.",
    reason="Means, distances and scikit-learn's estimators are not defined for it.",
)
TOO_FEW_ROWS = declare(
    "E431",
    "too_few_rows",
    "The data have fewer than two rows.",
    reason="Nothing can be both trained on and tested on.",
)
NO_ROWS_LEFT = declare(
    "E432",
    "no_rows_left",
    "No row is left after a where line.",
    reason="A value that never occurs, or two lines that exclude each other.",
)
ORDERING_OF_TEXT = declare(
    "E433",
    "ordering_of_text",
    "A where line asks for the order of values that have none.",
    reason='As text "10" stands before "9"; an order that depends on spelling is rarely meant.',
    wrong="where ward < C",
    right="where ward in [A, B]",
)
INCOMPARABLE_VALUE = declare(
    "E434",
    "incomparable_value",
    "A where line compares a column with a value of another kind.",
    reason="A column of numbers is compared with a number, a column of dates with a date in "
    "quotes, year first.",
    wrong='where admitted_on >= "1/3/2024"',
    right='where admitted_on >= "2024-03-01"',
)
MISSING_IN_ROLE = declare(
    "E435",
    "missing_value_in_role",
    "A column that every row needs is missing in some.",
    reason="A row without id, group, weight, fold or split cannot be placed.",
)
ID_TWICE = declare(
    "E436",
    "id_occurs_twice",
    "An id names more than one row.",
    reason="Rows are matched by id; two rows of one id could be exchanged unseen.",
)
UNUSABLE_WEIGHT = declare(
    "E437",
    "unusable_weight",
    "A weight is not a finite number of at least zero.",
    reason="Weights say how much a row counts.",
)
NOT_A_FEATURE = declare(
    "E438",
    "categorical_is_no_feature",
    "A column listed as categorical is not among the features.",
    reason="The clause would have no effect.",
    wrong="features age\ncategorical ward",
    right="features age, ward\ncategorical ward",
)

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

# --- E47x: data and the protocol ---------------------------------------------------------

CLASS_SMALLER_THAN_FOLDS = declare(
    "E470",
    "class_smaller_than_folds",
    "A class has fewer members than there are folds.",
    reason="Some folds would hold no example of it, so that recall, and every measure made of "
    "it, is undefined there.",
)
FEWER_GROUPS_THAN_FOLDS = declare(
    "E471",
    "fewer_groups_than_folds",
    "There are fewer groups than folds.",
    reason="Groups are never divided, so a fold would be empty.",
)
TARGET_AMONG_FEATURES = declare(
    "E472",
    "target_among_features",
    "A feature says the same as the target in every row.",
    reason="The models would be told the answer: every score would be perfect and mean "
    "nothing (leakage: Kaufman et al. 2012).",
    source="Kaufman et al. 2012",
)
TASKS_DIFFER = declare(
    "E473",
    "data_sets_differ_in_task",
    "Some data sets of a study are classifications and others regressions.",
    reason="Measures, models and tests belong to one of them.",
)

# --- W4xx --------------------------------------------------------------------------------

UNSEEN_LABEL = declare(
    "W401",
    "predicted_label_never_true",
    "A model predicts a label that never occurs in the truth.",
    reason="Such predictions count as wrong. Often a label is only spelled differently.",
)
NUMBERS_WITH_TEXT = declare(
    "W402",
    "numbers_mixed_with_text",
    "A column would be numbers if a few values were read as missing.",
    reason="One word among numbers makes the whole column text, and each number a category.",
    wrong="features all except id",
    right='features all except id\nmissing "NA"',
)
SCORE_OF_OTHER_CLASS = declare(
    "W403",
    "score_of_the_other_class",
    "A model's scores are higher where it predicts the negative class.",
    reason="The score column probably belongs to the other class; ranking measures would come "
    "out as one minus what they are.",
)
NOT_PROBABILITIES = declare(
    "W404",
    "scores_do_not_sum_to_one",
    "Scores between 0 and 1 do not sum to 1 over the labels.",
    reason="They are read as scores, not as probabilities: measures such as log_loss do not "
    "apply to them.",
)
CONSTANT_FEATURE = declare(
    "W410",
    "constant_feature",
    "A feature has the same value in every row, or none at all.",
    reason="It can tell no two rows apart; often a filter or a join went wrong.",
)
ID_LIKE_FEATURE = declare(
    "W411",
    "id_like_feature",
    "A feature has a different value in every row, as an identifier has.",
    reason="A model can learn rows by heart from it, and order of collection may leak the "
    "outcome (Kaufman et al. 2012).",
    wrong='data visits from "visits.csv"\n  target readmitted',
    right='data visits from "visits.csv"\n  target readmitted\n  id visit_id',
    source="Kaufman et al. 2012",
)
DUPLICATED_ROWS = declare(
    "W412",
    "duplicated_rows",
    "Rows with equal features and target can stand on both sides of a split.",
    reason="The models are then tested on what they were trained on.",
    wrong='data visits from "visits.csv"\n  target readmitted',
    right='data visits from "visits.csv"\n  target readmitted\n  group patient_id',
)
FEW_GROUPS = declare(
    "W413",
    "few_groups",
    "There are fewer than 10 groups.",
    reason="The group is the unit of every interval and test, so this is the sample size; "
    "methods for clustered data rely on many groups.",
)
STANDARDISED_FEATURES = declare(
    "W414",
    "already_standardised_features",
    "The numeric features were standardised before the data were split.",
    reason="Means and spreads of the test rows are then part of the training rows. Give the "
    "raw values and write the scaler as a step of the model.",
    right="model logistic = StandardScaler | LogisticRegression",
)

ASSIGNMENT_MISMATCH = declare(
    "E474",
    "assignment_mismatch",
    "A file of folds that does not fit the data.",
    reason="A row without a fold would silently be left out, or land in a fold by chance.",
    wrong='protocol split from "folds.csv"   # with fewer lines than the data have rows',
    right='protocol split from "folds.csv"   # one line for each row, or matched by `id`',
)
