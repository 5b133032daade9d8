"""Builds and tries the Windows package under Debian's Wine; what stands in is in packaging/wine."""
