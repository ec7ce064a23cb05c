"""The codes of what can be wrong in data: sources, columns, tables, designs, imported results.

Those of rules whose evidence is in the rows are declared by the rules, in `row_rules`.
"""

from evallang.diagnostics import Changes, Phase, Severity, declare

# --- E40x: files -----------------------------------------------------------------------

FILE_NOT_FOUND = declare(
    "E401",
    "file_not_found",
    "A data file is not where the study says it is.",
    reason="Paths are relative to the folder of the study file, not to the folder in which the "
    "command is run.",
    wrong='data visits from "visit.csv"\n  target readmitted',
    right='data visits from "visits.csv"\n  target readmitted',
)
REMOTE_PATH = declare(
    "E402",
    "remote_path",
    "A data path is an address on another machine, and the network is not allowed.",
    reason="A study reads `s3://`, `gs://`, `az://` and `https://` only with `--network`. Files "
    "next to it can still be read in ten years, and tell nobody that they are read.",
    wrong='protocol split from "https://example.org/folds.csv"',
    right='protocol split from "folds.csv"',
)
UNKNOWN_ENDING = declare(
    "E403",
    "unknown_file_ending",
    "A data file has an unsupported extension.",
    reason="The extension decides how a file is read: .csv, .tsv, .parquet, .jsonl, .arff and "
    ".xlsx, and the text formats with .gz appended.",
    wrong='protocol split from "folds.ods"',
    right='protocol split from "folds.csv"',
)
FILE_TOO_LARGE = declare(
    "E404",
    "file_too_large",
    "A data file, the result of a query, or what is computed of it, is larger than the limit.",
    reason="Reading a table takes several times its size in memory, and beyond the limit most "
    "machines would stop responding. The limit also holds for the uncompressed size of a "
    "compressed file.",
    wrong='data scans from "every-pixel.csv"   # beyond the limit\n  target tumour',
    right='data scans from "features-of-scans.csv"\n  target tumour',
)
UNREADABLE_FILE = declare(
    "E405",
    "unreadable_file",
    "A data file cannot be read in the format of its extension.",
    reason="The file is damaged, has another format, is a folder, or cannot be opened.",
    wrong='data visits from "visits.csv.gz"   # renamed, never compressed\n  target readmitted',
    right='data visits from "visits.csv"\n  target readmitted',
)
NOT_UTF8 = declare(
    "E406",
    "text_not_utf8",
    "A text file is not UTF-8, or contains bytes that are not text.",
    reason="In another encoding the same bytes are other letters, so labels and levels would "
    "depend on the machine.",
    wrong='data visits from "visits-windows.csv"   # saved as Latin-1\n  target readmitted',
    right='data visits from "visits.csv"   # saved as UTF-8\n  target readmitted',
)
EMPTY_FILE = declare(
    "E407",
    "no_rows_in_file",
    "A data file, or the result of a query, has no rows.",
    reason="There is nothing to evaluate. Often an earlier filter kept nothing, or the file was "
    "still being written.",
    wrong="id,truth,cnn",
    right="id,truth,cnn\n1,cat,cat\n2,dog,cat",
)
RAGGED_LINE = declare(
    "E408",
    "ragged_line",
    "A line has more or fewer fields than the header.",
    reason="Its values would be in the wrong columns.",
    wrong="id,truth,cnn\n1,cat,cat\n2,dog,cat,0.3",
    right="id,truth,cnn\n1,cat,cat\n2,dog,cat",
)
DUPLICATE_COLUMN = declare(
    "E409",
    "column_name_twice",
    "Two columns of a file have the same name.",
    reason="A clause that names the column could refer to either of them.",
    wrong="id,truth,cnn,cnn\n1,cat,cat,0.9\n2,dog,cat,0.6",
    right="id,truth,cnn,p_cat\n1,cat,cat,0.9\n2,dog,cat,0.6",
)
MALFORMED_JSON = declare(
    "E410",
    "malformed_json_line",
    "A line of a JSON Lines file is not a JSON object.",
    reason="Each line is one row: an object that maps column names to values.",
    wrong='[{"id": 1, "truth": "cat", "cnn": "cat"}, {"id": 2, "truth": "dog", "cnn": "cat"}]',
    right='{"id": 1, "truth": "cat", "cnn": "cat"}\n{"id": 2, "truth": "dog", "cnn": "cat"}',
)
UNCLEAR_NUMBERS = declare(
    "E411",
    "unclear_numbers",
    "A file does not show whether a point or a comma in its numbers is the decimal sign.",
    reason="In one country 7.685 is more than seven thousand, in another less than eight. The sign "
    "is read from all numbers of a column, then from the other columns of the file; where these "
    "leave it open, or contradict each other, a guess could be wrong by a factor of a thousand.",
    wrong="id;price;model\n1;7.685;7.623\n2;862;816",
    right="id;price;model\n1;7685;7623.5\n2;862.5;816",
)
SAME_STEM = declare(
    "E413",
    "data_sets_share_a_name",
    "A file pattern matches two files of the same name.",
    reason="The data sets of a pattern are named after their files, without folder and extension.",
    wrong='data visits from "*/visits.csv"   # north/visits.csv and south/visits.csv\n'
    "  target readmitted",
    right='data visits from "hospitals/*.csv"   # north.csv and south.csv\n  target readmitted',
)

# --- E412 to E419: ARFF, databases --------------------------------------------------------

MALFORMED_ARFF = declare(
    "E412",
    "malformed_arff",
    "An ARFF file is malformed, or uses a feature of the format that is not supported.",
    reason="A header of @attribute lines declares the columns and their types, and each line "
    "after @data is one row. Sparse rows, relational attributes and row weights are not "
    "supported.",
    wrong="@relation visits\n@attribute ward {A, B}\n@attribute readmitted {no, yes}\n@data\n"
    "A,no\nC,yes",
    right="@relation visits\n@attribute ward {A, B, C}\n@attribute readmitted {no, yes}\n@data\n"
    "A,no\nC,yes",
)
UNKNOWN_DATABASE = declare(
    "E414",
    "unknown_database",
    "The address of a database is not supported.",
    reason="Supported are SQLite and DuckDB files, with paths relative to the study file, and "
    "PostgreSQL servers.",
    wrong='data visits from sql "select * from visits" on "records/visits.db"\n  target readmitted',
    right='data visits from sql "select * from visits" on "sqlite:///records/visits.db"\n'
    "  target readmitted",
)
NOT_ONE_SELECT = declare(
    "E415",
    "not_one_select",
    "A query is not exactly one SELECT statement.",
    reason="A study reads data and changes nothing, so only one SELECT statement is accepted.",
    wrong='data visits from sql "pragma table_info(visits)" on "sqlite:///records/visits.db"\n'
    "  target readmitted",
    right='data visits from sql "select * from visits" on "sqlite:///records/visits.db"\n'
    "  target readmitted",
)
QUERY_FAILED = declare(
    "E416",
    "query_failed",
    "A database could not be opened, or rejected a query.",
    reason="The message quotes the database. Queries may read tables and nothing else: no other "
    "databases, files or settings.",
    wrong='data visits from sql "select * from visit" on "sqlite:///records/visits.db"\n'
    "  target readmitted",
    right='data visits from sql "select * from visits" on "sqlite:///records/visits.db"\n'
    "  target readmitted",
)
DRIVER_MISSING = declare(
    "E417",
    "database_driver_missing",
    "The package that reads a kind of database is not installed.",
    reason="SQLite comes with Python; DuckDB needs the package duckdb, PostgreSQL the package "
    "psycopg.",
    wrong='data visits from sql "select * from visits" on "duckdb:///records/visits.duckdb"\n'
    "  target readmitted   # and duckdb is not installed",
    right='data visits from sql "select * from visits" on "sqlite:///records/visits.db"\n'
    "  target readmitted",
)
SERVER_NEEDS_TRUST = declare(
    "E418",
    "server_needs_trust",
    "A query needs a network connection, and the run was started without `--trust`.",
    reason="A study opens network connections only with `run --trust`. A copy of the table next "
    "to the study needs no trust and does not change.",
    wrong='data visits from sql "select * from visits" on "postgresql://ana@db.example.org/trial"\n'
    "  target readmitted",
    right='data visits from "visits.csv"   # exported once\n  target readmitted',
)
PASSWORD_IN_STUDY = declare(
    "E419",
    "password_in_study",
    "The address of a database contains a password.",
    reason="Studies are committed, printed and shared. The PostgreSQL driver reads a password "
    "from PGPASSWORD or the file .pgpass.",
    wrong='data visits from sql "select * from visits" on "postgresql://ana:secret@db/trial"\n'
    "  target readmitted",
    right='data visits from sql "select * from visits" on "postgresql://ana@db/trial"\n'
    "  target readmitted",
)

UNKNOWN_COLUMN = declare(
    "E420",
    "unknown_column",
    "A clause names a column that the data do not contain.",
    wrong="target readmited",
    right="target readmitted",
    reason="Names are compared letter by letter; names with spaces are written in quotes.",
)
COLUMN_IN_TWO_ROLES = declare(
    "E421",
    "column_in_two_roles",
    "A column is given two roles that exclude each other.",
    reason="The target and the columns of id, group, weight and split are never features: a model "
    "that used them would see the answer, or which row it is asked about.",
    wrong="target readmitted\nfeatures age, readmitted",
    right="target readmitted\nfeatures age, ward",
)
NO_TARGET = declare(
    "E422",
    "no_target",
    "A data frame replaces a bundled data set, and no `target` clause names its target column.",
    reason="The bundled data sets of scikit-learn have a known target; a data frame does not. The "
    "last column is not assumed to be the target, because a wrong guess would look like a "
    "result.",
    wrong='data flowers from sklearn iris   # run with data={"flowers": frame}',
    right='data flowers from sklearn iris   # run with data={"flowers": frame}\n  target species',
)
MISSING_TARGET = declare(
    "E423",
    "missing_target",
    "The target is missing in some rows.",
    reason="Such rows are never silently dropped: the reason why an outcome is unknown may be the "
    "most important fact about it.",
    wrong="target readmitted",
    right="target readmitted\nwhere readmitted is not missing",
)
TARGET_OUTSIDE_SCALE = declare(
    "E456",
    "target_outside_scale",
    "The target has no value on the scale that the study names.",
    reason="A logarithm needs numbers above zero, a square root numbers that are not negative. "
    "Rows are never dropped without a line that says so.",
    wrong="target log cost   # a cost of 0",
    right="target sqrt cost",
)
SCALE_OF_LABELS = declare(
    "E457",
    "scale_of_labels",
    "A scale is named for a target that holds labels.",
    reason="Labels are names, even if they are written as numbers; only a regression has a scale.",
    wrong="target log readmitted   # yes and no",
    right="target readmitted",
)
TARGET_NOT_NUMERIC = declare(
    "E424",
    "target_not_numeric",
    "The target of a regression is not a number in every row.",
    reason="The errors of a regression are differences between numbers.",
    wrong="target ward\ntask regression",
    right="target days_in_hospital\ntask regression",
)
ONE_CLASS = declare(
    "E425",
    "one_class",
    "All rows have the same label.",
    reason="There is nothing to classify.",
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
    "A positive label is given, and the target does not have exactly two classes.",
    reason="Precision, recall and related metrics describe one class against one other; with more "
    "classes they are averaged over all of them.",
    wrong="target ward\npositive A   # of A, B and C",
    right="target ward",
)
NO_FEATURES = declare(
    "E428",
    "no_features",
    "No column is left as a feature.",
    reason="The target and the columns of id, group, weight and split are never features.",
    wrong="target readmitted\nfeatures all except visit_id, patient, age, ward, days_in_hospital",
    right="target readmitted\nfeatures all except visit_id, patient",
)
FEATURE_TYPE = declare(
    "E429",
    "unusable_feature_type",
    "A feature contains lists, objects or bytes, or the target contains neither numbers nor "
    "labels.",
    reason="Models cannot use lists, objects and binary values as they are, and a date cannot be "
    "predicted; how to convert them is the author's decision.",
    wrong="features age, embedding   # a list in each row",
    right="features all except embedding",
)
INFINITE_VALUE = declare(
    "E430",
    "infinite_value",
    "A column in use contains an infinite number.",
    reason="Means and distances of infinite numbers are undefined, and scikit-learn's estimators "
    'reject them. Often they come from a division by zero, or mean "above the range" in '
    "a laboratory.",
    wrong="target readmitted\nfeatures age, creatinine   # `inf` in some rows",
    right='target readmitted\nfeatures age, creatinine\nmissing "inf"',
)
UNUSABLE_SIZE = declare(
    "E499",
    "unusable_size",
    "A column of numbers to be measured is beyond 1e45, nowhere above 1e-45, or loses its last "
    "digits.",
    reason="Metrics, intervals and tests square and sum errors in double precision, which ends at "
    "1.8e308 and keeps 16 digits: such numbers would give infinite errors, or errors of zero.",
    wrong="truth energy_in_joules   # 3.2e+46 and the like",
    right="truth energy_in_solar_masses",
)
TOO_FEW_ROWS = declare(
    "E431",
    "too_few_rows",
    "The data have only one row.",
    reason="A single row cannot be used for training and for testing.",
    wrong="target readmitted\nwhere visit_id = 7",
    right="target readmitted\nwhere visit_id > 7",
)
NO_ROWS_LEFT = declare(
    "E432",
    "no_rows_left",
    "A `where` line keeps no rows.",
    reason="The value never occurs, or two `where` lines exclude each other. Labels and levels "
    "are compared letter by letter.",
    wrong="target readmitted\nwhere ward = a",
    right="target readmitted\nwhere ward = A",
)
ORDERING_OF_TEXT = declare(
    "E433",
    "ordering_of_text",
    "A `where` line compares the order of values that are not numbers.",
    reason='As text, "10" comes before "9"; an order that depends on spelling is rarely meant.',
    wrong="where stage >= 2   # the stages are I, II and III",
    right="where stage in [II, III]",
)
INCOMPARABLE_VALUE = declare(
    "E434",
    "incomparable_value",
    "A `where` line compares a column with a value of another type.",
    reason="A column of numbers is compared with a number, a column of dates with a date in "
    "quotes, year first.",
    wrong='where admitted_on >= "1/3/2024"',
    right='where admitted_on >= "2024-03-01"',
)
MISSING_IN_ROLE = declare(
    "E435",
    "missing_value_in_role",
    "A column that needs a value in every row has missing values.",
    reason="A row without its id, group, weight, fold or split cannot be used.",
    wrong="target readmitted\ngroup patient   # unknown for some visits",
    right="target readmitted\ngroup patient\nwhere patient is not missing",
)
ID_TWICE = declare(
    "E436",
    "id_occurs_twice",
    "An id occurs in more than one row.",
    reason="Rows are matched by id, so two rows with the same id could be swapped unnoticed. A "
    "column that several rows share is a group.",
    wrong="target readmitted\nid patient   # some came twice",
    right="target readmitted\nid visit_id\ngroup patient",
)
UNUSABLE_WEIGHT = declare(
    "E437",
    "unusable_weight",
    "A weight is not a finite number of zero or more.",
    reason="A weight is the number of examples that a row represents.",
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

# --- E47x: data and the protocol ---------------------------------------------------------

CLASS_SMALLER_THAN_FOLDS = declare(
    "E470",
    "class_smaller_than_folds",
    "A class has fewer members than there are folds.",
    reason="Some folds would contain no example of the class, so recall and the metrics based on "
    "it would be undefined there.",
    wrong="protocol cv folds=10   # a class has 4 rows",
    right="protocol cv folds=4",
)
FEWER_GROUPS_THAN_FOLDS = declare(
    "E471",
    "fewer_groups_than_folds",
    "There are fewer groups than folds.",
    reason="A group is never divided, so some folds would be empty.",
    wrong="group by hospital   # of 6\nprotocol cv folds=10",
    right="group by hospital   # of 6\nprotocol cv folds=6",
)
TARGET_AMONG_FEATURES = declare(
    "E472",
    "target_among_features",
    "A feature has the same information as the target in every row.",
    reason="The models would see the answer: every score would be perfect and meaningless. Such "
    "leaks are common; often the feature is a code that was assigned after the outcome.",
    wrong="target readmitted\nfeatures age, second_admission",
    right="target readmitted\nfeatures age",
    source="Kaufman et al. 2012",
)
TASKS_DIFFER = declare(
    "E473",
    "data_sets_differ_in_task",
    "A study mixes data sets for classification and for regression.",
    reason="Metrics, models and tests are defined for one of the two.",
    wrong='data first from "visits.csv"\n  target readmitted\n'
    'data second from "visits.csv"\n  target days_in_hospital',
    right='data first from "visits.csv"\n  target readmitted\n'
    'data second from "visits.csv"\n  target died',
)
ASSIGNMENT_MISMATCH = declare(
    "E474",
    "assignment_mismatch",
    "A file of folds does not fit the data.",
    reason="A row without a fold would silently be skipped, or end up in an arbitrary fold.",
    wrong='protocol split from "folds-of-last-year.csv"   # with fewer lines than the data',
    right='protocol split from "folds.csv"   # a line for each row, or matched by `id`',
)

# --- W40x, W41x --------------------------------------------------------------------------

NUMBERS_WITH_TEXT = declare(
    "W402",
    "numbers_mixed_with_text",
    "A column would be numeric if a few values were read as missing.",
    reason="One word among the numbers turns the whole column into text, and each number into a "
    "category.",
    wrong="target readmitted\nfeatures age, creatinine   # `unknown` in some rows",
    right='target readmitted\nfeatures age, creatinine\nmissing "unknown"',
)
WORDS_READ_AS_MISSING = declare(
    "W458",
    "words_read_as_missing",
    "A column of text contains words that are read as missing by default.",
    reason="NA, N/A, NaN, NULL, None and ? mean a missing value unless the study says otherwise, "
    "but `none` can be a category and `NA` a country. A `missing` clause settles it.",
    wrong="target readmitted\nfeatures age, insurance   # none, private and public",
    right="target readmitted\nfeatures age, insurance\nmissing none",
)
LABEL_OF_THE_UNKNOWN = declare(
    "W459",
    "label_of_the_unknown",
    "A label of the target looks like a word for a missing value.",
    changes=Changes.QUESTION,
    reason="Rows with an unknown outcome become a class, which models learn and metrics count.",
    wrong="target readmitted   # yes, no and unknown",
    right='target readmitted\nmissing "unknown"\nwhere readmitted is not missing',
)
NUMBER_OF_THE_UNKNOWN = declare(
    "W460",
    "number_of_the_unknown",
    "A column of numbers contains a code for missing values, such as -999 or 999.",
    changes=Changes.SCORES,
    reason="Instruments and questionnaires write such numbers for what they do not know; as "
    "numbers they dominate means, distances and errors.",
    wrong="target readmitted\nfeatures age, ward   # 999 where the age is not known",
    right="target readmitted\nfeatures age, ward\nmissing 999",
)
SPELLED_TWICE = declare(
    "W461",
    "spelled_twice",
    "Labels, categories or groups of a column differ only in spelling.",
    changes=Changes.SCORES,
    reason="`yes`, `Yes` and `yes ` are three labels to a program, and so are `dog;fish` and "
    "`fish;dog`.",
    wrong="target readmitted_as_typed   # yes, Yes and no",
    right="target readmitted",
)
CONSTANT_FEATURE = declare(
    "W410",
    "constant_feature",
    "A feature has the same value in every row, or is missing in every row.",
    severity=Severity.HINT,  # it harms no model, and images have dark corners
    reason="It distinguishes no rows; often a filter or a join went wrong.",
    wrong="target readmitted\nfeatures age, country   # all from one country",
    right="target readmitted\nfeatures age",
)
ID_LIKE_FEATURE = declare(
    "W411",
    "id_like_feature",
    "A feature has a different value in almost every row, like an identifier.",
    changes=Changes.SCORES,
    reason="A model can memorise rows by such a feature, and numbers assigned in the order of "
    "collection can reveal the outcome. If more than half of the rows have a text of their "
    "own, most test rows have a text that does not occur in training. Whole numbers that "
    "are neither sorted nor close together are taken for measurements.",
    wrong='data visits from "visits.csv"\n  target readmitted',
    right='data visits from "visits.csv"\n  target readmitted\n  id visit_id',
    source="Kaufman et al. 2012",
)
DATES_AS_CATEGORIES = declare(
    "W415",
    "dates_as_categories",
    "A feature contains dates or times of day, as categories or as eight-digit numbers.",
    reason="Categories have no order and no distance, and the dates of later rows do not occur in "
    "training. Differences between numbers such as 20210825 are not numbers of days. The "
    "format in which a date is written makes no difference.",
    wrong="target readmitted\nfeatures age, visit   # 25.08.2021",
    right="target readmitted\nfeatures age, days_since_start",
)
NUMBERS_AS_CATEGORIES = declare(
    "W416",
    "numbers_as_categories",
    "A feature contains numbers with a unit or in an unusual format, so each would be a category.",
    reason="`12 mg` and `1,234.5` are text in a data file, so the order and the distance of the "
    "numbers are lost.",
    wrong="target readmitted\nfeatures age, dose   # 12 mg",
    right="target readmitted\nfeatures age, dose_mg",
)
DUPLICATED_ROWS = declare(
    "W412",
    "duplicated_rows",
    "Rows with equal features and target can be on both sides of a split, or predictions without "
    "an id repeat earlier ones.",
    changes=Changes.SCORES,
    reason="The models are then tested on rows that they were trained on. Rows of one group stay "
    "on one side. Of predictions, an example that is in the file twice counts twice, and intervals "
    "are too narrow; with an `id`, such rows are an error (E436). Predictions in parts that are "
    "counted are not looked at, since no row of them is kept.",
    wrong='data visits from "visits.csv"\n  target readmitted',
    right='data visits from "visits.csv"\n  target readmitted\n  group patient',
)
FEW_GROUPS = declare(
    "W413",
    "few_groups",
    "There are fewer than 10 groups.",
    changes=Changes.PRECISION,
    reason="The group is the unit of every interval and test, so the number of groups is the "
    "sample size. Methods for clustered data rely on many groups: with few, intervals are "
    "too narrow, and tests reject too often or cannot reject at all.",
    wrong="target readmitted\ngroup hospital   # of 6",
    right="target readmitted\ngroup patient",
    source="Cameron, Gelbach & Miller 2008",
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
    reason="Such strata cannot be distributed over the folds. Often a numeric column or an "
    "identifier was named.",
    wrong="stratify by target, visit_id",
    right="stratify by target, ward",
)
RARE_STRATA_MERGED = declare(
    "W422",
    "rare_strata_merged",
    "Strata with fewer members than there are folds were merged.",
    reason="They cannot be distributed over the folds. Their rows keep the levels of the columns "
    "that are written first and lose the level of the last one.",
    wrong="stratify by target, ward   # 2 rows of ward D",
    right="stratify by target",
)
RELATED_DATA_SETS = declare(
    "W423",
    "related_data_sets",
    "Data sets of a study share rows or scores, or one is the mean of the others.",
    changes=Changes.QUESTION,
    reason="Tests over data sets treat each data set as an independent draw; copies and variants "
    "make differences look more certain than they are. Predictions in parts that are counted are "
    "not looked at, since no row of them is kept.",
    wrong='data north from "north.csv"\n  target readmitted\ndata whole from "both.csv"\n'
    "  target readmitted\ncompare across data with wilcoxon",
    right='data north from "north.csv"\n  target readmitted\ndata south from "south.csv"\n'
    "  target readmitted\ncompare across data with wilcoxon",
    source="Demšar 2006",
)

UNBALANCED_CLASSES = declare(
    "W430",
    "accuracy_on_unbalanced_classes",
    "Most rows belong to one class, and every measure weights classes by their size.",
    reason="A model that always predicts the common class has a high accuracy but has learnt "
    "nothing. Micro and weighted averages are high as well and hardly change with "
    "differences in the rare classes.",
    wrong="measure accuracy   # 95 of 100 rows are of one class",
    right="measure balanced_accuracy, accuracy",
    source="Provost, Fawcett & Kohavi 1998; Brodersen et al. 2010",
)
POSITIVE_NOT_STATED = declare(
    "W431",
    "positive_class_not_stated",
    "A metric depends on the positive class, and the study does not name it.",
    changes=Changes.QUESTION,
    reason="Without `positive`, the last of the two labels in alphabetical or numerical order is "
    "the positive class. Precision, recall and F1 of the other class have other values.",
    wrong='data visits from "visits.csv"\n  target readmitted\nmeasure f1',
    right='data visits from "visits.csv"\n  target readmitted\n  positive yes\nmeasure f1',
    source="Sokolova & Lapalme 2009",
)
SMALL_TEST_PART = declare(
    "W432",
    "small_test_part",
    "A holdout keeps fewer than 100 rows for testing.",
    changes=Changes.PRECISION,
    reason="With 100 rows, Wilson's 95% interval of an accuracy of 80% extends from 71% to 87%; "
    "with 40 rows, from 65% to 90%. The estimate also depends on which rows happened to be "
    "drawn. Cross-validation tests every row.",
    wrong="protocol holdout test=1/3   # of 150 rows",
    right="protocol repeated cv folds=10 times=10",
    source="Kohavi 1995; Raschka 2018, 1.5 and 3.4",
)
FEW_OF_A_CLASS_IN_A_FOLD = declare(
    "W433",
    "few_of_a_class_in_a_fold",
    "A metric is computed in each fold, and a class has fewer than five rows in a fold.",
    changes=Changes.PRECISION,
    reason="With four rows, recall changes by 25 points per row, and each of four positives makes "
    "up a quarter of an area under the curve. Means over such folds are noisy, and those "
    "of F1 are biased.",
    wrong="protocol cv folds=10\nmeasure roc_auc   # 20 rows of the rare class",
    right="protocol cv folds=4\nmeasure roc_auc",
    source="Forman & Scholz 2010",
)
UNEQUAL_TEST_SETS = declare(
    "W434",
    "unequal_test_sets",
    "A test over folds is used with folds of very different sizes.",
    changes=Changes.PRECISION,
    reason="The corrected resampled t test treats the scores of all folds as equally precise, "
    "with one ratio of test to training rows. The score of a small fold is less precise "
    "than that of a large one.",
    wrong="group by hospital   # one of them with half of the rows",
    right="group by patient",
    source="Nadeau & Bengio 2003",
)
MARGIN_BEYOND_BASELINE = declare(
    "W435",
    "margin_beyond_the_baseline",
    "A margin is so large that a model without features may lie within it.",
    changes=Changes.CLAIMS,
    reason="The share of the most common class is an accuracy that a model reaches by always "
    "predicting that class. If the margin is larger than the distance from there to 100%, "
    "such a model is not worse than a perfect one.",
    wrong="require a not worse than b by 10%   # 95 of 100 rows are of one class",
    right="require a not worse than b by 1%",
    source="ICH E10; Piaggio et al. 2012",
)
FEW_OF_THE_RARER_CLASS = declare(
    "W440",
    "few_of_the_rarer_class",
    "An interval or test of an area under the ROC curve is requested, and a class has "
    "fewer than 20 rows.",
    changes=Changes.PRECISION,
    reason="The variance of an area comes from the spread of the scores of these few rows, and a "
    "sample of ten often contains none of the low scores. With ten rows of the rarer "
    "class, 95% intervals covered 93 to 95% of true areas of .8 in simulations, 86 to 92% "
    "of areas of .9 and 80 to 89% of areas of .95; DeLong's test on one test set rejected "
    "up to 8% of true hypotheses at 5% (docs/validation.md).",
    wrong="protocol holdout test=1/3\nmeasure roc_auc   # 8 of 24 rows of the rarer class",
    right="protocol cv folds=4\nmeasure roc_auc",
    source="Feng, Cortese & Baumgartner 2017",
)
AREA_WITHOUT_SPREAD = declare(
    "W441",
    "area_without_spread",
    "An area under the ROC curve is averaged over folds, and a fold has only one row of a class.",
    changes=Changes.PRECISION,
    reason="One row has no spread, so the variance of the area in that fold is unknown and the "
    "area is reported without an interval.",
    wrong="protocol cv folds=10\nmeasure roc_auc   # 12 rows of the rarer class",
    right="protocol cv folds=2\nmeasure roc_auc",
    source="DeLong, DeLong & Clarke-Pearson 1988; LeDell, Petersen & van der Laan 2015",
)
FEW_EXAMPLES_FOR_A_TEST = declare(
    "W480",
    "few_examples_for_a_test",
    "A test is requested on fewer examples than it declares to need.",
    changes=Changes.PRECISION,
    reason="A few examples have few different resamples, which are too similar: the bootstrap test "
    "rejected 28% of true hypotheses at 5% with 3 examples, 17% with 5 and 12% with 8 in "
    "simulations. With fewer than 20 examples it gives no p and no interval. The permutation test "
    "goes through all swaps, and keeps its level.",
    wrong="compare a, b with bootstrap   # of 8 examples",
    right="compare a, b with permutation",
    source="Phipson & Smyth 2010",
)
NO_SPREAD_IN_A_FOLD = declare(
    "E494",
    "no_spread_in_a_fold",
    "An interval or test of areas under the ROC curve is requested, and a fold has only "
    "one row of a class.",
    reason="The variance of the area in a fold divides by the number of rows of a class minus "
    "one. With one row it is undefined, and so is the requested interval or test.",
    wrong="protocol cv folds=10\nmeasure roc_auc   # 12 rows of one class\n  interval cv_auc",
    right="protocol cv folds=2\nmeasure roc_auc\n  interval cv_auc",
    source="DeLong, DeLong & Clarke-Pearson 1988",
)
HEAVY_TAILS = declare(
    "W442",
    "heavy_tails",
    "A target has heavy tails, and a metric squares errors.",
    changes=Changes.PRECISION,
    reason="A few rows dominate a mean of squares, and a sample of 100 usually lacks them. In "
    "simulations with 60 to 100 rows, with errors from a t distribution with 3 degrees of "
    "freedom or from a log-normal one, bootstrap intervals at 95% covered 81 to 88% for R2 "
    "and 72 to 78% for the mean squared error (docs/validation.md). All rows of the target are "
    "examined, because the tested ones usually lack the extremes; estimates state what heavy "
    "tails do, whatever the sample shows.",
    wrong="measure r2   # of costs, of which one is a hundred times the others",
    right="measure medae",
    source="Bahadur & Savage 1956",
)

# --- E44x: predictions computed elsewhere ---------------------------------------------------

ID_NEEDED = declare(
    "E440",
    "id_needed_to_join",
    "Several files of predictions are given without an `id` clause.",
    reason="Files are joined by id, never by the order of their rows: one additional row would "
    "shift every prediction after it.",
    wrong='predictions p from "cnn.csv", "base.csv"\n  truth label',
    right='predictions p from "cnn.csv", "base.csv"\n  truth label\n  id sample_id',
)
STORED_RESULTS_UNUSABLE = declare(
    "E459",
    "stored_results_unusable",
    "A results folder does not have the predictions that a model takes from it.",
    reason="`model release from results ...` reads `results.json` and `predictions.parquet` of a "
    "former run. The results record the hash of the predictions, so a file that was altered or "
    "exchanged is refused.",
    wrong='model release from results "v1/study-results" as logistc',
    right='model release from results "v1/study-results" as logistic',
)
ROWS_DIFFER = declare(
    "E441",
    "files_differ_in_rows",
    "Some rows occur in one file of predictions but not in another.",
    reason="Models are compared on the same examples. `rows common` keeps the rows that all files "
    "contain, and reports how many were skipped.",
    wrong='predictions p from "cnn.csv", "base.csv"\n  truth label\n  id sample_id',
    right='predictions p from "cnn.csv", "base.csv"\n  truth label\n  id sample_id\n  rows common',
)
FILES_CONFLICT = declare(
    "E442",
    "files_contradict",
    "Two files of predictions disagree about a row in a column that describes it.",
    reason="At least one of the files describes another example, or another version of the data.",
    wrong='predictions p from "cnn.csv", "base-of-last-year.csv"\n  truth label\n  id sample_id',
    right='predictions p from "cnn.csv", "base.csv"\n  truth label\n  id sample_id',
)
ACCESS_DENIED = declare(
    "E466",
    "access_denied",
    "A server denies access to an object.",
    reason="Credentials are taken from the environment of the process, as the client of the store "
    "does, and never from a study.",
    wrong='data visits from "s3://private/visits.csv"   # without a right to read it\n'
    "  target readmitted",
    right='data visits from "visits.csv"\n  target readmitted',
)
CONNECTION_FAILED = declare(
    "E467",
    "connection_failed",
    "A connection to a server could not be made, or was lost.",
    reason="The text of the client's error is not shown, because it may hold a signed address.",
    wrong='data visits from "https://nowhere.example.org/visits.csv"\n  target readmitted',
    right='data visits from "visits.csv"\n  target readmitted',
)
CLIENT_MISSING = declare(
    "E468",
    "store_client_missing",
    "The package that reads a kind of address is not installed.",
    reason="`pip install 'evallang[cloud]'` installs s3fs, gcsfs, adlfs and aiohttp.",
    wrong='data visits from "gs://trial/visits.csv"   # and gcsfs is not installed\n'
    "  target readmitted",
    right='data visits from "visits.csv"\n  target readmitted',
)
PARTS_DIFFER = declare(
    "E465",
    "parts_differ",
    "Two parts of a table differ in their columns, or a column in what it holds.",
    reason="The parts of `{part}` are read as one table. A column that one part lacks, or that "
    "holds numbers in one part and text in another, has no type of its own.",
    wrong='predictions p from "shards-{part}.csv"   # shards-2.csv has no column `cnn`\n'
    "  truth label\n  models cnn",
    right='predictions p from "preds-{part}.csv"\n  truth label\n  models cnn',
)
AMBIGUOUS_COLUMN = declare(
    "E443",
    "column_in_several_files",
    "The column of a model occurs in several files.",
    reason="Programs that write one file per model often give the prediction column the same "
    "name, so the study must say which file is meant.",
    wrong="models cnn as pred",
    right='models cnn as pred in "cnn.csv"',
)
MISSING_PREDICTION = declare(
    "E444",
    "missing_prediction",
    "A model has no prediction, score or value in some rows.",
    reason="Without these rows for one model, the models would be compared on different examples; "
    "to count them as wrong is the author's decision.",
    wrong="truth label\nmodels cnn, base   # cnn is empty in some rows",
    right="truth label\nmodels cnn, base\nwhere cnn is not missing   # excluded for both",
)
SCORES_DO_NOT_FIT = declare(
    "E445",
    "scores_do_not_fit_labels",
    "The score columns of a model do not match the labels of the truth.",
    reason="Each label needs exactly one score.",
    wrong='scores cnn = ["p0", "p1"]   # of three labels',
    right='scores cnn = ["p0", "p1", "p2"]',
)
ORDER_UNKNOWN = declare(
    "E479",
    "order_of_time_unknown",
    "A method reads the rows in the order of time, and the data do not show that order.",
    reason="Forward chaining, the Diebold-Mariano test, blocks of a permutation test and intervals "
    "of a series change with the order of the rows. A column of dates or an ascending `id` shows "
    "it; several columns that disagree, or an `id` in another order than the rows, do not.",
    wrong='predictions load from "shuffled.csv"\n  id visit   # 7, 2, 9, ...',
    right='predictions load from "shuffled.csv"\n  id visit\n  time visit',
)
NOT_JUDGED = declare(
    "E446",
    "judgement_is_not_right_or_wrong",
    "A column of right (1) and wrong (0) contains something other than 0, 1, true and false.",
    reason="Fractions of a point are values: write `value` with the name of the measure.",
    wrong="correct llama as rouge",
    right='value "ROUGE-L" llama as rouge',
)
NOT_NUMERIC = declare(
    "E447",
    "prediction_not_numeric",
    "A column that must contain numbers contains something else.",
    reason="Scores, values and the predictions of a regression are numbers.",
    wrong="score cnn = verdict   # `spam` and `ham`",
    right="score cnn = p_spam",
)
NO_LABELS = declare(
    "E448",
    "model_without_predictions",
    "A model has a threshold but no scores to apply it to.",
    reason="A threshold turns scores into labels; without scores and labels there is nothing to "
    "evaluate.",
    wrong="truth label\nthreshold cnn = 0.3",
    right="truth label\nscore cnn = p_spam\nthreshold cnn = 0.3",
)
THRESHOLD_WITHOUT_USE = declare(
    "E449",
    "threshold_beside_labels",
    "A threshold is given for a model with predicted labels, for one without a single score of "
    "the positive class, or inside a model that uses scores alone.",
    reason="Labels in a file were already made with a threshold. With one score per class, and for "
    "three classes or more, the class with the largest score is predicted. Soft voting, bagging, "
    "stacking and calibration use the scores of the models inside them and not their labels.",
    wrong="models cnn as verdict\nscore cnn = p_spam\nthreshold cnn = 0.3",
    right="score cnn = p_spam\nthreshold cnn = 0.3",
)
NO_MODELS = declare(
    "E452",
    "no_models_in_file",
    "A file has no column that could be a model.",
    reason="All columns that no clause names are taken for models, and there are none.",
    wrong='predictions p from "labels.csv"   # its only column is the truth\n  truth label',
    right='predictions p from "answers.csv"\n  truth label',
)
NO_LABEL_IS_TRUE = declare(
    "E453",
    "no_predicted_label_is_true",
    "None of the labels that a model predicts occurs in the truth.",
    reason="The labels are spelled in two ways, or a column of scores was taken for labels.",
    wrong="models cnn as p_spam",
    right="models cnn as verdict\nscore cnn = p_spam",
)

LABELS_CODED_OTHERWISE = declare(
    "E488",
    "labels_coded_otherwise",
    "The labels that a model predicts seem to be those of the truth in another coding.",
    reason="If a true label is never predicted and a predicted label is never true, most right "
    "predictions count as wrong, and those of another label may count as right.",
    wrong="truth sign   # -1 and 1\nmodels cnn   # 0 and 1",
    right="truth label   # 0 and 1\nmodels cnn",
)

# --- E454, E455: repeats ------------------------------------------------------------------

REPEATS_NEED_ID = declare(
    "E454",
    "repeats_need_id",
    "Predictions with repeats have no `id` clause.",
    reason="The example is the unit: its mean over the repeats enters intervals and tests, so "
    "evallang must know which rows belong to one example.",
    wrong="truth label\nrepeat run",
    right="truth label\nid sample_id\nrepeat run",
)
REPEATS_CONTRADICT = declare(
    "E455",
    "repeats_contradict",
    "A column that describes an example differs between its repeats.",
    reason="An example has one truth, one group and one weight. Rows that differ in them describe "
    "several examples with the same id.",
    wrong="truth verdict_of_rater   # another rater in each run\nid sample_id\nrepeat run",
    right="truth consensus\nid sample_id\nrepeat run",
)
READERS_NOT_CROSSED = declare(
    "E458",
    "readers_not_crossed",
    "Readers are to stand for others, but not all of them read every example.",
    reason="What readers have in common and what is their own can be told apart only if all of "
    "them read the same examples (Obuchowski & Rockette 1995); one reader shows no spread.",
    wrong="id image\nreader radiologist random   # who each read some of the images",
    right="id image\nreader radiologist   # the conclusion is about these radiologists",
)

# --- E46x: counts ------------------------------------------------------------------------

PATTERN_SHAPE = declare(
    "E460",
    "pattern_does_not_fit_models",
    "A pattern does not have one 0 or 1 for each model.",
    reason="Each row of a pattern file says for each model whether it was right (1) or wrong (0), "
    "and how many examples had this pattern.",
    wrong="cnn,base,n\n1,1,90\n2,0,6\n0,1,4",
    right="cnn,base,n\n1,1,90\n1,0,6\n0,1,4",
)
COUNT_NOT_WHOLE = declare(
    "E461",
    "count_is_not_a_whole_number",
    "A count is not a whole number of zero or more.",
    reason="A count is a number of examples; shares and percentages do not say of how many.",
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
    "The same pattern occurs with two counts.",
    reason="The counts may have to be added, or one of them may be an error.",
    wrong="cnn,base,n\n1,1,90\n1,0,6\n1,0,4",
    right="cnn,base,n\n1,1,90\n1,0,6\n0,1,4",
)
TOO_MANY_EXAMPLES = declare(
    "E464",
    "too_many_examples_counted",
    "A table counts more examples than the limit allows.",
    reason="Counts are expanded to one row per example.",
    wrong="table [[9_000_000_000, 6], [4, 0]]",
    right="table [[9_000_000, 6], [4, 0]]",
)

FOLDS_NOT_NAMED = declare(
    "W452",
    "fold_column_unused",
    "A file of predictions has a column of folds that no clause names.",
    changes=Changes.CLAIMS,
    reason="Predictions of several fitted models are not one sample of one model: an interval or "
    "a test that knows the folds allows for them, and a measure of ranks is taken within each.",
    wrong="truth label\nmodels cnn, base   # and a column `fold`",
    right="truth label\nmodels cnn, base\nfold fold",
    source="Bayle et al. 2020; Forman & Scholz 2010",
)
REPLICATES_AS_DATA_SETS = declare(
    "E214",
    "replicates_as_data_sets",
    "Data sets of predictions are one test set, predicted several times.",
    phase=Phase.DATA,
    reason="A test over data sets asks how models do on further data sets. The same examples "
    "with the same truth are one data set, however many seeds its models were trained with.",
    wrong="truth label\nid sample_id\ndataset seed\nmodels cnn, base",
    right="truth label\nid sample_id\nrepeat seed\nmodels cnn, base",
    source="Demšar 2006",
)

# --- W40x --------------------------------------------------------------------------------

UNSEEN_LABEL = declare(
    "W401",
    "predicted_label_never_true",
    "A model predicts a label that never occurs in the truth.",
    reason="Such predictions count as wrong. Often the label is only spelled differently.",
    wrong="models cnn as answer   # `ham`, `spam` and `unsure`",
    right="models cnn as verdict   # `ham` and `spam`",
)
SCORE_OF_OTHER_CLASS = declare(
    "W403",
    "score_of_the_other_class",
    "A model's scores are higher where it predicts the negative class.",
    changes=Changes.SCORES,
    reason="The score column probably belongs to the other class; the area under the curve would "
    "be one minus its true value.",
    wrong="positive spam\nmodels cnn as verdict\nscore cnn = p_ham",
    right="positive spam\nmodels cnn as verdict\nscore cnn = p_spam",
)
NOT_PROBABILITIES = declare(
    "W404",
    "scores_do_not_sum_to_one",
    "Scores between 0 and 1 do not sum to 1 over the labels.",
    reason="They are read as scores, not as probabilities, so metrics such as log_loss cannot be "
    "computed from them.",
    wrong="models cnn as verdict\nscores cnn = [sigmoid_ham, sigmoid_spam]",
    right="models cnn as verdict\nscores cnn = [p_ham, p_spam]",
)

TOO_MANY_LEVELS = declare(
    "E154",
    "too_many_levels",
    "A column after `within` has more than 20 levels, which are numbers or mostly small groups.",
    phase=Phase.DATA,
    reason="Each level gets an estimate for each model and metric. Estimates at single numbers say "
    "little and take long, and only the author can choose ranges. Levels with fewer than 30 "
    "examples are listed without an estimate; for metrics of two classes, so are levels with fewer "
    "than 5 examples of a class.",
    wrong="measure accuracy within age",
    right="measure accuracy within age_group",
)
BELOW_CHANCE = declare(
    "W485",
    "below_chance",
    "The scores or predictions of a model run the other way: their order is worse than chance.",
    phase=Phase.DATA,
    changes=Changes.SCORES,
    reason="A model that knows nothing orders the examples by chance. One whose interval lies "
    "below chance knows something and says the opposite: its scores are those of the other class, "
    "its labels are exchanged, or a column has times instead of risks. With fewer than 20 "
    "examples, or 5 of a class, no order is reported.",
    wrong="positive spam\nscore cnn = p_ham",
    right="positive spam\nscore cnn = p_spam",
)
LABELS_AS_SCORES = declare(
    "W486",
    "labels_as_scores",
    "The score of a model has two values, as labels have.",
    phase=Phase.DATA,
    changes=Changes.SCORES,
    reason="The ROC curve of two values has one point between its ends, and the area below it is "
    "the balanced accuracy of the labels: less than the area of the scores that they were made "
    "from.",
    wrong="score cnn = is_spam   # 0 and 1",
    right="score cnn = p_spam",
)
PERFECT_PREDICTIONS = declare(
    "W487",
    "perfect_predictions",
    "A model makes no error on 50 examples or more.",
    phase=Phase.DATA,
    changes=Changes.SCORES,
    reason="Models of real tasks make errors. A column without any was mostly made from the "
    "truth, or the model was trained on the rows that it is tested on. At least 10 examples of "
    "two classes are needed.",
    wrong="models cnn as label_again",
    right="models cnn as verdict",
    source="Kapoor & Narayanan 2023",
)
THRESHOLD_BELOW_ALL_SCORES = declare(
    "W489",
    "threshold_on_one_side",
    "The default threshold of scores gives every example the same label.",
    phase=Phase.DATA,
    changes=Changes.SCORES,
    reason="Scores that are not all between 0 and 1 are taken for margins, whose threshold is 0. "
    "Percentages, counts and distances are never below 0, so that all examples would be predicted "
    "positive.",
    wrong="score cnn = percent   # 0 to 100",
    right="score cnn = percent\nthreshold cnn = 50",
)
ANOTHER_SCALE = declare(
    "W462",
    "another_scale",
    "The predicted numbers of a model are in another unit than the truth.",
    phase=Phase.DATA,
    changes=Changes.SCORES,
    reason="A model that orders the examples well and errs more than a constant predicts another "
    "quantity: the logarithm of the target, a standardised target, or another unit. Its errors "
    "say nothing about its skill.",
    wrong="truth price\nmodels forest as log_price",
    right="truth price\nmodels forest as price_predicted",
)
CONSTANT_OUTPUTS = declare(
    "W490",
    "constant_outputs",
    "A model gives every example the same number.",
    phase=Phase.DATA,
    changes=Changes.SCORES,
    reason="Such a model does not look at its input, or its column was filled with a default. Its "
    "errors are those of a constant, and its order is that of chance.",
    wrong="models forest as filled   # 20 in every row",
    right="models forest as predicted",
)
GROUPS_IN_SEVERAL_FOLDS = declare(
    "W488",
    "groups_in_several_folds",
    "Predictions were made in folds that divide groups.",
    phase=Phase.DATA,
    changes=Changes.SCORES,
    reason="The model of a fold was trained on the other folds, and so on rows of the groups that "
    "it is tested on. Its scores then say little about other groups.",
    wrong="group patient\nfold fold   # patients have visits in several folds",
    right="group visit\nfold fold",
    source="Saeb et al. 2017; Kapoor & Narayanan 2023",
)

BOUNDS_IN_WRONG_ORDER = declare(
    "E495",
    "bounds_in_wrong_order",
    "The lower bound of a prediction interval is above its upper bound.",
    reason="Such an interval contains no value, and its width would be negative.",
    wrong='range forest = ["q95", "q05"]',
    right='range forest = ["q05", "q95"]',
)

NOT_AN_EVENT = declare(
    "E497",
    "unusable_event",
    "A column of events holds other values than 1 and 0, no event at all, or a time is negative.",
    reason="A time is that of the event (1) or of the end of the observation (0, censored). Pairs "
    "of examples can be ordered only where the earlier time is an event.",
    wrong="truth months\nevent status   # it has dead and alive",
    right="truth months\nevent died   # it has 1 and 0",
)
NOT_A_RELEVANCE = declare(
    "E498",
    "unusable_relevance",
    "The relevance of a row is negative, or no query has a relevant row.",
    reason="The truth of a ranking is 0 for a row that is not relevant and more for a more "
    "relevant one.",
    wrong="query question\ntruth position   # it has -1 for rows that were not judged",
    right="query question\ntruth relevance   # it has 0, 1 and 2",
)
NO_DENOMINATOR = declare(
    "E451",
    "unusable_denominator",
    "The denominator of a ratio is negative in some row, or 0 in all.",
    reason="A ratio of sums divides by what was counted over all examples: words, seconds, "
    "euros. A negative count has no meaning, and would hide others in the sum.",
    wrong='value ratio("errors", "words") a as (errors, change_in_words)',
    right='value ratio("errors", "words") a as (errors, words)',
)

REPORT_FILE = declare(
    "E496",
    "unusable_report_file",
    "A style sheet, template or bibliography cannot be used for the report.",
    reason="A report is one file that loads nothing, from the network or from the disk, and runs "
    "nothing but its own script. A style sheet may embed fonts and pictures as `url(data:...)`; a "
    "template extends that of the report; a bibliography has the entries that `cite` names.",
    wrong='report html\n  style "online.css"   # it has @import "https://fonts.example/serif.css"',
    right='report html\n  style "journal.css"   # it has the rules themselves',
)

SCORE_NOT_NUMERIC = declare(
    "E484",
    "score_not_numeric",
    "A cell in a table of scores is not a finite number.",
    reason="Means and ranks are computed from the scores. A spread in the same cell, a percent "
    "sign or a footnote mark turns a score into text.",
    wrong="name,nb,rf\niris,0.94 ± 0.02,0.95\nwine,0.97,0.98",
    right="name,nb,rf\niris,0.94,0.95\nwine,0.97,0.98",
)
OFF_SCALE = declare(
    "E492",
    "off_the_scale_of_its_metric",
    "Measured numbers are not on the scale of the metric that they are called by.",
    reason="Shares are written from 0 to 1 or from 0 to 100, and margins follow that scale. "
    "Numbers on neither scale have another metric, a sign that was turned, or cells of both "
    "scales.",
    wrong="name,nb,rf\niris,0.94,0.95\nwine,0.97,98",
    right="name,nb,rf\niris,0.94,0.95\nwine,0.97,0.98",
)
RATIO_UNKNOWN = declare(
    "E469",
    "test_train_ratio_unknown",
    "A test or interval of fold scores needs to know how many rows were tested for each training "
    "row.",
    reason="The scores of overlapping training sets depend on each other, the more so the fewer "
    "rows were tested. A file of scores shows neither what its folds are nor how large they were.",
    wrong='scores r from "r.csv"\n  models a, b\n  fold split\n  metric "AUC"\n'
    "compare a vs b with corrected_t",
    right='scores r from "r.csv"\n  models a, b\n  fold split\n  folds of holdout(test=1/3)\n'
    '  metric "AUC"\ncompare a vs b with corrected_t',
    source="Nadeau & Bengio 2003",
)
SCORE_TWICE = declare(
    "E485",
    "score_given_twice",
    "A table of scores has two scores for the same model in the same place.",
    reason="One of them would silently be dropped, or both averaged. Often the study does not "
    "name a column that distinguishes the rows: the fold, the repeat or the data set.",
    wrong='scores auc from "auc.csv"\n  dataset name\n  models nb, rf\n  metric "AUC"',
    right='scores auc from "auc.csv"\n  dataset name\n  fold fold\n  models nb, rf\n  metric "AUC"',
)
FOLDS_DIFFER = declare(
    "E486",
    "folds_differ",
    "Not every model has a score in every fold and repeat of a data set.",
    reason="Folds are compared one by one: a model without a score on a hard fold would look "
    "better than it is.",
    wrong="name,fold,nb,rf\niris,1,0.94,0.95\niris,2,,0.93",
    right="name,fold,nb,rf\niris,1,0.94,0.95\niris,2,0.91,0.93",
)
NO_COMPLETE_DATA_SET = declare(
    "E487",
    "no_complete_data_set",
    "No data set has a score of every model.",
    reason="Models are compared on the data sets on which all of them were run.",
    wrong="name,nb,rf\niris,0.94,\nwine,,0.98",
    right="name,nb,rf\niris,0.94,0.95\nwine,0.97,0.98",
)
NO_SUCH_MODEL = declare(
    "E489",
    "no_scores_of_model",
    "A table of scores has no row for a model that the study names.",
    reason="Names are compared letter by letter.",
    wrong='scores auc from "auc-long.csv"\n  dataset name\n  model algorithm\n  score auc\n'
    '  metric "AUC"\n  models nb, rff',
    right='scores auc from "auc-long.csv"\n  dataset name\n  model algorithm\n  score auc\n'
    '  metric "AUC"\n  models nb, rf',
)
MISSING_SCORE = declare(
    "W421",
    "missing_score",
    "Some models have no score on some data sets.",
    changes=Changes.PRECISION,
    reason="The tests over data sets skip such data sets, or rank the missing score last "
    "(`missing=worst`). Runs rarely fail by chance: large or hard data sets fail more "
    "often.",
    wrong="name,nb,rf\niris,0.94,0.95\nwine,0.97,",
    right="name,nb,rf\niris,0.94,0.95\nwine,0.97,0.98",
)
