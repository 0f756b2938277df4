"""The terminal engine behind a small Protocol: bytes in; rows, modes and replies out."""
