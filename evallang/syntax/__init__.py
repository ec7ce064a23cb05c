"""Text in, `StudyNode` and syntax diagnostics (E0xx) out; and back again, formatted."""
