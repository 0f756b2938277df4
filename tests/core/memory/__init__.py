"""Tests of the memory model and its file forms."""
