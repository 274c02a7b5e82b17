"""Writes what the site shows and nobody writes by hand; ``docs/conf.py`` calls it before each build."""

from scripts.docs import python, reference, site


def generate() -> None:
    """Write all generated pages and inventories into ``docs``."""
    site.write()
    texts = {
        "commands": reference.commands(),
        "http": reference.http(),
        "players": reference.players(),
        **{"json": reference.rows(), "claims": reference.claims()},
        **reference.fields_and_columns(),
        **python.reference(),
    }
    for name, text in texts.items():
        (site.GENERATED / f"{name}.md").write_text(text, encoding="utf-8")
    python.resolve()
