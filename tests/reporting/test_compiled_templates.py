"""Templates compiled when the package is built give the pages of those compiled in memory."""

from importlib.resources import files
from itertools import count

import pytest

from evallang.reporting import compiled_templates, html
from evallang.reporting.context import Context
from evallang.reporting.section import build

MODULES = {html.TEMPLATE: "compiled_report", html.BLOCKS: "compiled_blocks"}
IN_MEMORY = "<template>"
NUMBERS = count()


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with the modules that a build writes."""
    folder = tmp_path / f"built_templates_{next(NUMBERS)}"
    folder.mkdir()
    (folder / "__init__.py").touch()
    sources = html.templates(files("evallang.templates"))
    compiled_templates.write(html.template_environment({}), sources, folder)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(compiled_templates, "PACKAGE", folder.name)
    return folder


def file_of(environment, name):
    return environment.get_template(name).filename


def test_a_shipped_module_is_used_and_renders_the_same_page(package, drawn, monkeypatch):
    sources = html.templates(files("evallang.templates"))
    shipped = html.template_environment(sources)
    for name, module in MODULES.items():
        assert file_of(shipped, name) == str(package / f"{module}.py")
    monkeypatch.setattr(compiled_templates, "PACKAGE", "no_such_package")
    in_memory = html.template_environment(sources)
    assert {file_of(in_memory, name) for name in MODULES} == {IN_MEMORY}
    document = build(Context(drawn("cancer").results))
    pages = []
    for environment in (shipped, in_memory):
        monkeypatch.setattr(html, "_environment", lambda used=environment: used)
        pages.append(html.render(document, "print"))
    assert pages[0] == pages[1]


def test_a_module_of_another_text_is_not_used(package):
    sources = html.templates(files("evallang.templates"))
    changed = {**sources, html.BLOCKS: sources[html.BLOCKS] + "{# changed #}"}
    environment = html.template_environment(changed)
    assert file_of(environment, html.TEMPLATE) == str(package / "compiled_report.py")
    assert file_of(environment, html.BLOCKS) == IN_MEMORY


def test_a_module_of_another_jinja_is_not_used(package, monkeypatch):
    monkeypatch.setattr(compiled_templates.pkgutil, "get_data", lambda *_: b"another compiler")
    environment = html.template_environment(html.templates(files("evallang.templates")))
    assert {file_of(environment, name) for name in MODULES} == {IN_MEMORY}
