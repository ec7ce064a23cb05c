"""`Plan` and tables in, `Results` out: fits run, measured, compared, required."""
