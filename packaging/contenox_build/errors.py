"""The one exception of the build: a sentence with its remedy."""


class PackagingError(Exception):
    """The build can't go on, or a package is not what it must be."""
