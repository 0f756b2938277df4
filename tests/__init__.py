"""Tests of agentsup; a package, so that tests share typed stand-ins by ordinary imports."""
