"""Members, codes and statements in; what `explain`, `list` and the reference print of them out."""
