"""What a figure is: lines, dots, boxes and words in points, drawn by matplotlib as small SVG.

`Canvas` measures from the top left corner. Its SVG has text as text, no ids, no style
sheet, no clip paths and two decimals, so that it can stand inside a page; the colours are
those of `COLOURS`, which a page may replace by its own.
"""

import io
import re
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Literal
from xml.etree import ElementTree

from evallang.registry import lazy
from evallang.reporting import fonts

# a `matplotlibrc` in the current folder is anyone's: it can name modules and programs
matplotlib = lazy("matplotlib", away=True)
mpl_figure = lazy("matplotlib.figure", away=True)
mpl_lines = lazy("matplotlib.lines", away=True)
mpl_patches = lazy("matplotlib.patches", away=True)
mpl_text = lazy("matplotlib.text", away=True)
mpl_ticker = lazy("matplotlib.ticker", away=True)
mpl_transforms = lazy("matplotlib.transforms", away=True)

POINTS_PER_MM = 72 / 25.4
COLUMN = 82 * POINTS_PER_MM  # two beside each other on 170 mm
SIZE = 7.5  # points; figures are printed at true size
INK, MUTE, RULE, BLUE, PAPER, SHADE = (
    "#1a1a1a",
    "#5a6068",
    "#c9ccd1",
    "#0072b2",
    "#ffffff",
    "#f1f2f4",
)
COLOURS = {
    INK: "var(--ink)",
    MUTE: "var(--mute)",
    RULE: "var(--rule)",
    BLUE: "var(--data)",
    PAPER: "var(--paper)",
    SHADE: "var(--shade)",
}
CAP_HEIGHT = 0.66  # of Source Sans Pro, in em: text beside a marker is centred on its capitals
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
SVG = "http://www.w3.org/2000/svg"

Anchor = Literal["left", "center", "right"]


class Canvas:
    """One drawing of a given size in points."""

    def __init__(self, height: float, width: float = COLUMN) -> None:
        self.width, self.height = width, height
        self._figure = mpl_figure.Figure(figsize=(width / 72, height / 72), dpi=72)
        self._artists = 0
        self._family = fonts.drawing_family()

    def line(
        self, points: Sequence[tuple[float, float]], colour: str = INK, weight: float = 0.6
    ) -> None:
        """Draw a line through points."""
        xs = [x for x, _ in points]
        ys = [self.height - y for _, y in points]
        artist = mpl_lines.Line2D(xs, ys, color=colour, linewidth=weight, solid_capstyle="butt")
        self._add(artist)

    def dot(self, x: float, y: float, *, filled: bool, radius: float = 2.4) -> None:
        """Draw a marker: filled, or open with the paper showing through."""
        self._add(
            mpl_patches.Circle(
                (x, self.height - y),
                radius,
                facecolor=BLUE if filled else PAPER,
                edgecolor=BLUE,
                linewidth=1.1,
            )
        )

    def box(
        self, x: float, y: float, width: float, height: float, fill: str, edge: str | None = None
    ) -> None:
        """Draw a rectangle from its top left corner."""
        self._add(
            mpl_patches.Rectangle(
                (x, self.height - y - height),
                width,
                height,
                facecolor=fill,
                edgecolor=edge or "none",
                linewidth=0.6 if edge else 0,
            )
        )

    def words(
        self,
        x: float,
        y: float,
        text: str,
        anchor: Anchor = "left",
        *,
        colour: str = INK,
        size: float = SIZE,
        bold: bool = False,
    ) -> None:
        """Write a line whose capitals are centred on `y`."""
        baseline = self.height - y - CAP_HEIGHT * size / 2
        self._add(
            mpl_text.Text(
                x,
                baseline,
                text,
                color=colour,
                fontsize=size,
                fontfamily=self._family,
                fontweight="semibold" if bold else "normal",
                horizontalalignment=anchor,
                verticalalignment="baseline",
                parse_math=False,
            )
        )

    def svg(self) -> str:
        """Return the drawing as SVG without its alternative text."""
        data = io.BytesIO()
        settings = {"svg.fonttype": "none", "svg.hashsalt": "evallang", "path.simplify": False}
        with matplotlib.rc_context(settings), warnings.catch_warnings():
            # The text stays text: a page has more fonts than matplotlib was told of.
            warnings.filterwarnings("ignore", message="Glyph .* missing from")
            import_module("matplotlib.backends.backend_svg")
            self._figure.patch.set_visible(False)
            self._figure.savefig(data, format="svg", metadata={"Date": None, "Creator": None})
        return _clean(data.getvalue(), self.width, self.height)

    def _add(self, artist: Any) -> None:
        artist.set_transform(mpl_transforms.IdentityTransform())
        artist.set_zorder(self._artists)  # drawn in the order of the calls
        self._artists += 1
        self._figure.add_artist(artist)


WIDEST = 1e300
"""Where a scale ends at the latest: the distance of its ends is a finite number."""


class Axis:
    """A straight scale from values to points, with round ticks."""

    def __init__(
        self, low: float, high: float, left: float, right: float, most_ticks: int = 5
    ) -> None:
        low, high = (min(max(end, -WIDEST), WIDEST) for end in (low, high))
        if high <= low:
            pad = abs(low) * 0.01 or 0.5
            low, high = low - pad, high + pad
        locator = mpl_ticker.MaxNLocator(most_ticks, steps=[1, 2, 2.5, 5, 10])
        ticks = [float(t) for t in locator.tick_values(low, high)]
        self.left, self.right = left, right
        self.low, self.high = min(low, ticks[0]), max(high, ticks[-1])
        self.ticks = [round(t, 12) for t in ticks]
        step = ticks[1] - ticks[0] if len(ticks) > 1 else 1.0
        self.decimals = next((d for d in range(9) if abs(step - round(step, d)) < step / 1e6), 9)

    def __call__(self, value: float) -> float:
        """Return the place of a value."""
        inside = min(max(value, self.low), self.high)
        share = (inside - self.low) / (self.high - self.low)
        return self.left + share * (self.right - self.left)


def _clean(data: bytes, width: float, height: float) -> str:
    """Keep the paths and texts alone, in their order, with short numbers."""
    root = ElementTree.fromstring(data)
    parts = []
    for element in root.iter():
        name = element.tag.removeprefix(f"{{{SVG}}}")
        if name not in ("path", "text"):
            continue
        made = ElementTree.Element(name)
        if name == "path":
            made.set("d", _short(" ".join(element.get("d", "").split())))
        else:
            made.set("x", _short(element.get("x", "0")))
            made.set("y", _short(element.get("y", "0")))
            made.text = "".join(element.itertext())
        made.set("style", _style(element.get("style", "")))
        parts.append(ElementTree.tostring(made, encoding="unicode"))
    size = f'width="{width:.2f}pt" height="{height:.2f}pt" viewBox="0 0 {width:.2f} {height:.2f}"'
    return f'<svg xmlns="{SVG}" {size}>{"".join(parts)}</svg>'


def _style(text: str) -> str:
    """Drop what says nothing, and name our own font."""
    kept = []
    for item in text.split(";"):
        key, _, value = (part.strip() for part in item.partition(":"))
        if key in ("fill", "stroke", "stroke-width", "text-anchor", "font-weight"):
            kept.append(f"{key}:{_short(value)}")
        elif key == "font-size":
            kept.append(f"font-size:{_short(value)}")
        elif key == "font":
            size = re.search(r"([\d.]+)px", value)
            weight = "600 " if re.match(r"(600|bold|semibold)\b", value) else ""
            kept.append(f"font:{weight}{size.group(1) if size else SIZE}px '{fonts.SANS}'")
        elif key == "font-family":
            kept.append(f"font-family:'{fonts.SANS}'")
    return ";".join(kept)


def _short(text: str) -> str:
    return NUMBER.sub(lambda found: f"{float(found.group()):.2f}".rstrip("0").rstrip("."), text)
