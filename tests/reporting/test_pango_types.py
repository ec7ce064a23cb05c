"""The types that are compiled beforehand are those that WeasyPrint declares."""

import json
import pkgutil
from importlib.metadata import version

import cffi
import pytest

from evallang.reporting import pango_types

SAVED = json.loads(pkgutil.get_data("evallang.reporting", pango_types.FILE))
MADE_FOR = "70.0"


def test_the_file_is_what_cffi_makes_of_the_declarations() -> None:
    texts = pango_types.weasyprints_texts()
    assert texts and all("pango" in text for text in texts)
    if version("weasyprint") == MADE_FOR:
        assert pango_types.compiled(texts) == SAVED


@pytest.fixture
def declared(monkeypatch):
    """Return the types that some texts declare, and how many interfaces read a text."""

    def interface(*texts):
        read = []
        monkeypatch.setattr(cffi, "FFI", Spy := type("Spy", (cffi.FFI,), {}))
        Spy.__init__ = lambda self: (read.append(self), super(Spy, self).__init__())[1]
        with pango_types.declared_beforehand():
            made = cffi.FFI()
            for text in texts:
                made.cdef(text)
        assert cffi.FFI is Spy
        return made, len(read)

    return interface


def test_declarations_of_the_file_are_not_read_and_have_the_same_sizes(declared) -> None:
    texts = pango_types.weasyprints_texts()
    made, read = declared(*texts)
    expected = cffi.FFI()
    for text in texts:
        expected.cdef(text)
    assert read == (0 if pango_types._compiled(texts) is not None else 1)
    for kind in ("PangoRectangle", "PangoGlyphString", "PangoLogAttr"):
        assert made.sizeof(kind) == expected.sizeof(kind)
        fields = [(name, field.offset) for name, field in made.typeof(kind).fields]
        assert fields == [(name, field.offset) for name, field in expected.typeof(kind).fields]
    assert made.cast("void *", 0) == made.NULL


def test_other_declarations_are_read_all_of_them(declared) -> None:
    texts = [*pango_types.weasyprints_texts(), "typedef struct { int of_ours; } other_t;"]
    made, read = declared(*texts)
    assert read == 1
    assert made.new("other_t *").of_ours == 0
    assert made.new("PangoRectangle *").width == 0


def test_a_cffi_of_another_form_reads_the_declarations(monkeypatch, declared) -> None:
    def refused(*_, **__):
        raise ImportError("another version")

    monkeypatch.setattr(pango_types.backend, "FFI", refused, raising=False)
    made, read = declared(*pango_types.weasyprints_texts())
    assert read == 1 and made.new("PangoRectangle *").width == 0
