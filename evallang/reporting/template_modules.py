"""Write the templates as modules: `python -m evallang.reporting.template_modules`."""

from importlib.resources import files
from pathlib import Path

from evallang.reporting import html
from evallang.reporting.compiled_templates import PACKAGE, write


def write_templates(folder: Path) -> None:
    """Compile the templates of a folder, and save their modules there."""
    write(html.template_environment({}), html.templates(folder), folder)


if __name__ == "__main__":
    write_templates(Path(str(files(PACKAGE))))
