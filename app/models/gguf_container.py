"""The GGUF container: typed metadata and the tensor table, read without trusting the file.

A native reader ends the process on many damaged files, so nothing native sees a file that did not
pass here. The header is read through ordinary file reads, not a memory map: a file that shrinks or
a disk that fails while it is mapped ends the process too.

Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, versions 2 and 3, little endian.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

from app.core.errors import DataFault, EnvironmentFault
from app.models.gguf_types import NUMBERS, TENSOR_TYPES, TensorType, ValueType

_MAGIC: Final = b"GGUF"
_VERSIONS: Final = (2, 3)
_FIRST_READ_BYTES: Final = 256 * 1024

# Bounds several times above any published model; they also bound the time a hostile file takes.
_MAX_HEADER_BYTES: Final = 256 * 1024**2
_MAX_METADATA: Final = 2_048
_MAX_TENSORS: Final = 20_000
_MAX_KEY_BYTES: Final = 65_535
_MAX_TEXT_BYTES: Final = 16 * 1024**2
_MAX_LISTED_TEXTS: Final = 2_000_000
_MAX_DIMENSION: Final = 1 << 40
_MAX_ELEMENTS: Final = 1 << 45
_MAX_ALIGNMENT: Final = 1 << 20
_DEFAULT_ALIGNMENT: Final = 32


_U32: Final = NUMBERS[ValueType.UINT32]
_U64: Final = NUMBERS[ValueType.UINT64]


@dataclass(frozen=True, slots=True)
class GgufArray:
    """A list in the metadata. Its elements stay in the file until ``Container.elements``."""

    element_type: ValueType
    count: int
    offset: int
    size_bytes: int


Value = str | int | float | bool | GgufArray


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """One tensor's place: ``offset`` counts from the start of the file."""

    name: str
    dimensions: tuple[int, ...]
    type: TensorType
    offset: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Container:
    """A GGUF header whose tensors all lie inside the file, aligned and apart from each other."""

    path: Path
    size_bytes: int
    version: int
    metadata: Mapping[str, Value]
    tensors: tuple[TensorInfo, ...]

    def elements(self, array: GgufArray) -> tuple[str | int | float | bool, ...]:
        """Reads the elements of ``array``; text that is no UTF-8 has replacement characters.

        Raises:
            DataFault: ``model_damaged`` if the file has changed since.
        """
        with _open(self.path) as file:
            try:
                file.seek(array.offset)
                data = file.read(array.size_bytes)
            except OSError as error:
                raise _unreadable(self.path, error) from error
        if len(data) != array.size_bytes:
            raise damaged(self.path, "it is shorter than a moment ago")
        if array.element_type is not ValueType.STRING:
            number = NUMBERS[array.element_type]
            return tuple(value for (value,) in number.iter_unpack(data))
        texts: list[str] = []
        position = 0
        while position < len(data):
            start = position + _U64.size
            position = start + _U64.unpack_from(data, position)[0]
            texts.append(data[start:position].decode("utf-8", "replace"))
        return tuple(texts)


def damaged(path: Path, defect: str) -> DataFault:
    """The fault for a GGUF file with ``defect``, which completes "can't be used: ..."."""
    return DataFault(
        "model_damaged",
        f"The model file {path.name} can't be used: {defect}.",
        "Delete the model and download it again.",
    )


def read_container(path: Path) -> Container:
    """Reads and checks the header of the GGUF file at ``path``; tensor data is never loaded.

    Raises:
        DataFault: ``model_damaged`` names the defect, ``model_incomplete`` a missing file.
        EnvironmentFault: ``model_unreadable``, when the disk or the permissions refuse.
    """
    with _open(path) as file:
        try:
            return _Reader(path, file).container()
        except OSError as error:
            raise _unreadable(path, error) from error


def _open(path: Path) -> BinaryIO:
    try:
        if path.is_dir():
            raise damaged(path, "it is a folder")
        return path.open("rb")
    except FileNotFoundError as error:
        raise DataFault(
            "model_incomplete",
            f"The model file {path.name} is missing.",
            "Download the model again.",
        ) from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> EnvironmentFault:
    return EnvironmentFault(
        "model_unreadable",
        f"The model file {path.name} can't be read ({error}).",
        "Check the disk and the permissions of the file.",
    )


@dataclass(slots=True)
class _Reader:
    """A cursor over the header. ``_data`` is the file's beginning, read in growing steps."""

    path: Path
    file: BinaryIO
    _data: bytes = b""
    _size_bytes: int = 0
    _position: int = 0
    _texts_left: int = field(default=_MAX_LISTED_TEXTS)

    def container(self) -> Container:
        self._size_bytes = self.file.seek(0, 2)
        self.file.seek(0)
        if self._size_bytes < len(_MAGIC) or self._take(len(_MAGIC)) != _MAGIC:
            raise damaged(self.path, "it is no GGUF file")
        version = self._unsigned(_U32)
        if version not in _VERSIONS:
            raise damaged(self.path, f"its GGUF version {version} is unknown")
        tensor_count = self._unsigned(_U64)
        metadata_count = self._unsigned(_U64)
        if not 1 <= tensor_count <= _MAX_TENSORS:
            raise damaged(self.path, f"a count of {tensor_count} tensors is implausible")
        if not 1 <= metadata_count <= _MAX_METADATA:
            raise damaged(self.path, f"a count of {metadata_count} metadata is implausible")
        metadata = self._metadata(metadata_count)
        table = [self._tensor_entry() for _ in range(tensor_count)]
        tensors = self._place(table, self._alignment(metadata))
        return Container(self.path, self._size_bytes, version, metadata, tensors)

    # -- Bytes --

    def _ensure(self, end: int) -> None:
        """Makes the first ``end`` bytes of the file available."""
        if end <= len(self._data):
            return
        if end > self._size_bytes:
            raise damaged(self.path, "it ends in the middle of its header")
        if end > _MAX_HEADER_BYTES:
            raise damaged(self.path, "its header is implausibly large")
        wanted = max(end, 2 * len(self._data), _FIRST_READ_BYTES)
        self._data += self.file.read(wanted - len(self._data))
        if end > len(self._data):
            raise damaged(self.path, "it became shorter while it was read")

    def _take(self, count: int) -> bytes:
        start = self._position
        self._skip(count)
        return self._data[start : self._position]

    def _skip(self, count: int) -> None:
        self._ensure(self._position + count)
        self._position += count

    def _unsigned(self, number: struct.Struct) -> int:
        value: int = number.unpack(self._take(number.size))[0]
        return value

    def _text(self, limit_bytes: int, what: str) -> str:
        length = self._unsigned(_U64)
        if length > limit_bytes:
            raise damaged(self.path, f"{what} is implausibly long")
        try:
            return self._take(length).decode("utf-8")
        except UnicodeDecodeError as error:
            raise damaged(self.path, f"{what} is no valid text") from error

    # -- Metadata --

    def _metadata(self, count: int) -> dict[str, Value]:
        metadata: dict[str, Value] = {}
        for _ in range(count):
            key = self._text(_MAX_KEY_BYTES, "a metadata key")
            if not key or key in metadata:
                raise damaged(self.path, f"the metadata key {key!r} is empty or there twice")
            metadata[key] = self._value(key)
        return metadata

    def _value(self, key: str) -> Value:
        kind = self._unsigned(_U32)
        if kind == ValueType.STRING:
            return self._text(_MAX_TEXT_BYTES, f"the value of {key!r}")
        if kind == ValueType.ARRAY:
            return self._array(key)
        number = NUMBERS.get(kind)
        if number is None:
            raise damaged(self.path, f"{key!r} has the unknown value type {kind}")
        value: int | float | bool = number.unpack(self._take(number.size))[0]
        return value

    def _array(self, key: str) -> GgufArray:
        kind = self._unsigned(_U32)
        count = self._unsigned(_U64)
        start = self._position
        if kind == ValueType.STRING:
            self._skip_texts(key, count)
        elif kind in NUMBERS:
            self._skip(count * NUMBERS[kind].size)
        else:
            raise damaged(self.path, f"{key!r} is a list of the unknown value type {kind}")
        return GgufArray(ValueType(kind), count, start, self._position - start)

    def _skip_texts(self, key: str, count: int) -> None:
        if count > self._texts_left:
            raise damaged(self.path, f"{key!r} claims an implausible {count} entries")
        self._texts_left -= count
        unpack, prefix, ensure = _U64.unpack_from, _U64.size, self._ensure
        position = self._position
        for _ in range(count):
            ensure(position + prefix)
            (length,) = unpack(self._data, position)
            if length > _MAX_TEXT_BYTES:
                raise damaged(self.path, f"an entry of {key!r} is implausibly long")
            position += prefix + length
        ensure(position)
        self._position = position

    def _alignment(self, metadata: Mapping[str, Value]) -> int:
        alignment = metadata.get("general.alignment", _DEFAULT_ALIGNMENT)
        if (
            type(alignment) is not int
            or not 1 <= alignment <= _MAX_ALIGNMENT
            or alignment & (alignment - 1)
        ):
            raise damaged(self.path, "its alignment is no plausible power of two")
        return alignment

    # -- Tensors --

    def _tensor_entry(self) -> TensorInfo:
        """Reads one line of the table; its offset still counts from the data's start."""
        name = self._text(_MAX_KEY_BYTES, "a tensor name")
        rank = self._unsigned(_U32)
        if not 1 <= rank <= 4:
            raise damaged(self.path, f"tensor {name!r} has the impossible rank {rank}")
        dimensions = struct.unpack(f"<{rank}Q", self._take(8 * rank))
        kind = self._unsigned(_U32)
        offset = self._unsigned(_U64)
        tensor_type = TENSOR_TYPES.get(kind)
        if tensor_type is None:
            raise damaged(self.path, f"tensor {name!r} has the unknown type {kind}")
        elements = 1
        for dimension in dimensions:
            if not 1 <= dimension <= _MAX_DIMENSION:
                raise damaged(self.path, f"tensor {name!r} has an implausible shape")
            elements *= dimension
        if elements > _MAX_ELEMENTS or dimensions[0] % tensor_type.block_elements:
            raise damaged(self.path, f"tensor {name!r} has a shape that its type can't have")
        size_bytes = elements // tensor_type.block_elements * tensor_type.block_bytes
        return TensorInfo(name, dimensions, tensor_type, offset, size_bytes)

    def _place(self, table: list[TensorInfo], alignment: int) -> tuple[TensorInfo, ...]:
        """Returns the tensors with offsets in the file, after checking that each has its room."""
        base = -(-self._position // alignment) * alignment
        if len({tensor.name for tensor in table}) != len(table):
            raise damaged(self.path, "a tensor is listed twice")
        end = 0
        for tensor in sorted(table, key=lambda tensor: tensor.offset):
            if tensor.offset % alignment:
                raise damaged(self.path, f"tensor {tensor.name!r} is misaligned")
            if tensor.offset < end:
                raise damaged(self.path, f"tensor {tensor.name!r} overlaps another")
            end = tensor.offset + tensor.size_bytes
            if base + end > self._size_bytes:
                missing = base + end - self._size_bytes
                raise damaged(
                    self.path,
                    f"at least {missing} bytes of {tensor.name!r} are missing at its end",
                )
        return tuple(
            TensorInfo(t.name, t.dimensions, t.type, base + t.offset, t.size_bytes) for t in table
        )
