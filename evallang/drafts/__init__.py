"""A first study from a table: what its columns are, and a text with a reason for each choice."""
