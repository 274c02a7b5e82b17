"""Writes what the site shows and nobody writes by hand; ``docs/conf.py`` calls it before each build."""

from scripts.docs import python, reference, site


def generate() -> None:
    """Write all generated pages and inventories into ``docs``."""
    site.write()
    pages = (reference.commands, reference.http, reference.players, reference.json_rows, reference.claims)
    texts = {page.__name__: page() for page in pages} | reference.fields_and_columns() | python.reference()
    for name, text in texts.items():
        (site.GENERATED / f"{name}.md").write_text(text, encoding="utf-8")
    python.resolve()
