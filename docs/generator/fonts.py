"""Write the parts of fonts that pages embed, into templates/fonts, from the whole fonts.

Run as: python -m docs.generator.fonts
"""

from pathlib import Path

from evallang.reporting import fonts

FOLDER = Path(__file__).resolve().parents[2] / "templates" / "fonts"


def main() -> None:
    """Write the part of every face."""
    for face in fonts.FACES:
        (FOLDER / f"{face.key}.woff2").write_bytes(fonts.common_part(face))


if __name__ == "__main__":
    main()
