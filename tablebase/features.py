"""Imports of modules with features: the decorator, and the positions that a feature sees."""

from tablebase.game.features import KINDS, Feature, Values, feature, load_features
from tablebase.positions.position_arrays import Positions

__all__ = ["KINDS", "Feature", "Positions", "Values", "feature", "load_features"]
