"""Files: memory, settings, session folders."""
