"""The templates and styles of the report."""
