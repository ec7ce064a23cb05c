"""`sql "select ..." on "sqlite:///x.db"`: one SELECT on a connection that can only read.

SQLite runs under an authorizer that lets it read tables and nothing else, DuckDB without
access to anything outside its file, PostgreSQL in a read-only transaction and only where the
caller trusts the study, since it is reached over a network.
"""

import importlib
import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import polars as pl

from evallang.data.column_types import table_of
from evallang.data.files import regular_file
from evallang.data.findings import Refused, quoted, repeated
from evallang.data.frame import Frame, frame_of
from evallang.data.reading import read_apart
from evallang.diagnostics import codes
from evallang.installation import install_extras
from evallang.limits import CELL, COLUMNS, MEMORY, QUERY_SECONDS, QUERY_VALUES, ROWS, OverLimit
from evallang.spelling import closest

FETCHED = 50_000  # rows at a time, so that a result beyond the limit is noticed early
SERVERS = ("postgresql", "postgres")
FILES = ("sqlite", "duckdb")
EXTRAS_OF_DRIVERS = {"duckdb": "duckdb", "psycopg": "postgresql"}
FORMS = '"sqlite:///data/x.db", "duckdb:///data/x.duckdb", "postgresql://host/name"'
READING = frozenset(
    (
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_RECURSIVE,
    )
)
"""What SQLite may do for a query; not load_extension, which is off and no SELECT needs."""


Columns = list[tuple[str, list[Any]]]


def read_query(query: str, address: str, folder: Path, *, trusted: bool = False) -> Frame:
    """Run one SELECT and return its rows.

    Files of databases are relative to `folder`. Without an ORDER BY of its own a query gives
    its rows in any order, so they are sorted by their values, and a note reports that.
    """
    if (reason := not_one_select(query)) is not None:
        message = f"the query {reason}, and a study runs one `select`"
        raise Refused(
            codes.not_one_select, message, "sql", "from", help="write one `select ... from ...`"
        )
    scheme, separator, rest = address.partition("://")
    scheme = scheme.lower()
    if separator and scheme in SERVERS:
        cells = _query_server(query, address, trusted)
    elif separator and scheme in FILES and rest.startswith("/") and rest != "/":
        reader, package = {"sqlite": (_sqlite, "sqlite3")}.get(scheme, (_duckdb, "duckdb"))
        path = regular_file(rest[1:], folder).absolute()
        cells = _run(partial(reader, path), query, package, rest[1:])
    else:
        message, fix = _address_fault(address, scheme, rest if separator else None)
        raise Refused(codes.unknown_database, message, "on", "from", help=fix)
    source = f"sql on {address}"
    if ordered(query):
        return frame_of(source, cells, untyped=False)
    note = f"{source}: rows sorted by their values, since the query has no order by"
    by = [name for name, dtype in cells.schema.items() if not dtype.is_nested()]
    cells = cells.sort(by, nulls_last=True, maintain_order=True)
    return frame_of(source, cells, untyped=False, notes=(note,))


def _address_fault(address: str, scheme: str, rest: str | None) -> tuple[str, str]:
    """Return what is wrong with an address and how to fix it, without its password."""
    forms = f"write it as {FORMS}"
    if rest is None:
        return f"`{address}` is not an address of a database", forms
    if scheme in FILES and not rest.strip("/"):
        return f"`{address}` names no file", forms
    if scheme in FILES:
        return f"`{address}` has too few slashes", f"write `{scheme}:///{rest}`, with three slashes"
    plain = scheme.partition("+")[0]  # SQLAlchemy names the driver behind a plus
    near = plain if plain in SERVERS else closest(plain, (*FILES, *SERVERS))
    fix = f"did you mean `{near}`?" if near else forms
    return f"databases of the kind `{scheme}` are not read", fix


# --- files -------------------------------------------------------------------------------


def _sqlite(path: Path) -> sqlite3.Connection:
    """Open a database; SQLite writes nothing next to one that no program is writing."""
    whole = os.path.realpath(path)
    beside = [Path(whole + end) for end in ("-wal", "-journal")]
    in_use = any(file.is_file() and file.stat().st_size for file in beside)
    uri = f"file:{quote(whole)}?mode=ro{'' if in_use else '&immutable=1'}"
    connection = sqlite3.connect(uri, uri=True)
    connection.execute("pragma query_only = on")
    connection.execute("pragma trusted_schema = off")
    connection.execute("pragma temp_store = memory")  # where its limit holds, not on a disk
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, CELL.most)
    connection.set_authorizer(_authorized)
    return connection


def _authorized(action: int, *_: str | None) -> int:
    return sqlite3.SQLITE_OK if action in READING else sqlite3.SQLITE_DENY


def _duckdb(path: Path) -> Any:
    settings = {
        "enable_external_access": "false",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "memory_limit": f"{MEMORY.most}B",
        "temp_directory": "",  # sorting beyond the memory is refused, not done on a disk
    }
    duckdb: Any = importlib.import_module("duckdb")
    connection = duckdb.connect(str(path), read_only=True, config=settings)
    connection.execute("set lock_configuration = true")
    return connection


# --- servers -----------------------------------------------------------------------------


def _query_server(query: str, address: str, trusted: bool) -> "pl.DataFrame":
    try:
        parts = urlsplit(address)
        secret = parts.password is not None or "password" in parse_qs(parts.query)
    except ValueError:
        message = "the host in the address of the database is neither a name nor a number"
        raise Refused(codes.unknown_database, message, "on", help=f"write it as {FORMS}") from None
    if secret:
        raise Refused(
            codes.password_in_study,
            "the address of the database contains a password",
            "on",
            "from",
            help="remove it, and set `PGPASSWORD` or write the file `.pgpass`",
        )
    if not trusted:
        raise Refused(
            codes.server_needs_trust,
            f"`{address}` is a server, and a study opens no connection of its own accord",
            "on",
            "from",
            help="run `evallang run --trust` if you trust this study",
        )
    return _run(partial(_postgresql, address), query, "psycopg", address)


def _postgresql(address: str) -> Any:
    psycopg: Any = importlib.import_module("psycopg")
    connection = psycopg.connect(address, connect_timeout=20)
    connection.read_only = True
    # a prepared statement is one statement, whatever the text holds
    connection.prepare_threshold = 0
    return connection


# --- both --------------------------------------------------------------------------------


def _run(connect: Callable[[], Any], query: str, package: str, where: str) -> "pl.DataFrame":
    """Connect, run the query and close, in the process that reads.

    Ctrl-C ends that process, which stops the query of a server before.
    """
    try:
        return read_apart(
            "the query",
            _answer,
            connect,
            query,
            package,
            where,
            limit=QUERY_SECONDS,
            alone=False,
        )
    except OverLimit as error:
        raise Refused(codes.file_too_large, str(error), "sql", "from", help=error.help) from error


def _answer(connect: Callable[[], Any], query: str, package: str, where: str) -> "pl.DataFrame":
    """Return the rows of a query; what the database complains of is refused."""
    try:
        driver = importlib.import_module(package)
    except ImportError as error:
        message = f"`{package}`, which reads this database, is not installed"
        fix = f"run `{install_extras(EXTRAS_OF_DRIVERS[package])}`"
        raise Refused(codes.database_driver_missing, message, "on", "from", help=fix) from error
    connection = None
    try:
        connection = connect()
        cursor = connection.cursor()
        cursor.execute(query)
        columns = _columns(cursor)
    except getattr(driver, "OutOfMemoryException", MemoryError) as error:
        raise MEMORY.exceeded("the query") from error
    except driver.Error as error:
        message = f"the database `{where}` answers: {_reason(error, where)}"
        fix = _tables(connection, str(error)) or ""
        raise Refused(codes.query_failed, message, "sql", "from", help=fix or None) from error
    finally:
        if connection is not None:
            connection.close()
    if twice := repeated(name for name, _ in columns):
        message = f"the query returns more than one column {quoted(twice)}"
        fix = "write `select a.x as x_of_a` to give one of them another name"
        raise Refused(codes.column_name_twice, message, "sql", "from", help=fix)
    if not columns[0][1]:
        fix = "check whether its conditions exclude every row"
        raise Refused(codes.no_rows_in_file, "the query returns no rows", "sql", "from", help=fix)
    return table_of(columns)


def _columns(cursor: Any) -> Columns:
    """Fetch all rows as columns; raises `OverLimit` for too many."""
    names = [str(item[0]).strip() for item in cursor.description]
    COLUMNS.check("the query", len(names))
    columns: list[list[Any]] = [[] for _ in names]
    while rows := cursor.fetchmany(FETCHED):
        for column, values in zip(columns, zip(*rows, strict=True), strict=True):
            column.extend(values)
        if len(columns[0]) * len(columns) > QUERY_VALUES.most:
            raise QUERY_VALUES.exceeded("the query", instead="select what the study uses")
        ROWS.check("the query", len(columns[0]))
    return list(zip(names, columns, strict=True))


def _reason(error: Exception, where: str) -> str:
    """Return the first line of a database's complaint, without folders of this machine."""
    line = next((line.strip() for line in str(error).split("\n") if line.strip()), "no reason")
    words = line.split('"')
    return '"'.join(where if word.endswith("/" + Path(where).name) else word for word in words)


def _tables(connection: Any, reason: str) -> str | None:
    """Return a suggestion for a failed query: the nearest table of an SQLite file, or all."""
    if not isinstance(connection, sqlite3.Connection):
        return None
    if reason.startswith(("not authorized", "access to")):
        return "a query may read the tables of its own database and nothing else"
    if "no such table" not in reason:
        return None
    kept: Iterable[tuple[str]] = connection.execute(
        "select name from sqlite_master where type in ('table', 'view') order by name"
    )
    names = [name for (name,) in kept]
    near = closest(reason.rpartition(" ")[2], names)
    return f"did you mean `{near}`?" if near else f"its tables are {quoted(names, 12)}"


NOT_WORDS = re.compile(
    r"""
    --[^\n]*                         # a comment to the end of the line
  | /\*.*?(?:\*/|\Z)                 # a comment between marks
  | '(?:[^']|'')*(?:'|\Z)            # a text
  | "(?:[^"]|"")*(?:"|\Z)            # a name in quotes
  | (\$\w*\$).*?(?:\1|\Z)            # a text of PostgreSQL and DuckDB: $tag$ ... $tag$
    """,
    re.VERBOSE | re.DOTALL,
)
WORD_OR_MARK = re.compile(r"\w+|[();]")


def not_one_select(query: str) -> str | None:
    """Return the reason why a query is not exactly one SELECT, None where it is."""
    words = [word for word, _ in _words(query)]
    while words and words[-1] == ";":
        words.pop()
    if not words:
        return "is empty"
    if ";" in words:
        return "contains more than one statement"
    first = next((word for word in words if word != "("), "")
    return None if first in ("select", "with") else f"begins with `{first}`"


def ordered(query: str) -> bool:
    """Return whether a query itself, not a part of it in parentheses, has an ORDER BY."""
    outer = [word for word, depth in _words(query) if depth == 0]
    return any(pair == ("order", "by") for pair in pairwise(outer))


def _words(query: str) -> Iterator[tuple[str, int]]:
    """Return words and marks in lower case, each with its depth in parentheses."""
    depth = 0
    for match in WORD_OR_MARK.finditer(NOT_WORDS.sub(" ", query)):
        word = match.group().lower()
        depth -= word == ")"
        yield word, depth
        depth += word == "("
