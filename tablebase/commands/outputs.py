"""The places that commands write to, which are checked before anything starts."""

from __future__ import annotations

from enum import StrEnum


class Output(StrEnum):
    """What an option names."""

    FILE = "file"
    """Replaced when it is whole."""
    NEW_FILE = "new file"
    ADDED = "added"
    """A file to which lines are added."""
    FOLDER = "folder"
    """A folder in which the command goes on where it stopped."""
    NEW_FOLDER = "new folder"


OUTPUTS: dict[tuple[str, str], Output] = {
    ("boxes", "output"): Output.FILE,
    ("build", "log"): Output.ADDED,
    ("build", "json_log"): Output.ADDED,
    ("copy", "to"): Output.FOLDER,
    ("export", "to"): Output.FOLDER,
    ("line", "sheet"): Output.FILE,
    ("line", "svg"): Output.NEW_FOLDER,
    ("match", "output"): Output.NEW_FILE,
    ("match-stats", "curve"): Output.FILE,
    ("pack", "to"): Output.FOLDER,
    ("patterns", "output"): Output.FILE,
    ("play", "boxes"): Output.FILE,
    ("plot", "output"): Output.FILE,
    ("probe", "sheet"): Output.FILE,
    ("probe", "svg"): Output.FILE,
    ("prove", "output"): Output.FILE,
    ("train", "output"): Output.FILE,
    ("train", "curve"): Output.FILE,
    ("unpack", "to"): Output.FOLDER,
}
"""By command and by the name of its parameter."""
