"""Tests of what persons approve, and what does not count."""
