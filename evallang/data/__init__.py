"""Files and bundled data sets in, typed and hashed tables out, with what was wrong in them."""
