"""Holds: who is next for a book that is out."""

from datetime import date

from flask import Blueprint, jsonify, request

from app import db

blueprint = Blueprint("holds", __name__, url_prefix="/holds")


@blueprint.post("")
def place_hold():
    """Put a member at the end of a title's queue."""
    body = request.get_json()
    number = db.change(
        "INSERT INTO holds (member, title, asked) VALUES (?, ?, ?)",
        body["member"],
        body["title"],
        date.today().isoformat(),
    )
    return jsonify(id=number, place=place_in_queue(number)), 201


def place_in_queue(number):
    """Return a hold's place in its title's queue, the first is 1."""
    (hold,) = db.rows("SELECT title FROM holds WHERE id = ?", number)
    ahead = db.rows("SELECT id FROM holds WHERE title = ? AND id < ? AND closed IS NULL", hold["title"], number)
    return len(ahead) + 1


def expire_holds(today):
    """Close the holds whose book has waited on the shelf for too long."""
    raise NotImplementedError
