"""`sql`: one SELECT on a connection that can only read."""

import datetime
import importlib
import sqlite3
import types
from pathlib import Path

import duckdb
import pytest
from many_cases import for_each

from evallang.data import databases
from evallang.data.data_tables import read_table
from evallang.data.databases import not_one_select, ordered
from evallang.data.dataset import DataSpec
from evallang.limits import limits

ROWS = [(1, 34.5, "A", "no"), (2, None, "B", "yes"), (3, 51.0, "A", "yes"), (4, 20.0, None, "no")]
CSV = "id,age,ward,y\n1,34.5,A,no\n2,,B,yes\n3,51,A,yes\n4,20,,no\n"
ALL = "select id, age, ward, y from visits"


@pytest.fixture
def database(source):
    (source.folder / "db").mkdir()
    connection = sqlite3.connect(source.folder / "db" / "v.db")
    connection.execute("create table visits (id integer, age real, ward text, y text)")
    connection.executemany("insert into visits values (?, ?, ?, ?)", ROWS)
    connection.commit()
    connection.close()
    return "sqlite:///db/v.db"


def read(source, query, address, *, trusted=False, **clauses):
    spec = DataSpec(
        **{
            "name": "d", "label": "d", "kind": "sql", "location": query, "statement": "data d",
            "connection": address, "target": "y", "id": "id", **clauses,
        }
    )  # fmt: skip
    tables, found = read_table(spec, source.folder, trusted=trusted)
    return (tables[0] if tables else None), found


def error(source, query, address, **clauses):
    table, found = read(source, query, address, **clauses)
    assert table is None
    (only,) = found
    return only


def test_a_query_gives_the_table_that_a_file_would(source, database):
    table, found = read(source, ALL, database)
    assert found == ()
    assert table.sha256 == source.table(CSV, id="id").sha256
    assert table.source == "sql on sqlite:///db/v.db"


def test_rows_are_sorted_unless_the_query_orders_them(source, database):
    turned, _ = read(source, "select id, age, ward, y from visits order by id desc", database)
    assert turned.ids == ("4", "3", "2", "1")
    assert not any("sorted" in note for note in turned.notes)
    mixed = "select id, age, ward, y from (select * from visits order by id desc)"
    table, _ = read(source, mixed, database)
    assert table.ids == ("1", "2", "3", "4")
    assert any("rows sorted by their values" in note for note in table.notes)


def test_clauses_apply_to_the_rows_of_a_query(source, database, where):
    line = where("ward", "=", "A")
    table, found = read(source, ALL, database, where=(line,))
    assert found == ()
    assert table.excluded == ((line.written, 2),)


@for_each(
    ("query", "code"),
    [
        ("delete from visits", "E415"),
        ("pragma table_info(visits)", "E415"),
        ("attach 'other.db' as other", "E415"),
        ("select 1; drop table visits", "E415"),
        ("  ", "E415"),
        ("-- select\nupdate visits set y = 'no'", "E415"),
        ("with gone as (select 1) delete from visits", "E416"),
        ("select * from pragma_table_info('visits')", "E416"),
        ("select load_extension('x')", "E416"),
        ("select * from visit", "E416"),
        ("select nothing from visits", "E416"),
        ("select randomblob(20000000), y from visits", "E416"),
        ("select writefile('x', 'y') from visits", "E416"),
        ("select id from visits where", "E416"),
        ("select id, age as id, y from visits", "E409"),
        ("select * from visits where id > 100", "E407"),
    ],
)
def test_queries_that_are_refused_change_nothing(source, database, query, code):
    before = (source.folder / "db" / "v.db").read_bytes()
    assert error(source, query, database).code == code
    assert (source.folder / "db" / "v.db").read_bytes() == before
    assert [path.name for path in (source.folder / "db").iterdir()] == ["v.db"]


@pytest.mark.parametrize(
    "query", ["select * from pragma_database_list", "with x as (select 1) delete from visits"]
)
def test_what_the_authorizer_refuses_is_explained(source, database, query):
    assert error(source, query, database).help == (
        "a query may read the tables of its own database and nothing else"
    )


def test_a_result_beyond_the_limit_is_refused(source, database, monkeypatch):
    monkeypatch.setattr(databases, "FETCHED", 10)
    endless = (
        "with recursive n(id, y) as (select 1, 'no' union all select id + 1, 'yes' from n) "
        "select id, y from n"
    )
    with limits(query_values=1000):
        found = error(source, endless, database)
    assert found.code == "E404"
    assert found.message == "the query: more values than the limit of 1,000"


def test_columns_of_several_types_are_text_and_blobs_no_features(source):
    connection = sqlite3.connect(source.folder / "m.db")
    connection.execute("create table t (a, b, c, y)")
    rows = [(1, 1, b"x", "no"), ("x", 2.5, None, "yes"), (None, None, b"z", "no")]
    connection.executemany("insert into t values (?, ?, ?, ?)", rows)
    connection.commit()
    connection.close()
    table, _ = read(source, "select a, b, y from t order by rowid", "sqlite:///m.db", id=None)
    assert [column.numeric for column in table.columns] == [False, True]
    assert table.objects[:2, 0].tolist() == ["1", "x"]
    assert table.numeric[:2, 0].tolist() == [1, 2.5]
    found = error(source, "select a, c, y from t", "sqlite:///m.db", id=None)
    assert found.code == "E429"


# --- DuckDB and PostgreSQL ---------------------------------------------------------------


def test_a_driver_that_is_not_installed_is_one_message(source, monkeypatch, here):
    def missing(name):
        raise ImportError(name)

    source.write("v.duckdb", "")
    monkeypatch.setattr(importlib, "import_module", missing)
    found = error(source, ALL, "duckdb:///v.duckdb")
    assert (found.code, found.help) == ("E417", "run `pip install 'evallang[duckdb]'`")
    found = error(source, ALL, "postgresql://host/name", trusted=True)
    assert (found.code, found.help) == ("E417", "run `pip install 'evallang[postgresql]'`")


@pytest.mark.parametrize(
    "query",
    [
        "select * from read_csv('v.csv')",
        "select * from 'v.csv'",
        "select * from read_text('v.csv')",
        "select * from glob('*')",
        "select * from 'https://example.org/v.csv'",
        "select * from sqlite_scan('v.db', 'visits')",
        "with a as (select 1) from b",
    ],
)
def test_duckdb_reads_its_tables_and_nothing_else(source, query):
    connection = duckdb.connect(str(source.folder / "v.duckdb"))
    connection.execute("create table visits (id integer, age double, ward text, y text)")
    connection.executemany("insert into visits values (?, ?, ?, ?)", ROWS)
    connection.close()
    rows = {"y": ["no"]}  # noqa: F841 - DuckDB would find variables of its callers, if it might
    table, found = read(source, ALL, "duckdb:///v.duckdb")
    assert found == ()
    assert table.sha256 == source.table(CSV, name="v.csv", id="id").sha256
    assert error(source, query, "duckdb:///v.duckdb").code == "E416"


class Server:
    """Stands in for psycopg: keeps how it was called and answers every query with ROWS."""

    class Error(Exception):
        pass

    def __init__(self):
        self.module = types.ModuleType("psycopg")
        self.module.Error = self.Error
        self.module.connect = self.connect
        self.addresses, self.queries, self.closed = [], [], 0
        self.read_only = None
        self.prepare_threshold = 5
        self.description = [("id",), ("age",), ("ward",), ("y",)]

    def connect(self, address, **_):
        self.addresses.append(address)
        return self

    def cursor(self):
        self.rows = list(ROWS)
        return self

    def execute(self, query):
        assert self.read_only is True
        assert self.prepare_threshold == 0
        self.queries.append(query)

    def fetchmany(self, size):
        rows, self.rows = self.rows[:size], self.rows[size:]
        return rows

    def close(self):
        self.closed += 1


@pytest.fixture
def server(monkeypatch):
    made = Server()
    load = importlib.import_module
    monkeypatch.setattr(
        importlib, "import_module", lambda name: made.module if name == "psycopg" else load(name)
    )
    return made


def test_a_server_is_asked_only_where_the_study_is_trusted(source, server, here):
    found = error(source, ALL, "postgresql://ana@db.example.org/trial")
    assert (found.code, found.help) == (
        "E418",
        "run `evallang run --trust` if you trust this study",
    )
    assert server.addresses == []
    table, found = read(source, ALL, "postgresql://ana@db.example.org/trial", trusted=True)
    assert found == ()
    assert table.sha256 == source.table(CSV, id="id").sha256
    assert (server.queries, server.closed) == ([ALL], 1)


@pytest.mark.parametrize(
    "address",
    ["postgresql://ana:secret@host/trial", "postgres://host/trial?user=ana&password=secret"],
)
def test_a_password_is_refused_and_never_repeated(source, server, address):
    found = error(source, ALL, address, trusted=True)
    assert found.code == "E419"
    assert "secret" not in found.message + (found.help or "")
    assert server.addresses == []


def test_complaints_of_a_server_are_one_line(source, server, here):
    def refuse(_):
        raise Server.Error('\nrelation "visit" does not exist\nLINE 1: select')

    server.execute = refuse
    found = error(source, ALL, "postgresql://host/trial", trusted=True)
    assert (found.code, found.message) == (
        "E416",
        'the database `postgresql://host/trial` answers: relation "visit" does not exist',
    )
    assert server.closed == 1


# --- the words of a query ----------------------------------------------------------------


@for_each(
    ("query", "reason"),
    [
        ("select 1", None),
        ("SELECT 1;", None),
        ("(select 1) union (select 2)", None),
        ("with a as (select 1) select * from a", None),
        ("select ';' as a -- ; drop", None),
        ('select "a;b" /* ; */ from t;  ;', None),
        ("select $q$; drop table t;$q$", None),
        ("select 'it''s; fine'", None),
        ("select 1; select 2", "contains more than one statement"),
        ("values (1)", "begins with `values`"),
        ("/* select */ insert into t values (1)", "begins with `insert`"),
        ("; -- nothing", "is empty"),
    ],
)
def test_what_one_select_is(query, reason):
    assert not_one_select(query) == reason


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("select a from t order by a", True),
        ("select a from t ORDER\n  BY a", True),
        ("select a, row_number() over (order by a) from t", False),
        ("select a from (select a from t order by a)", False),
        ("select 'order by' from t -- order by a", False),
        ('select a as "order by" from t', False),
    ],
)
def test_whether_a_query_orders_its_rows(query, expected):
    assert ordered(query) is expected


def test_dates_of_a_database_can_be_compared(source, server, where, here):
    day = datetime.date(2024, 3, 1)
    server.description = [("id",), ("day",), ("age",), ("y",)]
    server.cursor = lambda: server
    server.rows = [(i, day + datetime.timedelta(i), i, "no" if i % 2 else "yes") for i in range(6)]
    line = where("day", ">=", "2024-03-03")
    spec = {"features_except": ("day",), "where": (line,), "trusted": True}
    table, found = read(source, "select 1", "postgresql://host/trial", **spec)
    assert found == ()
    assert table.ids == ("2", "3", "4", "5")


def test_no_message_names_a_folder_of_this_machine(source, database):
    Path(source.folder / "bad.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 200)
    found = error(source, ALL, "sqlite:///bad.db")
    assert found.code == "E416"
    assert str(source.folder) not in found.message
