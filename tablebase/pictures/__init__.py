"""Pictures of boards as SVG; `tablebase.svg` is how programs use them."""
