"""Real outer terminals that tests type into and read from."""
