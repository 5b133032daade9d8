"""Which bytes a model is."""

import hashlib
from pathlib import Path

import pytest

from app.core.errors import DataFault
from app.models.identity import FileRecord, Stopped, digest_of, record_folder, sha256_of

_A = FileRecord(path="a.bin", size_bytes=1, sha256="aa")
_B = FileRecord(path="b/c.bin", size_bytes=2, sha256="bb")


def test_the_digest_is_the_documented_one_and_ignores_order() -> None:
    expected = hashlib.sha256(b"a.bin\x001\x00aa\x00b/c.bin\x002\x00bb\x00").hexdigest()
    assert digest_of((_A, _B)) == expected
    assert digest_of((_B, _A)) == expected


@pytest.mark.parametrize(
    "other",
    [
        FileRecord(path="a2.bin", size_bytes=1, sha256="aa"),
        FileRecord(path="a.bin", size_bytes=2, sha256="aa"),
        FileRecord(path="a.bin", size_bytes=1, sha256="ab"),
    ],
)
def test_the_digest_changes_with_path_size_and_content(other: FileRecord) -> None:
    assert digest_of((other, _B)) != digest_of((_A, _B))


def test_a_folder_is_recorded_with_posix_paths(tmp_path: Path) -> None:
    folder = tmp_path / "mein Modell é漢"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "ü.bin").write_bytes(b"xyz")
    (folder / "a.bin").write_bytes(b"")
    seen: list[int] = []
    records = record_folder(folder, seen.append)
    assert [record.path for record in records] == ["a.bin", "deep/ü.bin"]
    assert records[1].sha256 == hashlib.sha256(b"xyz").hexdigest()
    assert records[1].size_bytes == 3
    assert sum(seen) == 3


def test_hashing_stops_between_pieces(tmp_path: Path) -> None:
    path = tmp_path / "big.bin"
    path.write_bytes(bytes(3 << 20))
    seen: list[int] = []
    with pytest.raises(Stopped):
        sha256_of(path, seen.append, stop=lambda: len(seen) == 2)
    assert len(seen) == 2


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataFault, match=r"gone\.bin") as caught:
        sha256_of(tmp_path / "gone.bin")
    assert caught.value.code == "model_incomplete"
