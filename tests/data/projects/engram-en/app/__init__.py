"""The loans desk as a Flask application."""

import os

from flask import Flask, jsonify

from app import db, holds, loans, members


def create_app(database=None):
    """Return the application; `database` is a path, by default the one of LENDERY_DATABASE."""
    app = Flask(__name__)
    app.config["DATABASE"] = database or os.environ.get("LENDERY_DATABASE", "lendery.db")
    app.register_blueprint(loans.blueprint)
    app.register_blueprint(members.blueprint)
    app.register_blueprint(holds.blueprint)
    app.teardown_appcontext(db.close)

    @app.errorhandler(db.Conflict)
    def conflict(error):
        return jsonify(error=str(error)), 409

    return app
