"""The window with what was measured on this machine, in pictures, and the button to measure."""
