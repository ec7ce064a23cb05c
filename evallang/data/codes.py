"""The codes of what only the data can show: E4xx errors, W4xx warnings."""

import evallang.data.design_codes
import evallang.data.outcome_codes
import evallang.data.source_codes  # noqa: F401 - both declare codes of this room
from evallang.diagnostics import Severity, declare

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
    severity=Severity.HINT,  # it harms no model, and images have dark corners
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

# --- strata, related data sets ------------------------------------------------------------

BINS_DO_NOT_FIT = declare(
    "E490",
    "bins_do_not_fit",
    "A target cannot be cut into that many bins.",
    reason="Bins are cut at quantiles of the target, and each needs as many rows as there are "
    "folds; classes are strata already.",
    wrong="stratify by target bins=50   # 100 rows, 10 folds",
    right="stratify by target bins=5",
)
STRATA_TOO_FINE = declare(
    "E491",
    "strata_too_fine",
    "Most rows are in strata with fewer members than there are folds.",
    reason="Such strata cannot be spread over the folds. Often a column of numbers, or an "
    "identifier, was named.",
    wrong="stratify by target, age",
    right="stratify by target, ward",
)
RARE_STRATA_MERGED = declare(
    "W422",
    "rare_strata_merged",
    "Strata with fewer members than there are folds were merged.",
    reason="They cannot be spread over the folds. The rows keep the levels of the first columns "
    "and give up those of the last.",
)
RELATED_DATA_SETS = declare(
    "W423",
    "related_data_sets",
    "Two data sets of a study share rows.",
    reason="Tests over data sets count each as an independent draw (Demšar 2006); copies and "
    "variants of one make differences look surer than they are.",
    source="Demšar 2006",
)
