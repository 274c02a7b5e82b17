"""Modules that commands use, loaded when they are first used: neither the import of a command nor its help loads them."""

# ruff: noqa: F401, I001
# mypy: implicit-reexport

from __future__ import annotations

from typing import TYPE_CHECKING

from tablebase.system.compute.modules import lazy

if TYPE_CHECKING:
    from tablebase import features, game, search, svg
    from tablebase.building import batch, batch_record, build, copies, kind, options, plan, prune, reindex, table_plan, transfer
    from tablebase.building import records as build_records
    from tablebase.catalog import catalog
    from tablebase.checking import checksums, proofs, published
    from tablebase.commands import catalog_statements, descriptions, findings, output
    from tablebase.functions.exact import paths
    from tablebase.game import examples, game_arguments, installed, kernels, moves, notation
    from tablebase.game import features as game_features
    from tablebase.graph import reachable
    from tablebase.mining import export, own_tables, query, results, selection, statement
    from tablebase.mining.charts import chances, drawing, figures, picture_files, report, style, tallies
    from tablebase.mining.patterns import levels, pattern_search, trees
    from tablebase.play import exploit_player, fallible, graph_player, lookahead_player, match, player, players
    from tablebase.play import ranking, records, schedules, standings, statistics, strategy, tournament
    from tablebase.play.learning import box_sheet, learner, matchboxes, self_play
    from tablebase.play.protocol import client, uci_server, uci_settings
    from tablebase.positions import common_features, material
    from tablebase.probe import answers, html, prober, squares
    from tablebase.probe import sheets as probe_sheets
    from tablebase.search import engine, lookahead, proof_search, proof_trees
    from tablebase.svg import pictures, printing
    from tablebase.svg import sheets as svg_sheets
    from tablebase.system.compute import child_process, kernel_cache, machine, messages, progress, threads
    from tablebase.system.executors import bounds, executor
    from tablebase.system.files import outputs
    from tablebase.tables import folder, header, missing, object_store, store
    from tablebase.testing import suite

__getattr__ = lazy(__name__)
