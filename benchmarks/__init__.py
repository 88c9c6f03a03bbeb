"""Measurements: speed and quality, kept as JSON beside the code they were made with."""
