"""A page as a tagged PDF (PDF/UA-1 structure), by WeasyPrint."""

import base64
import contextlib
import hashlib
import importlib
import io
import logging
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from html import escape
from typing import Any

from msgspec import Struct

from evallang.installation import INSTALL_PDF
from evallang.limits import PAGES, OverLimit
from evallang.printable import printable
from evallang.reporting import fonts

NO_DATE = datetime(2000, 1, 1, tzinfo=UTC)

SUPPLEMENT = "supplement"
"""The anchor of the first page of the supplement."""


class NotMadeError(Exception):
    """The PDF cannot be made on this machine."""


class PangoMissingError(NotMadeError):
    """The PDF cannot be made because the library that sets its text is not installed."""

    reason = "Pango, which sets their letters, is not installed"


def write_drawing(
    svg: str, width: float, height: float, title: str, alt: str, styles: str
) -> bytes:
    """Make the PDF of a drawing, on a page of exactly its size in points.

    `styles` are the `@font-face` rules of its texts.
    Raises `NotMadeError` where WeasyPrint finds no Pango.
    """
    address = "data:image/svg+xml;base64," + base64.b64encode(svg.encode("utf-8")).decode()
    page = (
        f'<html lang="en"><title>{escape(title)}</title><style>{styles}'
        f"@page{{size:{width:.3f}pt {height:.3f}pt;margin:0}}body{{margin:0}}"
        f"img{{display:block;width:{width:.3f}pt;height:{height:.3f}pt}}</style>"
        f'<img alt="{escape(alt)}" src="{address}">'
    )
    return write(page, hashlib.sha256(svg.encode("utf-8")).hexdigest()[:10])


class AttachedFile(Struct, frozen=True):
    """A file inside a PDF."""

    name: str
    description: str
    content: bytes


def write(html: str, identifier: str, attached: Sequence[AttachedFile] = ()) -> bytes:
    """Make the PDF of a page; it can read only `data:` addresses and our fonts.

    `identifier` becomes the identity of the file, so that equal pages are equal bytes; `attached`
    files have one fixed date for the same reason.
    Raises `NotMadeError`: WeasyPrint finds no Pango, its fonts cannot be written, the page
    loads something or has too many pages.
    """
    weasyprint = _weasyprint()
    page = weasyprint.HTML(string=html, base_url="data:,", url_fetcher=_fetcher())
    with _bounded():
        data: bytes = page.write_pdf(
            pdf_variant="pdf/ua-1",
            pdf_identifier=identifier.encode("ascii"),
            presentational_hints=False,
            finisher=_label_pages,
            attachments=[
                weasyprint.Attachment(
                    string=file.content,
                    name=file.name,
                    description=file.description,
                    created=NO_DATE,
                    modified=NO_DATE,
                    relationship="Source",
                )
                for file in attached
            ],
        )
    return data


def _label_pages(document: Any, made: Any) -> None:
    """Label the pages as they are numbered: 1, 2, ..., and from the supplement on S1, S2, ..."""
    import pydyf

    starts = (i for i, page in enumerate(document.pages) if SUPPLEMENT in page.anchors)
    first = next(starts, None)
    if first is not None:
        plain, further = pydyf.Dictionary({"S": "/D"}), pydyf.Dictionary({"S": "/D", "P": "(S)"})
        labels = pydyf.Array([0, plain, first, further] if first else [0, further])
        made.catalog["PageLabels"] = pydyf.Dictionary({"Nums": labels})


def _fetcher() -> Any:
    """Return what fetches the addresses of a page: data, and our fonts by their names."""
    from weasyprint import urls

    class Fetcher(urls.URLFetcher):  # type: ignore[misc]
        def fetch(self, url: str, headers: Any = None) -> Any:
            if url.startswith(fonts.ADDRESS):
                return urls.URLFetcherResponse(
                    url, fonts.font_file(url.removeprefix(fonts.ADDRESS))
                )
            return super().fetch(url, headers)

    return Fetcher(allowed_protocols={"data"}, allow_redirects=False, fail_on_errors=True)


@contextlib.contextmanager
def _bounded() -> Iterator[None]:
    """End the making of a PDF that loads something, or has more pages than the limit.

    WeasyPrint logs each page that it begins.
    """

    def count(record: logging.LogRecord) -> bool:
        if "Creating layout" in str(record.msg) and isinstance(record.args, tuple):
            PAGES.check("the PDF was not written", float(str(record.args[-1])))
        return False

    progress = logging.getLogger("weasyprint.progress")
    level = progress.level
    progress.setLevel(logging.INFO)
    progress.addFilter(count)
    try:
        yield
    except OverLimit as error:
        raise NotMadeError(f"{error}; {error.help}") from error
    except importlib.import_module("weasyprint.urls").FatalURLFetchingError as error:
        address = printable(str(error).splitlines()[0])
        raise NotMadeError(f"the PDF was not written: it may load nothing ({address})") from error
    except OSError as error:
        said = error.strerror or str(error)
        raise NotMadeError(
            "the PDF was not written because its fonts cannot be written to the folder for "
            f"temporary files, `{tempfile.gettempdir()}`: {said[:1].lower()}{said[1:]}"
        ) from error
    finally:
        progress.removeFilter(count)
        progress.setLevel(level)


def _weasyprint() -> Any:
    # WeasyPrint prints a banner before it raises; the message that we give says the same.
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            made = importlib.import_module("weasyprint")
        except OSError as error:
            raise PangoMissingError(
                f"the PDF was not written because Pango is not installed: {INSTALL_PDF}"
            ) from error
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    return made
