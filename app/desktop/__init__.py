"""The window: everything that a person sees and presses. The only package that imports Qt.

Importing it loads no native library of a backend; models run in the engine process.
"""
