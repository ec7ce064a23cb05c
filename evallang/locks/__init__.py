"""Protocols that are fixed, checked and compared: settings, lock files, looks and differences."""
