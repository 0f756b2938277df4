"""The one place that speaks SQL."""

import sqlite3
from pathlib import Path

from flask import current_app, g

MIGRATIONS = Path(__file__).parent.parent / "migrations"


class Conflict(Exception):
    """What was asked can't be done in the present state of the books."""


def connection():
    """Return the connection of this request, its tables made."""
    if "connection" not in g:
        g.connection = sqlite3.connect(current_app.config["DATABASE"])
        g.connection.row_factory = sqlite3.Row
        migrate(g.connection)
    return g.connection


def migrate(database):
    """Apply the migrations that this database has not seen."""
    (version,) = database.execute("PRAGMA user_version").fetchone()
    for number, file in enumerate(sorted(MIGRATIONS.glob("*.sql")), 1):
        if number > version:
            database.executescript(file.read_text())
            database.execute(f"PRAGMA user_version = {number}")


def rows(sql, *values):
    """Return all rows of a query as dictionaries."""
    return [dict(row) for row in connection().execute(sql, values)]


def change(sql, *values):
    """Run one statement in a transaction of its own; return the id of a new row."""
    with connection() as database:
        return database.execute(sql, values).lastrowid


def close(_error=None):
    """Close the connection of a request that ends."""
    open_one = g.pop("connection", None)
    if open_one is not None:
        open_one.close()
