"""The restore text: units, budget, frame."""
