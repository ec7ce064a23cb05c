"""What was found: values in from the engine, records out to files, reports and people."""
