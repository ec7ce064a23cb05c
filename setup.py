"""Builds the parse table; everything else is in pyproject.toml."""

import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent


class BuildWithCompiledFiles(build_py):
    """Write what is compiled before its folders are copied (or linked, when editable)."""

    def run(self) -> None:
        """Write `evallang.table`, then build as always."""
        sys.path.insert(0, str(ROOT))
        from evallang.syntax import parse_table

        parse_table.write(ROOT / "grammar")
        super().run()


setup(cmdclass={"build_py": BuildWithCompiledFiles})
