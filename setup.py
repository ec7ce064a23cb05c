"""Builds the parse table into the package; everything else is in pyproject.toml."""

import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent


class BuildWithTable(build_py):
    """Compile the grammar before its folder is copied (or linked, when editable)."""

    def run(self) -> None:
        """Write `grammar/evallang.table`, then build as always."""
        sys.path.insert(0, str(ROOT))
        from evallang.syntax.parse_table import write

        write(ROOT / "grammar")
        super().run()


setup(cmdclass={"build_py": BuildWithTable})
