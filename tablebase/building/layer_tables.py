"""The tables of games of chance or of several players: each holds one layer of a region of states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from tablebase.building import chance_work
from tablebase.building.chances import ENGINE, Estimate, check_memory, estimate, layer_file, opened_layer, verify_layers
from tablebase.building.records import BuildResult
from tablebase.building.table_sort import Asked, TableSort
from tablebase.building.terms import LOCAL, Counted, Needs, Terms
from tablebase.catalog.entries import Entry
from tablebase.catalog.registration import LAYER, enter_flat, of_layer
from tablebase.catalog.schema import LayerRow
from tablebase.checking.checksums import Checks
from tablebase.compute import machine
from tablebase.compute.messages import in_bytes, in_time
from tablebase.errors import TablebaseError, did_you_mean, quoted
from tablebase.game.kernels import Region
from tablebase.game.notation import WHOLE_NUMBER, whole_number
from tablebase.game.plain_arguments import usable_workers
from tablebase.game.stochastic import StochasticGame
from tablebase.stochastic.compiled import compiled
from tablebase.stochastic.files import LayerFile, layer_title, rewrite_layer
from tablebase.tables.folder import check_seal
from tablebase.tables.header import Form

UNITS: Mapping[str, Callable[[float], str]] = {"memory": in_bytes, "disk": in_bytes, "cpu_seconds": in_time}
"""How people read the fields of an estimate."""


class LayerTables(TableSort[StochasticGame, LayerFile]):
    """See `TableSort`."""

    pattern = "*/*"
    solver = ENGINE

    def limits_from(self, words: Sequence[str], refusal: Callable[[], TablebaseError]) -> dict[str, int | str]:
        """See `TableSort.limits_from`."""
        del refusal
        game, limits = self.rules, dict[str, int | str]()
        pending = [part for word in words for part in (word.split("=", 1) if word.startswith("--") else [word])]
        while pending:
            option = pending.pop(0)
            name = option.removeprefix("--")
            if not option.startswith("--") or name not in game.limits:
                known = ", ".join(f"--{limit}" for limit in game.limits) or "none"
                meant = did_you_mean(option, [f"--{limit}" for limit in game.limits])
                raise TablebaseError(f"{quoted(option)} is not an option for tables of {game.name}{meant}; they have: {known}")
            if not pending:
                raise TablebaseError(f"the option {option} needs a value, such as {option} {game.limits[name]}")
            text = pending.pop(0)
            if isinstance(game.limits[name], int) and whole_number(text) is None:
                raise TablebaseError(f"{name} of {game.name} must be {WHOLE_NUMBER}, not {quoted(text)}")
            limits[name] = int(text) if isinstance(game.limits[name], int) else text
        return limits

    def check_materials(self, texts: Sequence[str]) -> None:
        """See `TableSort.check_materials`; commands refuse all of them."""

    def check_executor(self, where: str) -> None:
        """See `TableSort.check_executor`; workers elsewhere do not share the memory that the layers are in."""
        if where != LOCAL:
            raise TablebaseError(f"tables of {self.rules.name} are built by threads of one process: leave out the executor {where}")

    def check(self, asked: Asked) -> None:
        """See `TableSort.check`; only its kernels know a region, and they are compiled when it is built."""

    def _region(self, asked: Asked) -> Region:
        return compiled(self.rules).region(asked.limits)

    def needs(self, asked: Asked, terms: Terms, counted: set[Counted]) -> Needs:
        """See `TableSort.needs`."""
        return chance_work.needs_of(self.rules, self._region(asked), terms, counted)

    def build(self, asked: Asked, terms: Terms, *, summarized: bool = False) -> BuildResult:
        """See `TableSort.build`."""
        return chance_work.build_region(self.rules, self._region(asked), terms, summarized=summarized)

    def estimate(
        self,
        asked: Asked,
        folder: Path,
        workers: int | None,
        allowed: int | None,
        catalog: str | None,
        *,
        measured: bool,
    ) -> tuple[list[Estimate], int]:
        """See `TableSort.estimate`; it is for one worker, and what has been built does not correct it."""
        del folder, workers, catalog, measured
        region = self._region(asked)
        if allowed is not None:
            check_memory(self.rules, region, allowed)
        return estimate(self.rules, region), 1

    def estimate_table(
        self,
        lines: Sequence[Estimate],
        workers: int,
        folder: Path,
    ) -> tuple[list[dict[str, object]], str]:
        """See `TableSort.estimate_table`."""
        del workers, folder
        rows = [{name: UNITS[name](value) if name in UNITS else value for name, value in asdict(line).items()} for line in lines]
        return rows, f"disk is an upper bound\nthere is: {in_bytes(machine.memory())} of memory"

    def verify(
        self,
        asked: Asked,
        folder: Path,
        workers: int | None,
        published: Mapping[str, str],
        catalog: str | None,
    ) -> tuple[int, Checks]:
        """See `TableSort.verify` and `verify_layers`; all layers, since each is checked with those before it."""
        del asked, published
        found = verify_layers(self.rules, folder, usable_workers(workers), catalog)
        return len(found), (one for one in found)

    def title_at(self, path: Path) -> str:
        """See `TableSort.title_at`."""
        return f"{self.rules.name} {path.parent.name} {path.stem}"

    def opened_at(self, folder: Path, path: Path) -> LayerFile:
        """See `TableSort.opened_at`."""
        return opened_layer(folder, self.rules, path)

    def opened(self, path: Path, row: Mapping[str, Any]) -> LayerFile:
        """See `TableSort.opened`."""
        return layer_file(self.rules, path, row["layer"])

    def read(self, folder: Path, path: Path) -> Entry:
        """See `TableSort.read`."""
        with closing(opened_layer(folder, self.rules, path)) as file:
            check_seal(path, layer_title(self.rules, file.region, file.layer))
            file.read()
            return self.entry_of(folder, file)

    def claimed_digest(self, file: LayerFile) -> str:
        """See `TableSort.claimed_digest`."""
        return file.values_sha256

    def values_digest(self, file: LayerFile) -> str:
        """See `TableSort.values_digest`; reading compares the values with the digest that the file names."""
        file.read()
        return file.values_sha256

    def rewrite(self, path: Path, file: LayerFile, form: Form) -> Path:
        """See `TableSort.rewrite`."""
        return rewrite_layer(path, file, form)

    def is_in_place(self, entry: Entry) -> bool:
        """See `TableSort.is_in_place`."""
        return "region" in entry.row

    def entry_of(self, folder: Path, file: LayerFile) -> Entry:
        """See `TableSort.entry_of`."""
        return Entry(dict(zip(LAYER, of_layer(folder, file), strict=True)))

    def enter(self, session: Session, entry: Entry, known: Entry | None) -> None:
        """See `TableSort.enter`."""
        row = {**entry.row, **({} if known is None else {"seconds": known.row["seconds"]})}
        enter_flat(session, self.rules, LayerRow, tuple(row[name] for name in LAYER))
