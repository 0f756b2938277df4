"""Loans: a copy goes out, comes back, is renewed."""

from datetime import date, timedelta

from flask import Blueprint, jsonify, request

from app import db, members
from app.fines import compute_fine

blueprint = Blueprint("loans", __name__, url_prefix="/loans")
DAYS = 21
RENEWALS = 2


def validate(body):
    """Return what is wrong with a request for a loan, or None."""
    for key in ("member", "copy"):
        if not isinstance(body.get(key), int):
            return f"{key} is not a number"
    return None


@blueprint.post("")
def lend():
    body = request.get_json()
    wrong = validate(body)
    if wrong:
        return jsonify(error=wrong), 400
    if members.is_blocked(body["member"]):
        raise db.Conflict("the member owes too much")
    due = date.today() + timedelta(days=DAYS)
    number = db.change(
        "INSERT INTO loans (member, copy, due) VALUES (?, ?, ?)", body["member"], body["copy"], due.isoformat()
    )
    return jsonify(id=number, due=due.isoformat()), 201


@blueprint.post("/<int:number>/renew")
def renew(number):
    (loan,) = db.rows("SELECT * FROM loans WHERE id = ?", number)
    if loan["renewals"] >= RENEWALS:
        raise db.Conflict("renewed twice already")
    due = date.fromisoformat(loan["due"]) + timedelta(days=DAYS)
    db.change("UPDATE loans SET due = ?, renewals = renewals + 1 WHERE id = ?", due.isoformat(), number)
    return jsonify(due=due.isoformat())


@blueprint.post("/<int:number>/return")
def take_back(number):
    (loan,) = db.rows("SELECT * FROM loans WHERE id = ?", number)
    cents = compute_fine(date.fromisoformat(loan["due"]), date.today())
    if cents:
        db.change("INSERT INTO fines (member, cents) VALUES (?, ?)", loan["member"], cents)
    db.change("UPDATE loans SET returned = ? WHERE id = ?", date.today().isoformat(), number)
    return jsonify(fine=cents)
