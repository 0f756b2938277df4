"""Tests of the terminal engine."""
