"""The registries in, the reference pages of `docs/` out: `python -m docs.generator`, `make docs`.

Nothing in `docs/reference/` is written by hand, nor are the tables between the marks
`<!-- made: ... -->` and `<!-- end -->` in the other pages; `--check` tells which pages are
not what the registries say.
"""
