"""`StudyNode` in, `Study` and all diagnostics (E1xx, E2xx, W3xx) out; no data, no numpy."""
