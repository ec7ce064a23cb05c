"""The generator of the reference pages of `docs/`: `python -m docs.generator`, `make docs`.

The pages of `docs/reference/` are generated from the registries, as are the tables between the
marks `<!-- made: ... -->` and `<!-- end -->` in other pages; `--check` lists outdated pages.
"""
