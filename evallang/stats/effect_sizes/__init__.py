"""How large a difference is, in addition to how sure it is: numbers in, an `Effect` out."""
