"""The versions of the package and of the language."""

VERSION = "0.2.0"
LANGUAGE = 1
"""The newest version of the language that this package reads."""
