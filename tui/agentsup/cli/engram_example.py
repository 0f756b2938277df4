"""`agentsup engram example [--forget] [--json]`: the pair of engrams by which the agents of a project are taught.

Without a correction of the person's it is the shipped one. --forget goes back to that; only a person may. The JSON
object: good, bad, shipped (whether it is the shipped pair).

Exit 0: done; 3: an agent may not do that.
"""

from __future__ import annotations

import argparse
import sys

from agentsup.cli.memory_changes import told
from agentsup.cli.memory_view import current_root
from agentsup.cli.person import refuse_agents
from agentsup.cli.plain_text import harmless
from agentsup.cli.printing import print_json, print_text, printing
from agentsup.core.instructions import Examples
from agentsup.locale import load, template
from agentsup.store.examples import forget_example, read_example


def run(arguments: argparse.Namespace) -> int:
    """Show or forget it; returns the exit code."""
    root = current_root()
    catalogue = load(arguments.language)
    with told("example.json"):
        if arguments.forget:
            refuse_agents()
            key = "example.forgotten" if forget_example(root) else "example.shipped"
            print(catalogue.text(key), file=sys.stderr)
        corrected = read_example(root)
    language = catalogue.language
    shown = corrected or Examples(template("engram-good.md", language), template("engram-bad.md", language))
    with printing(exact=arguments.json):
        if arguments.json:
            print_json({"good": shown.good.strip(), "bad": shown.bad.strip(), "shipped": corrected is None})
            return 0
        for key, text in (("example.good", shown.good), ("example.bad", shown.bad)):
            print_text(f"{catalogue.text(key)}\n{harmless(text.strip())}")
    return 0
