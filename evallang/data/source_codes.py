"""What is wrong with where data come from: files and their formats, databases (E40x, E41x)."""

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
    wrong='protocol split from "https://example.org/folds.csv"',
    right='protocol split from "folds.csv"',
)
UNKNOWN_ENDING = declare(
    "E403",
    "unknown_file_ending",
    "A data file's ending is none that can be read.",
    reason="The ending decides how a file is read: .csv, .tsv, .parquet, .jsonl and .arff, and "
    "the text formats with .gz behind.",
    wrong='protocol split from "folds.xlsx"',
    right='protocol split from "folds.csv"',
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
SAME_STEM = declare(
    "E413",
    "data_sets_share_a_name",
    "Two files of a glob would give data sets of the same name.",
    reason="Data sets of a glob are named after their files without folder and ending.",
)

# --- E412 to E419: ARFF, databases --------------------------------------------------------

MALFORMED_ARFF = declare(
    "E412",
    "malformed_arff",
    "An ARFF file breaks the rules of its format, or uses a part of it that is not read.",
    reason="A header of @attribute lines declares the columns and their types, and each line "
    "after @data is one row. Sparse rows, relational attributes and weights behind a row are "
    "not read.",
    wrong="@attribute ward {A, B}\n@data\nC",
    right="@attribute ward {A, B, C}\n@data\nC",
)
UNKNOWN_DATABASE = declare(
    "E414",
    "unknown_database",
    "The address of a database is none that can be read.",
    reason="Read are SQLite and DuckDB files, relative to the study's own file, and PostgreSQL "
    "servers.",
    wrong='data adult from sql "select * from adult" on "data/adult.db"',
    right='data adult from sql "select * from adult" on "sqlite:///data/adult.db"',
)
NOT_ONE_SELECT = declare(
    "E415",
    "not_one_select",
    "A query is not exactly one SELECT.",
    reason="A study reads data and changes nothing: no other statement, and nothing behind the "
    "first.",
    wrong='data adult from sql "pragma table_info(adult)" on "sqlite:///adult.db"',
    right='data adult from sql "select * from adult" on "sqlite:///adult.db"',
)
QUERY_FAILED = declare(
    "E416",
    "query_failed",
    "A database could not be opened, or refused a query.",
    reason="The words of the database are in the message. Queries may read tables and nothing "
    "else: no other database, no file, no setting.",
)
DRIVER_MISSING = declare(
    "E417",
    "database_driver_missing",
    "The package that reads a kind of database is not installed.",
    reason="SQLite comes with Python; DuckDB is read by the package duckdb, PostgreSQL by psycopg.",
)
SERVER_NEEDS_TRUST = declare(
    "E418",
    "server_needs_trust",
    "A query goes to a server, and the run was not told to trust the study.",
    reason="A study opens no network connection of its own accord; with --trust it may.",
)
PASSWORD_IN_STUDY = declare(
    "E419",
    "password_in_study",
    "The address of a database holds a password.",
    reason="A study is committed, printed and shared. The drivers of PostgreSQL take a password "
    "from PGPASSWORD or the file .pgpass.",
    wrong='on "postgresql://ana:secret@db.example.org/trial"',
    right='on "postgresql://ana@db.example.org/trial"',
)
