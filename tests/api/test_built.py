"""What a server's front page says of a folder."""

from contextlib import closing
from pathlib import Path

from tablebase.api.descriptions import list_built
from tablebase.catalog.catalog import Catalog


def test_deleted_files_are_not_counted(copied: Path) -> None:
    """A table whose file has been deleted is not counted; a game without any is left out."""
    files = sorted(copied.glob("doushouqi/2/*.h5"))
    for left in (len(files), len(files) - 1, 0):
        with closing(Catalog(copied)) as catalog:
            built = {row["game"]: row["tables"] for row in list_built(catalog)}
        assert built == ({"doushouqi": left} if left else {})
        for path in files[: 1 if left == len(files) else None]:
            path.unlink(missing_ok=True)
