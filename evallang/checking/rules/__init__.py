"""A `Study` in, advice (W3xx) out, one function for each rule."""
