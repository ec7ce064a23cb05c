"""`Study` and tables in, a `Plan` out: which fits, on which rows, with which seeds and keys."""
