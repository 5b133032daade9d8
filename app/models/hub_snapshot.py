"""What a Hub lists of a repository, as plain records."""

from msgspec import Struct


class RemoteFile(Struct, frozen=True, kw_only=True):
    """A file as the Hub lists it. ``sha256`` is known of large (LFS) files only."""

    path: str
    size_bytes: int
    sha256: str | None
    git_blob_id: str | None


class Snapshot(Struct, frozen=True, kw_only=True):
    """A repository at one commit."""

    repository: str
    commit: str
    files: tuple[RemoteFile, ...]
    licence: str | None
