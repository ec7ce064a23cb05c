"""The codes of what only the data can show: columns, rows and values, E42x and E43x.

The other codes of this room stand in the modules that are imported here.
"""

import evallang.data.design_codes
import evallang.data.outcome_codes
import evallang.data.score_codes
import evallang.data.source_codes
import evallang.data.table_codes  # noqa: F401 - all declare codes of this room
from evallang.diagnostics import declare

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
    "model that saw them would be told the answer, or which row it is asked about.",
    wrong="target readmitted\nfeatures age, readmitted",
    right="target readmitted\nfeatures age, ward",
)
NO_TARGET = declare(
    "E422",
    "no_target",
    "A data frame stands for a bundled data set, and nothing says which of its columns is the "
    "target.",
    reason="scikit-learn's own data sets know their target, and a frame that is given for one "
    "from Python does not. The last column is not taken for it, because a wrong guess would "
    "look like a result.",
    wrong='data flowers from sklearn iris   # run with data={"flowers": frame}',
    right='data flowers from sklearn iris   # run with data={"flowers": frame}\n  target species',
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
    reason="The errors of a regression are differences of numbers.",
    wrong="target ward\ntask regression",
    right="target days_in_hospital\ntask regression",
)
ONE_CLASS = declare(
    "E425",
    "one_class",
    "All rows have the same label.",
    reason="There is nothing to tell apart.",
    wrong="target readmitted\nwhere readmitted = yes",
    right="target readmitted",
)
UNKNOWN_POSITIVE = declare(
    "E426",
    "unknown_positive_label",
    "The positive label does not occur in the target.",
    wrong="target readmitted\npositive Yes",
    right="target readmitted\npositive yes",
    reason="Labels are compared as text, and as numbers where both are numbers.",
)
POSITIVE_OF_MANY = declare(
    "E427",
    "positive_needs_two_classes",
    "A positive label is given for a target that does not have two classes.",
    reason="Precision, recall and their kin are about one class against one other; with more "
    "classes they are averaged over all of them.",
    wrong="target ward\npositive A   # of A, B and C",
    right="target ward",
)
NO_FEATURES = declare(
    "E428",
    "no_features",
    "No column is left for the models to learn from.",
    reason="The target and the columns of id, group, weight and split are never features.",
    wrong="target readmitted\nfeatures all except visit_id, patient, age, ward, days_in_hospital",
    right="target readmitted\nfeatures all except visit_id, patient",
)
FEATURE_TYPE = declare(
    "E429",
    "unusable_feature_type",
    "A feature holds lists, objects or bytes, or the target holds neither numbers nor labels.",
    reason="Lists, objects and binary values cannot reach a model as they are, and a date cannot "
    "be predicted; what to make of them is the author's choice.",
    wrong="features age, embedding   # a list in each row",
    right="features all except embedding",
)
INFINITE_VALUE = declare(
    "E430",
    "infinite_value",
    "A column that is used holds an infinite number.",
    reason="Means and distances are not defined for it, and scikit-learn's estimators refuse it. "
    "Often a division by zero made it, or a laboratory wrote it for `above the range`.",
    wrong="target readmitted\nfeatures age, creatinine   # `inf` in some rows",
    right='target readmitted\nfeatures age, creatinine\nmissing "inf"',
)
TOO_FEW_ROWS = declare(
    "E431",
    "too_few_rows",
    "The data have only one row.",
    reason="It cannot be both trained on and tested on.",
    wrong="target readmitted\nwhere visit_id = 7",
    right="target readmitted\nwhere visit_id > 7",
)
NO_ROWS_LEFT = declare(
    "E432",
    "no_rows_left",
    "No row is left after a where line.",
    reason="The value never occurs, or two lines exclude each other. Labels and levels are "
    "compared letter by letter.",
    wrong="target readmitted\nwhere ward = a",
    right="target readmitted\nwhere ward = A",
)
ORDERING_OF_TEXT = declare(
    "E433",
    "ordering_of_text",
    "A where line asks for the order of values that have none.",
    reason='As text "10" stands before "9"; an order that depends on spelling is rarely meant.',
    wrong="where stage >= 2   # the stages are I, II and III",
    right="where stage in [II, III]",
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
    wrong="target readmitted\ngroup patient   # unknown for some visits",
    right="target readmitted\ngroup patient\nwhere patient is not missing",
)
ID_TWICE = declare(
    "E436",
    "id_occurs_twice",
    "An id names more than one row.",
    reason="Rows are matched by id, and two rows of one id could be exchanged unseen. A column "
    "that several rows share names a group.",
    wrong="target readmitted\nid patient   # some came twice",
    right="target readmitted\nid visit_id\ngroup patient",
)
UNUSABLE_WEIGHT = declare(
    "E437",
    "unusable_weight",
    "A weight is not a finite number of at least zero.",
    reason="A weight says for how many examples a row stands.",
    wrong="target readmitted\nweight design_weight   # -9 where it is unknown",
    right="target readmitted\nweight design_weight\nwhere design_weight >= 0",
)
NOT_A_FEATURE = declare(
    "E438",
    "categorical_is_no_feature",
    "A column listed as categorical is not among the features.",
    reason="The clause would have no effect.",
    wrong="target readmitted\nfeatures age\ncategorical ward",
    right="target readmitted\nfeatures age, ward\ncategorical ward",
)
