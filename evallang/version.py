"""The version of the package and of the language it reads."""

VERSION = "0.1.0"
LANGUAGE = 1
"""The newest `evallang N` that this tool reads."""
