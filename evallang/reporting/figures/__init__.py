"""Records in, small SVG figures out, each with the alternative text that states its numbers."""
