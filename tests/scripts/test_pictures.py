"""The pictures of the documents are those that the program draws."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from scripts.reproduce import pictures as script
from tablebase.svg import Svg

IMAGES = Path(__file__).parents[2] / "docs" / "images"


def test_pictures_are_up_to_date() -> None:
    """Each picture of the page is drawn as the call above it says, and no picture of a board is left over."""
    drawn = script.pictures()
    assert all(isinstance(picture, Svg) for picture in drawn.values())
    assert {path.name: path.read_text(encoding="utf-8") for path in IMAGES.glob("board-*.svg")} == drawn
    shown = re.findall(r"\(images/([^)]*)\)", script.PAGE.read_text(encoding="utf-8"))
    assert shown == list(drawn)
    assert len(drawn) >= 6


def test_the_script_writes_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """To another folder, if that is wanted."""
    monkeypatch.setattr(sys, "argv", ["pictures.py", "--images", str(tmp_path)])
    script.main()
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == script.pictures()
    assert capsys.readouterr().out.count("wrote ") == len(script.pictures())
