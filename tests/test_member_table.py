"""The declarations that a check reads without importing the members' modules."""

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import pytest

from evallang import member_table
from evallang.manual.member_table import SAVED
from evallang.member_table import decode, encode, saved_members
from evallang.protocols.protocol import PROTOCOLS
from evallang.registry import Registry

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Write a table elsewhere, in a process that has imported no other module."""
    path = tmp_path_factory.mktemp("table") / "members.table"
    code = (
        "from pathlib import Path\n"
        "from evallang import member_table\n"
        f"member_table.TABLE = Path({str(path)!r})\n"
        "from evallang.manual.member_table import write_members\n"
        "write_members()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    return path.read_bytes()


@pytest.fixture
def table(tmp_path, monkeypatch, written):
    """Return the path of that table, which is forgotten afterwards."""
    path = tmp_path / "members.table"
    path.write_bytes(written)
    monkeypatch.setattr(member_table, "TABLE", path)
    member_table._table.cache_clear()
    yield path
    member_table._table.cache_clear()


def from_table(registry):
    """Return a registry of the same package that has imported nothing."""
    read = Registry(registry.kind, registry.package)
    read._load()
    return read


def without_functions(value):
    """Replace the functions in a value, which are not equal to those of the table."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        shown = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        return type(value), without_functions(shown)
    if isinstance(value, dict):
        return {key: without_functions(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return tuple(map(without_functions, value))
    return "function" if callable(value) and not isinstance(value, type) else value


@pytest.mark.parametrize("registry", SAVED, ids=lambda registry: registry.kind)
def test_the_table_holds_what_the_modules_declare(table, registry):
    read = from_table(registry)
    assert read.names() == registry.names() != ()
    assert "late" in vars(read[read.names()[0]])
    registry._import_all()
    for name in registry._entries:  # with those that authors cannot write
        real, saved = registry._registered[name], read[name]
        assert without_functions(saved.declaration) == without_functions(real.declaration)
        assert type(saved.declaration) is type(real.declaration)
        for field in ("kind", "name", "title", "inputs", "options"):
            assert getattr(saved, field) == getattr(real, field)


def test_what_the_table_does_not_hold_comes_from_the_module(table):
    assert saved_members(PROTOCOLS.package) is not None
    late = PROTOCOLS._entry(
        next(m for m in saved_members(PROTOCOLS.package) if m.name == "nested_cv")
    )
    PROTOCOLS._import_all()
    real = PROTOCOLS._registered["nested_cv"]
    assert "function" not in late.__dict__
    assert late.function is real.function
    assert late.references == real.references
    assert late.examples == real.examples
    assert late.summary == real.summary
    with pytest.raises(AttributeError, match="an entry has no colour"):
        _ = late.colour
    assert dataclasses.replace(late, name="own").name == "own"
    options = real.defaults() | {"outer": 7}
    assert late.declaration.n_splits(options) == real.declaration.n_splits(options) == 7
    assert late.declaration.yields(options) == real.declaration.yields(options)


def test_the_module_of_each_member_registers_it(table):
    code = (
        "from pathlib import Path\n"
        "from evallang import member_table\n"
        f"member_table.TABLE = Path({str(table)!r})\n"
        "from evallang.manual.member_table import SAVED\n"
        "for registry in SAVED:\n"
        "    for name in registry.names():\n"
        "        assert callable(registry[name].function)\n"
        "        print(name)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [name for registry in SAVED for name in registry.names()]


def test_a_check_imports_the_modules_of_no_other_members(table):
    code = (
        "import sys, os\n"
        "from pathlib import Path\n"
        "from evallang import member_table\n"
        f"member_table.TABLE = Path({str(table)!r})\n"
        "os._exit = lambda code: print(*sys.modules)\n"
        f"sys.argv = ['evallang', 'check', {str(EXAMPLES / 'screening.eval')!r}]\n"
        "from evallang.cli import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.splitlines()[-1].split()
    assert "evallang.checking.check" in loaded
    unread = [f"{r.package}." for r in SAVED if r is not PROTOCOLS]
    declared = {f"{r.package}.{r.kind.replace(' ', '_')}" for r in SAVED}
    own = {f"evallang.metrics.{name}" for name in ("own_code", "imported", "named")}
    found = {name for name in loaded if name.startswith(tuple(unread))}
    assert found - declared - own == set()


def changed_source(table):
    content = json.loads(table.read_text())
    content["sources"]["stats/threads.py"] += 1
    table.write_text(json.dumps(content))


def added_module(table):
    content = json.loads(table.read_text())
    content["folders"]["metrics"].remove("ranking.py")
    table.write_text(json.dumps(content))


def removed_source(table):
    content = json.loads(table.read_text())
    content["sources"]["stats/removed.py"] = 1
    table.write_text(json.dumps(content))


def other_format(table):
    content = json.loads(table.read_text())
    table.write_text(json.dumps(content | {"format": member_table.FORMAT + 1}))


@pytest.mark.parametrize(
    "damage",
    [
        changed_source,
        added_module,
        removed_source,
        other_format,
        lambda table: table.unlink(),
        lambda table: table.write_bytes(table.read_bytes()[:5000]),
        lambda table: table.write_bytes(b"\xff\x00"),
        lambda table: table.write_text("[]"),
    ],
)
def test_a_missing_or_stale_table_is_not_read(table, damage):
    assert saved_members("evallang.metrics") is not None
    damage(table)
    member_table._table.cache_clear()
    assert saved_members("evallang.metrics") is None
    assert from_table(SAVED[0])._entries == {}  # its modules register in the package's own


def test_an_entry_stays_the_same_when_its_module_is_imported(table):
    registry = from_table(PROTOCOLS)
    saved = registry["holdout"]

    @registry.register(saved.declaration, title="Holdout", name="holdout")
    def function(rows):
        """Take the place of the member's own function."""

    assert registry["holdout"] is saved
    assert saved.function is function
    with pytest.raises(ValueError, match="protocol holdout is registered twice"):
        registry.register(saved.declaration, title="Holdout", name="holdout")(function)


def test_a_package_that_is_not_in_the_table_is_imported(table):
    assert saved_members("evallang.reporting") is None


def test_a_value_of_another_kind_cannot_be_saved():
    with pytest.raises(TypeError, match="cannot be saved"):
        encode({"a": [1, 2]})


def test_decoding_gives_what_was_encoded():
    value = (1, 2.5, None, True, frozenset({"b", "a"}), {("a", 1): {2: "x"}}, ())
    assert decode(json.loads(json.dumps(encode(value))), lambda: None) == value
