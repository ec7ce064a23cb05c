"""True and predicted values in, one number out, with what each metric needs and means."""
