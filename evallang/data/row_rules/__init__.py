"""The rules whose evidence is in the rows of a table, one module each."""
