"""The codes of a table as a whole: its classes, groups, copies and features (E47x, W40x, W41x)."""

from evallang.diagnostics import Severity, declare

# --- E47x: data and the protocol ---------------------------------------------------------

CLASS_SMALLER_THAN_FOLDS = declare(
    "E470",
    "class_smaller_than_folds",
    "A class has fewer members than there are folds.",
    reason="Some folds would hold no example of it, so that recall, and every measure made of "
    "it, is undefined there.",
    wrong="protocol cv folds=10   # a class has 4 rows",
    right="protocol cv folds=4",
)
FEWER_GROUPS_THAN_FOLDS = declare(
    "E471",
    "fewer_groups_than_folds",
    "There are fewer groups than folds.",
    reason="Groups are never divided, so that some folds would be empty.",
    wrong="group by hospital   # of 6\nprotocol cv folds=10",
    right="group by hospital   # of 6\nprotocol cv folds=6",
)
TARGET_AMONG_FEATURES = declare(
    "E472",
    "target_among_features",
    "A feature says the same as the target in every row.",
    reason="The models would be told the answer: every score would be perfect and mean "
    "nothing. Such leaks are common, and often are a code that was given after the outcome.",
    wrong="target readmitted\nfeatures age, second_admission",
    right="target readmitted\nfeatures age",
    source="Kaufman et al. 2012",
)
TASKS_DIFFER = declare(
    "E473",
    "data_sets_differ_in_task",
    "Some data sets of a study are classifications and others regressions.",
    reason="Measures, models and tests belong to one of the two.",
    wrong='data first from "visits.csv"\n  target readmitted\n'
    'data second from "visits.csv"\n  target days_in_hospital',
    right='data first from "visits.csv"\n  target readmitted\n'
    'data second from "visits.csv"\n  target died',
)
ASSIGNMENT_MISMATCH = declare(
    "E474",
    "assignment_mismatch",
    "A file of folds does not fit the data.",
    reason="A row without a fold would silently be left out, or land in a fold by chance.",
    wrong='protocol split from "folds-of-last-year.csv"   # with fewer lines than the data',
    right='protocol split from "folds.csv"   # a line for each row, or matched by `id`',
)

# --- W40x, W41x --------------------------------------------------------------------------

NUMBERS_WITH_TEXT = declare(
    "W402",
    "numbers_mixed_with_text",
    "A column would be numbers if a few values were read as missing.",
    reason="One word among numbers makes the whole column text, and each number a category.",
    wrong="target readmitted\nfeatures age, creatinine   # `unknown` in some rows",
    right='target readmitted\nfeatures age, creatinine\nmissing "unknown"',
)
CONSTANT_FEATURE = declare(
    "W410",
    "constant_feature",
    "A feature has the same value in every row, or none at all.",
    severity=Severity.HINT,  # it harms no model, and images have dark corners
    reason="It can tell no two rows apart; often a filter or a join went wrong.",
    wrong="target readmitted\nfeatures age, country   # all from one country",
    right="target readmitted\nfeatures age",
)
ID_LIKE_FEATURE = declare(
    "W411",
    "id_like_feature",
    "A feature has a different value in every row, or nearly so, as an identifier has.",
    reason="A model can learn rows by heart from it, and numbers that were given in the order of "
    "collection can give the outcome away. If more than half of the rows have a text of their "
    "own, most test rows have a text that does not occur in training. Whole numbers "
    "that are neither in order nor close together are taken for measurements.",
    wrong='data visits from "visits.csv"\n  target readmitted',
    right='data visits from "visits.csv"\n  target readmitted\n  id visit_id',
    source="Kaufman et al. 2012",
)
DATES_AS_CATEGORIES = declare(
    "W415",
    "dates_as_categories",
    "A feature holds dates or times of day, as categories or as numbers of eight digits.",
    reason="A category knows no order and no distance, and the dates of later rows were never met "
    "in training. Numbers such as 20210825 have distances that are not days. It makes no "
    "difference in which form a date is written.",
    wrong="target readmitted\nfeatures age, visit   # 25.08.2021",
    right="target readmitted\nfeatures age, days_since_start",
)
NUMBERS_AS_CATEGORIES = declare(
    "W416",
    "numbers_as_categories",
    "A feature holds numbers with a unit or in another spelling, and each would be a category.",
    reason="`12 mg` or `1,234.5` is text to every reader of files, so the order and the distance "
    "of the numbers are lost.",
    wrong="target readmitted\nfeatures age, dose   # 12 mg",
    right="target readmitted\nfeatures age, dose_mg",
)
REPEATED_UNITS = declare(
    "W417",
    "repeated_units_without_group",
    "A column named like an identifier or a unit, such as `patient`, has several rows per value, "
    "and no `group` is named.",
    reason="Rows of one patient, user or session are alike, so a split that separates them "
    "tests on what was learnt, and intervals that count each row are too narrow. With fewer than "
    "10 different values the column may equally well be a category.",
    wrong='data visits from "visits.csv"\n  target readmitted',
    right='data visits from "visits.csv"\n  target readmitted\n  group patient_id',
)
DUPLICATED_ROWS = declare(
    "W412",
    "duplicated_rows",
    "Rows with equal features and target can stand on both sides of a split.",
    reason="The models are then tested on what they were trained on. Rows of one group stay on "
    "one side.",
    wrong='data visits from "visits.csv"\n  target readmitted',
    right='data visits from "visits.csv"\n  target readmitted\n  group patient',
)
FEW_GROUPS = declare(
    "W413",
    "few_groups",
    "There are fewer than 10 groups.",
    reason="The group is the unit of every interval and test, so that their number is the sample "
    "size. Methods for clustered data rely on many groups: with few of them intervals are too "
    "narrow, and tests reject too often or cannot reject at all.",
    wrong="target readmitted\ngroup hospital   # of 6",
    right="target readmitted\ngroup patient",
    source="Cameron, Gelbach & Miller 2008",
)
STANDARDISED_FEATURES = declare(
    "W414",
    "already_standardised_features",
    "The numeric features were standardised before the data were split.",
    reason="Means and spreads of the test rows have then shaped the training rows. Give the raw "
    "values, and write the scaler as a step of the model: it is fitted on training rows alone.",
    wrong='data visits from "visits-scaled.csv"\n  target readmitted\n'
    "model logistic = LogisticRegression",
    right='data visits from "visits.csv"\n  target readmitted\n'
    "model logistic = StandardScaler | LogisticRegression",
    source="Raschka 2018, 3.9; Kaufman et al. 2012",
)

# --- strata, related data sets ------------------------------------------------------------

BINS_DO_NOT_FIT = declare(
    "E490",
    "bins_do_not_fit",
    "A target cannot be cut into that many bins.",
    reason="Bins are cut at quantiles of the target, and each needs at least as many rows as "
    "there are folds.",
    wrong="stratify by target bins=50   # 60 rows, 3 folds",
    right="stratify by target bins=5",
)
STRATA_TOO_FINE = declare(
    "E491",
    "strata_too_fine",
    "Most rows are in strata with fewer members than there are folds.",
    reason="Such strata cannot be spread over the folds. Often a column of numbers, or an "
    "identifier, was named.",
    wrong="stratify by target, visit_id",
    right="stratify by target, ward",
)
RARE_STRATA_MERGED = declare(
    "W422",
    "rare_strata_merged",
    "Strata with fewer members than there are folds were merged.",
    reason="They cannot be spread over the folds. Their rows keep the levels of the columns "
    "written first and give up those of the last.",
    wrong="stratify by target, ward   # 2 rows of ward D",
    right="stratify by target",
)
RELATED_DATA_SETS = declare(
    "W423",
    "related_data_sets",
    "Two data sets of a study share rows.",
    reason="Tests over data sets count each as an independent draw; copies and variants of one "
    "make differences look surer than they are.",
    wrong='data north from "north.csv"\n  target readmitted\ndata whole from "both.csv"\n'
    "  target readmitted\ncompare across data with wilcoxon",
    right='data north from "north.csv"\n  target readmitted\ndata south from "south.csv"\n'
    "  target readmitted\ncompare across data with wilcoxon",
    source="Demšar 2006",
)
