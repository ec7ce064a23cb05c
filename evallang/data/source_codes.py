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
    reason="A study downloads nothing: what it reads must lie beside it, so that the same bytes "
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
    "A data file, or the answer of a database, is larger than the limit.",
    reason="A table is held in memory several times over while it is read, and beyond the limit "
    "most machines would stop answering. The limit also holds for what a compressed file "
    "unpacks to.",
    wrong='data scans from "every-pixel.csv"   # beyond the limit\n  target tumour',
    right='data scans from "features-of-scans.csv"\n  target tumour',
)
UNREADABLE_FILE = declare(
    "E405",
    "unreadable_file",
    "A data file cannot be read as what its ending says.",
    reason="The file is damaged, is not of that format, is a folder, or may not be opened.",
    wrong='data visits from "visits.csv.gz"   # renamed, never compressed\n  target readmitted',
    right='data visits from "visits.csv"\n  target readmitted',
)
NOT_UTF8 = declare(
    "E406",
    "text_not_utf8",
    "A text file is not UTF-8, or holds bytes that no text has.",
    reason="In another encoding the same bytes are other letters, so labels and levels would "
    "silently change with the machine.",
    wrong='data visits from "visits-windows.csv"   # saved as Latin-1\n  target readmitted',
    right='data visits from "visits.csv"   # saved as UTF-8\n  target readmitted',
)
EMPTY_FILE = declare(
    "E407",
    "no_rows_in_file",
    "A data file, or the answer of a database, holds no rows.",
    reason="There is nothing to evaluate. Often a filter upstream kept nothing, or the file was "
    "still being written.",
    wrong="id,truth,cnn",
    right="id,truth,cnn\n1,cat,cat\n2,dog,cat",
)
RAGGED_LINE = declare(
    "E408",
    "ragged_line",
    "A line has another number of fields than the header.",
    reason="Its values would stand in the wrong columns.",
    wrong="id,truth,cnn\n1,cat,cat\n2,dog,cat,0.3",
    right="id,truth,cnn\n1,cat,cat\n2,dog,cat",
)
DUPLICATE_COLUMN = declare(
    "E409",
    "column_name_twice",
    "Two columns of a file have the same name.",
    reason="A clause that names the column could mean either of them.",
    wrong="id,truth,cnn,cnn\n1,cat,cat,0.9\n2,dog,cat,0.6",
    right="id,truth,cnn,p_cat\n1,cat,cat,0.9\n2,dog,cat,0.6",
)
MALFORMED_JSON = declare(
    "E410",
    "malformed_json_line",
    "A line of a JSON Lines file is no JSON object.",
    reason="Each line is one row: an object that maps column names to values.",
    wrong='[{"id": 1, "truth": "cat", "cnn": "cat"}, {"id": 2, "truth": "dog", "cnn": "cat"}]',
    right='{"id": 1, "truth": "cat", "cnn": "cat"}\n{"id": 2, "truth": "dog", "cnn": "cat"}',
)
SAME_STEM = declare(
    "E413",
    "data_sets_share_a_name",
    "Two files of a pattern would give data sets of the same name.",
    reason="The data sets of a pattern are named after their files, without folder and ending.",
    wrong='data visits from "*/visits.csv"   # north/visits.csv and south/visits.csv\n'
    "  target readmitted",
    right='data visits from "hospitals/*.csv"   # north.csv and south.csv\n  target readmitted',
)

# --- E412 to E419: ARFF, databases --------------------------------------------------------

MALFORMED_ARFF = declare(
    "E412",
    "malformed_arff",
    "An ARFF file breaks the rules of its format, or uses a part of it that is not read.",
    reason="A header of @attribute lines declares the columns and their types, and each line "
    "after @data is one row. Sparse rows, relational attributes and weights behind a row are "
    "not read.",
    wrong="@relation visits\n@attribute ward {A, B}\n@attribute readmitted {no, yes}\n@data\n"
    "A,no\nC,yes",
    right="@relation visits\n@attribute ward {A, B, C}\n@attribute readmitted {no, yes}\n@data\n"
    "A,no\nC,yes",
)
UNKNOWN_DATABASE = declare(
    "E414",
    "unknown_database",
    "The address of a database is none that can be read.",
    reason="Read are SQLite and DuckDB files, whose paths are relative to the study's own file, "
    "and PostgreSQL servers.",
    wrong='data visits from sql "select * from visits" on "records/visits.db"\n  target readmitted',
    right='data visits from sql "select * from visits" on "sqlite:///records/visits.db"\n'
    "  target readmitted",
)
NOT_ONE_SELECT = declare(
    "E415",
    "not_one_select",
    "A query is not exactly one SELECT.",
    reason="A study reads data and changes nothing: no other statement is taken, and nothing "
    "behind the first.",
    wrong='data visits from sql "pragma table_info(visits)" on "sqlite:///records/visits.db"\n'
    "  target readmitted",
    right='data visits from sql "select * from visits" on "sqlite:///records/visits.db"\n'
    "  target readmitted",
)
QUERY_FAILED = declare(
    "E416",
    "query_failed",
    "A database could not be opened, or refused a query.",
    reason="The words of the database are in the message. Queries may read tables and nothing "
    "else: no other database, no file, no setting.",
    wrong='data visits from sql "select * from visit" on "sqlite:///records/visits.db"\n'
    "  target readmitted",
    right='data visits from sql "select * from visits" on "sqlite:///records/visits.db"\n'
    "  target readmitted",
)
DRIVER_MISSING = declare(
    "E417",
    "database_driver_missing",
    "The package that reads a kind of database is not installed.",
    reason="SQLite comes with Python; DuckDB is read by the package duckdb, PostgreSQL by psycopg.",
    wrong='data visits from sql "select * from visits" on "duckdb:///records/visits.duckdb"\n'
    "  target readmitted   # and duckdb is not installed",
    right='data visits from sql "select * from visits" on "sqlite:///records/visits.db"\n'
    "  target readmitted",
)
SERVER_NEEDS_TRUST = declare(
    "E418",
    "server_needs_trust",
    "A query goes to a server, and the run was not told to trust the study.",
    reason="A study opens no network connection of its own accord; with `run --trust` it may. "
    "A copy of the table beside the study needs no trust, and stays as it was.",
    wrong='data visits from sql "select * from visits" on "postgresql://ana@db.example.org/trial"\n'
    "  target readmitted",
    right='data visits from "visits.csv"   # exported once\n  target readmitted',
)
PASSWORD_IN_STUDY = declare(
    "E419",
    "password_in_study",
    "The address of a database holds a password.",
    reason="A study is committed, printed and shared. The driver of PostgreSQL takes a password "
    "from PGPASSWORD or the file .pgpass.",
    wrong='data visits from sql "select * from visits" on "postgresql://ana:secret@db/trial"\n'
    "  target readmitted",
    right='data visits from sql "select * from visits" on "postgresql://ana@db/trial"\n'
    "  target readmitted",
)
