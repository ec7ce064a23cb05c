"""Builds the two tables into the package; everything else is in pyproject.toml."""

import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent


class BuildWithTables(build_py):
    """Write both tables before their folders are copied (or linked, when editable)."""

    def run(self) -> None:
        """Write `evallang/members.table` and `grammar/evallang.table`, then build as always."""
        sys.path.insert(0, str(ROOT))
        from evallang.manual.member_table import write_members
        from evallang.syntax.parse_table import write

        write_members()
        write(ROOT / "grammar")
        super().run()


setup(cmdclass={"build_py": BuildWithTables})
