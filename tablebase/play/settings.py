"""Settings of players, as they are written behind a name."""

from __future__ import annotations

from tablebase.errors import TablebaseError, did_you_mean, quoted


def read_settings(name: str, text: str, known: list[str]) -> dict[str, str]:
    """The settings behind a player's name, as in ``depth=5,objective=lead``, by name.

    Parameters
    ----------
    name : str
        The player's, for sentences.
    text : str
        May be empty.
    known : list of str
        The settings that there are.

    Raises
    ------
    TablebaseError
        If a setting is unknown, has no value, or is given twice.
    """
    settings: dict[str, str] = {}
    for word in text.split(",") if text else []:
        key, equals, value = word.partition("=")
        if not equals or key in settings:
            raise TablebaseError(f"{quoted(word)} is not a new setting of the player {name}: write each once, as in depth=5")
        check_setting(name, key, known)
        settings[key] = value
    return settings


def check_setting(name: str, key: str, known: list[str]) -> None:
    """Raise `TablebaseError` unless a player has a setting."""
    if key not in known:
        takes = f"it takes {', '.join(known)}" if known else "it takes none"
        raise TablebaseError(f"the player {name} has no setting {quoted(key)}{did_you_mean(key, known)}: {takes}")
