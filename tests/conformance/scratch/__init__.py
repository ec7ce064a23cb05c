"""Members that exist in tests alone, one module each: what a newcomer would write."""
