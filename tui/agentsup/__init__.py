"""agentsup: a terminal supervisor that gives coding agents their memory back after a compaction."""

__version__ = "0.1.0"
