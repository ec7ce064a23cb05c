"""Rows, strata and groups in; splits into training, validation and test rows out."""
