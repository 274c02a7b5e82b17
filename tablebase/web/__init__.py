"""A server of tables: JSON for programs under ``/api/v1/``, and pages for people.

It computes nothing itself: what it answers comes from `tablebase.commands`, as that of the command line does.
"""
