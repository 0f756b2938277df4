"""The sample projects: what is restored of them and what validation says."""
