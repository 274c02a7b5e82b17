"""Table files made by a forger: each is damaged in one way, under a seal that fits."""

import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import hdf5plugin
import numpy as np
import zstandard

from support.program import SEAL, reseal
from tablebase.game import load_game
from tablebase.positions.indexing import layout_of
from tablebase.positions.material import parse_material

Change = Callable[[h5py.File], object]
V110 = ("v110", "v110")
LAYOUT = layout_of(load_game("hexapawn"), parse_material(load_game("hexapawn"), "PPvP"))
VOID = next(index for index in range(LAYOUT.size) if LAYOUT.squares(index) is None)


def craft(path: Path, change: Change) -> None:
    with h5py.File(path, "r+", libver=V110) as file:
        change(file)
    reseal(path)


def sets(name: str, value: object, holder: str = "/") -> Change:
    return lambda file: file[holder].attrs.__setitem__(name, value)


def text(name: str, value: bytes) -> Change:
    return sets(name, np.bytes_(value))


def drops(name: str, holder: str = "/") -> Change:
    return lambda file: file[holder].attrs.__delitem__(name)


def counts(**changed: Callable[[list[int]], object]) -> Change:
    """Statistics of White's positions, `histogram` or `first` or both, changed by functions of the honest lists."""

    def change(file: h5py.File) -> None:
        for name, changes in changed.items():
            numbers = file["w"].attrs[name].tolist()
            made = changes(numbers)
            file["w"].attrs[name] = np.array(numbers if made is None else made)

    return change


def replaces(make: Callable[[h5py.File], object]) -> Change:
    def change(file: h5py.File) -> None:
        del file["w"]
        make(file)

    return change


def datasets(*names: str, codes: Callable[[Any], Any] = lambda codes: codes, **options: Any) -> Change:
    """Datasets, with the attributes of the honest ones, made anew from changed codes and with other options."""

    def change(file: h5py.File) -> None:
        for name in names:
            honest, attributes = file[name][:], dict(file[name].attrs)
            given = {"chunks": file[name].chunks, **hdf5plugin.Zstd(clevel=3)} | options
            del file[name]
            if given.get("shape") is None:
                made = file.create_dataset(name, data=codes(honest), **given)
            else:
                made = file.create_dataset(name, dtype="u1", **given)
            for key, value in attributes.items():
                made.attrs[key] = value

    return change


def is_external(file: h5py.File) -> None:
    honest, attributes = file["w"][:], dict(file["w"].attrs)
    del file["w"]
    beside = Path(file.filename).with_name("beside.bin")
    beside.write_bytes(honest.tobytes())
    file.create_dataset("w", honest.shape, honest.dtype, external=[(str(beside), 0, len(honest))])
    for key, value in attributes.items():
        file["w"].attrs[key] = value


def is_virtual(file: h5py.File) -> None:
    size = file["w"].shape
    source = h5py.VirtualSource("beside.h5", "w", shape=size, dtype="u1")
    layout = h5py.VirtualLayout(shape=size, dtype="u1")
    layout[:] = source
    del file["w"]
    file.create_virtual_dataset("w", layout)


def chunk(frame: Callable[[bytes], bytes], filters: int = 0) -> Change:
    def change(file: h5py.File) -> None:
        file["w"].id.write_direct_chunk((0,), frame(file["w"][:].tobytes()), filters)

    return change


def packed(codes: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=3, write_checksum=True).compress(codes)


def claims(size: int) -> Callable[[bytes], bytes]:
    header = struct.pack("<IBQ", zstandard.MAGIC_NUMBER, 0b1110_0000, size)
    return lambda _: header + b"\x01\x00\x00"


def says_nothing(codes: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_content_size=False).compress(codes)


def skipped(codes: bytes) -> bytes:
    remark = bytes(1 << 18)
    return packed(codes) + struct.pack("<II", 0x184D2A50, len(remark)) + remark


NAMES = ("format", "format_version", "index_version", "game", "rules_digest", "material")
CRAFTED: dict[str, dict[str, Change]] = {
    " is missing": {f"without {name}": drops(name) for name in NAMES},
    "it has unexpected attributes": {
        **{f"without {name}": drops(name) for name in ("stride", "layout", "values_sha256")},
        "one attribute more": sets("solver", np.bytes_(b"magic")),
    },
    "does not contain the table PPvP of hexapawn": {
        "another format": text("format", b"tablebases"),
        "another game": text("game", b"hexapawn-4x4"),
        "another material": text("material", b"PvP"),
    },
    "is not a fixed-length string": {
        "a name of any length": sets("material", "PPvP"),
        "a number for a name": sets("material", 7),
        "an endless name": text("material", b"P" * 70_000),
    },
    "can't decode": {"bytes for a name": text("material", b"PP\xffP")},
    "does not consist of integers": {
        "a version that is a text": text("format_version", b"1"),
        "a version that is a fraction": sets("index_version", 1.0),
        "a stride without end": sets("stride", np.inf),
        "a list of strides": sets("stride", np.array([1])),
        "nothing for a stride": sets("stride", h5py.Empty("i8")),
        "a histogram of fractions": counts(histogram=lambda numbers: [float(n) for n in numbers]),
    },
    "its attribute stride is neither 1 nor 2": {
        "a stride of 0": sets("stride", np.int64(0)),
        "a stride of 3": sets("stride", np.int64(3)),
    },
    "layout describes a different indexing scheme": {
        "another layout": text("layout", b'{"groups": [], "mirror": null, "swap": null}')
    },
    "is not a digest": {"a digest that is none": text("values_sha256", b"0")},
    "has attributes other than histogram and first": {
        "no histogram": drops("histogram", "w"),
        "no first": drops("first", "b"),
        "one attribute more of a dataset": sets("last", np.int64(1), "b"),
    },
    "is not a list with an entry for each code": {
        "an empty histogram": counts(histogram=lambda _: np.zeros(0, dtype="i8"), first=lambda _: np.zeros(0, dtype="i8")),
        "one entry": counts(histogram=lambda numbers: [sum(numbers)], first=lambda _: [1]),
        "nothing for a histogram": sets("histogram", h5py.Empty("i8"), "w"),
        "a histogram that is a number": sets("histogram", np.int64(5), "w"),
        "a long histogram": counts(histogram=lambda n: [*(n + [0] * 256)[:255], 1], first=lambda n: (n + [-1] * 256)[:256]),
    },
    "histogram and first differ in length": {"a histogram longer than first": counts(histogram=lambda numbers: [*numbers, 0])},
    "a histogram does not add up to": {
        "one position too many": counts(histogram=lambda numbers: [*numbers[:-1], numbers[-1] + 1]),
        "fewer than no positions": counts(histogram=lambda numbers: [-1, 1, *numbers[2:]]),
        "numbers that overflow": counts(histogram=lambda numbers: [2**62] * 4 + numbers[4:]),
    },
    "a histogram does not end at the largest code": {
        "a histogram with zeros behind": counts(histogram=lambda numbers: [*numbers, 0], first=lambda numbers: [*numbers, -1]),
    },
    "histogram and first have different codes": {
        "a code that first stands nowhere": counts(first=lambda numbers: [*numbers[:-1], -1]),
        "a code that does not occur and stands somewhere": counts(first=lambda numbers: [1, *numbers[1:]]),
    },
    "two codes have the same index in first": {
        "two codes at one index": counts(first=lambda numbers: [*numbers[:-1], max(numbers[:-1])]),
    },
    "an index in first is not a position": {
        "a code just beyond the end": lambda file: counts(first=lambda numbers: [*numbers[:-1], len(file["w"])])(file),
        "a code before the beginning": counts(first=lambda numbers: [*numbers[:-1], -2]),
        "a code where two pieces share a square": counts(first=lambda numbers: [*numbers[:-1], VOID]),
    },
    "it does not have exactly 2 datasets": {
        "no dataset": lambda file: file.__delitem__("b"),
        "one dataset more": lambda file: file.create_dataset("c", data=[1]),
    },
    "the dataset b is missing": {"one dataset under another name": lambda file: file.move("b", "c")},
    "its w is not a dataset": {
        "a group": replaces(lambda file: file.create_group("w")),
        "a type": replaces(lambda file: file.__setitem__("w", np.dtype("u1"))),
    },
    "its dataset w is a link": {
        "a link within the file": replaces(lambda file: file.__setitem__("w", h5py.SoftLink("/b"))),
        "a link to another file": replaces(lambda file: file.__setitem__("w", h5py.ExternalLink("honest.h5", "/w"))),
        "a link to a pipe": replaces(lambda file: file.__setitem__("w", h5py.ExternalLink("pipe", "/w"))),
    },
    "its codes are not of the type uint8 or uint16": {
        "signed codes": datasets("w", "b", codes=lambda codes: codes.astype("i1")),
        "codes that are fractions": datasets("w", "b", codes=lambda codes: codes.astype("f4")),
        "codes of four bytes": datasets("w", "b", codes=lambda codes: codes.astype("u4")),
        "codes with the large end first": datasets("w", "b", codes=lambda codes: codes.astype(">u2")),
        "codes with names": datasets("w", "b", dtype=h5py.enum_dtype({"draw": 0}, basetype="u1")),
    },
    "its datasets differ in type": {"sides of different widths": datasets("b", codes=lambda codes: codes.astype("u2"))},
    "a dataset does not have the shape": {
        "one code too many": datasets("w", codes=lambda codes: np.append(codes, codes[-1])),
        "a single code": datasets("w", shape=(), chunks=None, compression=None, compression_opts=None),
        "codes in a column": datasets("w", codes=lambda codes: codes[:, None], chunks=(1, 1)),
        "as many codes as can be counted": datasets("w", shape=(2**60,), chunks=(65536,)),
        "one large chunk": datasets("w", shape=(2**31,), chunks=(2**31,)),
    },
    "a dataset is not divided into chunks": {
        "no chunks": datasets("w", chunks=None, compression=None, compression_opts=None),
        "storage in another file": is_external,
        "a view of another file": is_virtual,
    },
    "a dataset is not divided into chunks of 54 codes": {"small chunks": datasets("w", chunks=(2,))},
    "its chunks are not compressed with Zstandard alone": {
        "no compression": datasets("w", compression=None, compression_opts=None),
        "another compression": datasets("w", compression="gzip", compression_opts=1),
        "two compressions": datasets("w", shuffle=True),
    },
    "chunks are missing": {"no codes at all": lambda file: datasets("w", shape=file["w"].shape)(file)},
}
"""What is found in the table PPvP of Hexapawn when its file is opened, by what the sentence says."""

CHUNKS: dict[str, dict[str, Change]] = {
    "cannot be read": {
        "no frame": chunk(lambda _: b"This is no frame."),
        "half a frame": chunk(lambda codes: packed(codes)[:-9]),
        "a frame with a wrong checksum": chunk(lambda codes: packed(codes)[:-1] + b"\0"),
        "a frame that claims what is right": lambda file: chunk(claims(len(file["w"])))(file),
        "two frames": chunk(lambda codes: packed(codes) + packed(codes)),
    },
    "contains a chunk of the wrong size": {
        "a frame of nothing": chunk(lambda _: packed(b"")),
        "a frame of one code less": chunk(lambda codes: packed(codes[:-1])),
        "a frame that claims more than there is memory": chunk(claims(1 << 50)),
        "a frame of unknown size": chunk(says_nothing),
    },
    "contains a chunk that is uncompressed or too large": {
        "a frame and much else": chunk(skipped),
        "codes that are not compressed": chunk(lambda codes: codes, filters=1),
    },
    "contains a value that is missing from its statistics": {
        "the code of void": chunk(lambda codes: packed(b"\xff" * len(codes))),
        "a code beyond the histogram": lambda file: chunk(
            lambda codes: packed(bytes([len(file["w"].attrs["histogram"])]) + codes[1:])
        )(file),
    },
}
"""What is found in it when the codes are read."""


def without_user_block(path: Path) -> None:
    path.write_bytes(path.read_bytes()[SEAL:])


def without_checksums(path: Path) -> None:
    old = path.with_name("old.h5")
    with h5py.File(path, "r") as file, h5py.File(old, "w", userblock_size=SEAL, libver="earliest") as copy:
        for name, codes in file.items():
            made = copy.create_dataset(name, data=codes[:], chunks=codes.chunks, **hdf5plugin.Zstd(clevel=3))
            for key, value in codes.attrs.items():
                made.attrs[key] = value
        for name, value in file.attrs.items():
            copy.attrs[name] = value
    old.write_bytes(path.read_bytes()[:SEAL] + old.read_bytes()[SEAL:])
    os.replace(old, path)
    reseal(path)


def instead(make: Callable[[Path], object]) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        path.unlink()
        make(path)

    return change


PLACES: dict[str, Callable[[Path], None]] = {
    "a folder": instead(lambda path: path.mkdir()),
    "a pipe": instead(os.mkfifo),
    "a device without end": instead(lambda path: path.symlink_to("/dev/zero")),
    "a device without anything": instead(lambda path: path.symlink_to("/dev/null")),
    "an empty file": lambda path: path.write_bytes(b"") and None,
    "no user block": without_user_block,
    "no checksums": without_checksums,
}
"""What is in the file's place, or how it begins."""
