"""How much features tell of the outcome: the information gain of Quinlan 1986, *Induction of Decision Trees*."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.patterns.contingency import Counts, Tables
from tablebase.patterns.levels import Levels

Gained = Mapping[tuple[str, ...], Counts]


@dataclass(frozen=True)
class Gain:
    """What one or two features tell of the outcome in a slice.

    Parameters
    ----------
    features : tuple of str
        One or two columns.
    gain : float
        Bits by which the outcome is less uncertain when their values are known.
    explains : float or None
        The same as a share of the outcome's entropy; None where that is 0.
    decides : float
        Share of positions whose outcome is right if one names the commonest of those with the same values.
    """

    features: tuple[str, ...]
    gain: float
    explains: float | None
    decides: float

    @property
    def name(self) -> str:
        """The features as one text."""
        return ", ".join(self.features)


def entropy(counts: Counts) -> NDArray[Any]:
    """Shannon's entropy, −Σ p·log₂ p, of what is counted along the last axis.

    Parameters
    ----------
    counts : ndarray of int64, shape (…, outcomes)

    Returns
    -------
    ndarray of float64, shape (…)
        Bits; 0 where nothing is counted.
    """
    total = counts.sum(axis=-1, keepdims=True)
    share = counts / np.maximum(total, 1)
    bits: NDArray[Any] = -(share * np.log2(share, out=np.zeros_like(share), where=share > 0)).sum(axis=-1)
    return bits


def information_gain(table: Counts) -> float:
    """The entropy of the outcome less what is left of it on average when the values are known.

    That is H(O) − Σ p(v)·H(O | v), Quinlan 1986.

    Parameters
    ----------
    table : ndarray of int64, shape (…, outcomes)
        Positions by the values of the features and by outcome.

    Returns
    -------
    float
        Bits, from 0 to the entropy of the outcome.
    """
    rows = table.reshape(-1, table.shape[-1])
    left = rows.sum(axis=1) @ entropy(rows) / rows.sum()
    return max(0.0, float(entropy(rows.sum(axis=0)) - left))


def decided(table: Counts) -> float:
    """Share of positions that have the commonest outcome of all with their values; `table` as for `information_gain`."""
    return int(table.max(axis=-1).sum()) / int(table.sum())


def gains(levels: Sequence[Levels], tables: Tables) -> list[Gain]:
    """What single features and pairs of them tell, the singles first, of each those of most gain first."""
    names = [one.name for one in levels]
    singles: Gained = {(names[place],): table for place, table in enumerate(tables.singles)}
    pairs: Gained = {(names[one], names[other]): table for (one, other), table in tables.pairs.items()}
    return [*_ranked(singles), *_ranked(pairs)]


def _ranked(tables: Gained) -> list[Gain]:
    return sorted((_gain(names, table) for names, table in tables.items()), key=lambda one: -one.gain)


def _gain(names: tuple[str, ...], table: Counts) -> Gain:
    bits, whole = information_gain(table), float(entropy(table.reshape(-1, table.shape[-1]).sum(axis=0)))
    return Gain(names, bits, bits / whole if whole else None, decided(table))
