"""The window of measurements."""
