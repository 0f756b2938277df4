"""Loopback model servers that real agents talk to."""
