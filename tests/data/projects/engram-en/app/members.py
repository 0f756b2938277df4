"""Members: who may borrow."""

from flask import Blueprint, jsonify, request

from app import db

blueprint = Blueprint("members", __name__, url_prefix="/members")


def validate(body):
    """Return what is wrong with a new member, or None."""
    if not body.get("name", "").strip():
        return "name is empty"
    if "@" not in body.get("email", ""):
        return "email has no @"
    return None


@blueprint.post("")
def add_member():
    body = request.get_json()
    wrong = validate(body)
    if wrong:
        return jsonify(error=wrong), 400
    number = db.change("INSERT INTO members (name, email) VALUES (?, ?)", body["name"], body["email"])
    return jsonify(id=number), 201


def is_blocked(member):
    """Say whether a member owes more than five units of money, fines in cents."""
    (owed,) = db.rows("SELECT COALESCE(SUM(cents), 0) AS cents FROM fines WHERE member = ?", member)
    return owed["cents"] > 500
