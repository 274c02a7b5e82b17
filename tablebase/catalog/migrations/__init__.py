"""How catalogs of earlier versions of the schema are brought up to date, one version after another, with Alembic.

The revisions are called like the versions of the schema, which `schema_version` holds; so there is no table of Alembic's.
"""
