"""The drawings of a printed page as vectors of its PDF.

WeasyPrint takes a sixth of its time for them: Pango sets each text, and each number is written on
its own. Our drawings have few kinds of marks, which `vector_pdf` writes.
"""

from collections.abc import Mapping
from typing import Any

import pydyf

from evallang.reporting.figures import placing, vector_pdf
from evallang.reporting.pdf_objects import Objects

PIXELS_PER_POINT = 4 / 3


class Drawings:
    """The drawings of a page by their addresses, in fonts that they share.

    `images` are those that are drawn here; `files` are left to WeasyPrint, because only Pango can
    set their text.
    """

    def __init__(self, drawings: Mapping[str, str]) -> None:
        self.images: dict[str, _Image] = {}
        self.files: dict[str, bytes] = {}
        for address, svg in drawings.items():
            sheet = placing.as_drawn(svg)
            if vector_pdf.can_set(sheet):
                self.images[address] = _Image(sheet, f"drawing{len(self.images)}", self)
            else:
                self.files[address] = svg.encode("utf-8")
        sheets = [image.sheet for image in self.images.values()]
        self.faces = vector_pdf.Faces("".join(map(placing.characters, sheets)))

    def add_fonts(self, objects: Objects) -> None:
        """Add the fonts of the drawings to a PDF in which they were drawn."""
        numbers = vector_pdf.add_fonts(objects, self.faces)
        fonts = {name: f"{number} 0 R" for name, number in numbers.items()}
        for image in self.images.values():
            image.resources["Font"] = pydyf.Dictionary(fonts)


class _Image:
    """A drawing as WeasyPrint knows images: it asks for their size, and has them draw themselves.

    `id` is its name in the PDF.
    """

    def __init__(self, sheet: placing.Sheet, name: str, drawings: Drawings) -> None:
        self.sheet, self.id = sheet, name
        self.resources = pydyf.Dictionary()
        self._drawings = drawings

    def get_intrinsic_size(self, _resolution: object, _size: object) -> tuple[float, float, float]:
        """Return the width and the height in pixels, and their ratio."""
        width, height = self.sheet.width, self.sheet.height
        return width * PIXELS_PER_POINT, height * PIXELS_PER_POINT, width / height

    def draw(self, stream: Any, width: float, height: float, _style: object) -> None:
        """Refer to the drawing in a size on a page, whose y axis points down."""
        name = stream.add_image(self, interpolate=False, ratio=1)
        stream.transform(a=width / self.sheet.width, d=height / self.sheet.height)
        stream.draw_x_object(name)

    def get_x_object(self, _interpolate: object, _ratio: object) -> Any:
        """Return the form to which the pages refer; its fonts are added last."""
        size = pydyf.Array([0, 0, self.sheet.width, self.sheet.height])
        return pydyf.Stream(
            [vector_pdf.operators(self.sheet, self._drawings.faces).encode("ascii")],
            {"Type": "/XObject", "Subtype": "/Form", "BBox": size, "Resources": self.resources},
            compress=True,
        )
