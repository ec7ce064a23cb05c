"""A document in, the files of one format out: pages, LaTeX, Markdown, tables of full precision."""
