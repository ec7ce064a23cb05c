"""The colours of models: read on paper and on the dark page, and apart for every reader."""

import re
from importlib.resources import files
from itertools import combinations

import numpy as np
import pytest

from evallang.reporting.figures.figure import COLOURS, LOOKS

# Machado, Oliveira and Fernandes (2009), severity 1.0: full vision, protanopia, deuteranopia,
# tritanopia.
VISION = {
    "full": np.eye(3),
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritan": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
LEAST_CONTRAST = 3.0  # WCAG 2.1, 1.4.11
LEAST_APART = 15.0  # CIE 1976; a just noticeable difference is 2.3


def linear(colour):
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def luminance(colour):
    return float(linear(colour) @ [0.2126, 0.7152, 0.0722])


def lab(light):
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    shares = to_xyz @ np.clip(light, 0, 1) / [0.9505, 1.0, 1.089]
    x, y, z = np.where(shares > 0.008856, np.cbrt(shares), 7.787 * shares + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def variables(sheet, rule):
    css = (files("evallang.templates") / "styles" / sheet).read_text(encoding="utf-8")
    block = css[css.index(rule) :].partition("}")[0]
    return dict(re.findall(r"(--[a-z0-9]+): (#[0-9a-f]{6})", block))


def _palettes():
    models = {look.colour for look in LOOKS}
    names = [COLOURS[colour][4:-1] for colour in COLOURS if colour in models]
    for sheet, rule in (("base.css", ":root {"), ("screen.css", ':root[data-theme="dark"] {')):
        found = variables(sheet, rule)
        yield [found[name] for name in names], found["--paper"]


PALETTES = list(_palettes())


def test_the_page_has_the_colours_of_figures():
    light = variables("base.css", ":root {")
    assert [light[variable[4:-1]] for variable in COLOURS.values()] == list(COLOURS)


@pytest.mark.parametrize(("colours", "paper"), PALETTES, ids=["light", "dark"])
def test_the_colours_of_models_are_read_on_the_page(colours, paper):
    assert len(colours) == len({look.colour for look in LOOKS})
    for colour in colours:
        low, high = sorted((luminance(colour), luminance(paper)))
        assert (high + 0.05) / (low + 0.05) >= LEAST_CONTRAST, colour


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize(("colours", "paper"), PALETTES, ids=["light", "dark"])
def test_the_colours_of_models_are_apart_for_every_reader(colours, paper, vision):
    seen = {colour: lab(np.array(VISION[vision]) @ linear(colour)) for colour in colours}
    for first, second in combinations(colours, 2):
        assert np.linalg.norm(seen[first] - seen[second]) >= LEAST_APART, (first, second)
