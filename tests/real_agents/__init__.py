"""Tests that drive the real agents from npm."""
