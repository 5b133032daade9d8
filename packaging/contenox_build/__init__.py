"""Builds, checks and records the Windows package. Standard library only, except where said.

``build_windows.ps1`` finds a Python and hands over to ``python packaging/contenox_build build``;
everything that can be wrong is decided here, where it is tested on any platform.
"""
