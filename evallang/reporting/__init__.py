"""`Results` in, HTML and PDF out; nothing else is read, so a saved study can be redrawn."""
