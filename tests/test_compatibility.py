"""What docs/compatibility.md promises about names: those of a release stay.

`released.txt` has the codes, and the commands with their options. Run as a script, this module
prints those of this version; before a release the new lines are added to the file.
"""

from pathlib import Path

import click

from evallang.cli.main import COMMANDS, root
from evallang.diagnostics import CODES

RELEASED = Path(__file__).parent / "released.txt"


def names_of_this_version():
    """Return codes with their names, and commands with each of their options."""
    found = [f"{code} {known.name}" for code, known in CODES.items()]
    context = click.Context(root)
    for name in COMMANDS:
        found.append(f"evallang {name}")
        for parameter in root.get_command(context, name).params:
            if isinstance(parameter, click.Option):
                found += [f"evallang {name} {spelling}" for spelling in parameter.opts]
    return sorted(found)


def test_names_of_a_release_keep_their_meaning():
    released = RELEASED.read_text(encoding="utf-8").splitlines()
    here = names_of_this_version()
    assert [line for line in released if line.startswith("evallang") and line not in here] == []
    names = dict(line.split(" ") for line in released if not line.startswith("evallang"))
    now = dict(line.split(" ") for line in here if not line.startswith("evallang"))
    assert {code: now[code] for code in names if code in now} == {
        code: name for code, name in names.items() if code in now
    }, "a code has another name: give the check a new code"
    moved = {name for code, name in names.items() if name in now.values() and code not in now}
    assert moved == set(), "a check has another code"


if __name__ == "__main__":
    print("\n".join(names_of_this_version()))
