"""Inputs that nobody means, and what must hold for each of them."""
