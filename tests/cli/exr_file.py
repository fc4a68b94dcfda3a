"""A minimal EXR reader and writer for tests: scan lines and tiles, uncompressed or zip, several parts, odd attributes."""

import struct
import zlib

import numpy as np

MAGIC = b"\x76\x2f\x31\x01"
TILED, LONG_NAMES, DEEP, PARTS = 0x200, 0x400, 0x800, 0x1000
NONE, RLE, ZIPS, ZIP, PIZ = range(5)
KINDS = {"u": 0, 2: 1, 4: 2}
DTYPES = [np.dtype("<u4"), np.dtype("<f2"), np.dtype("<f4")]
NAMES = {1: "Y", 2: "YA", 3: "RGB", 4: "RGBA"}


def attribute(name, kind, value):
    return name.encode() + b"\0" + kind.encode() + b"\0" + struct.pack("<i", len(value)) + value


def box(window):
    return struct.pack("<4i", *window)


def channel_list(channels, sampling=1):
    """`channels`: name -> array."""
    entries = b"".join(name.encode() + b"\0" + struct.pack("<iB3xii", kind_of(array), 0, sampling, sampling)
                       for name, array in sorted(channels.items()))
    return entries + b"\0"


def kind_of(array):
    return KINDS.get(array.dtype.kind, KINDS.get(array.dtype.itemsize))


def named(array):
    """The channels of an array of h x w (x 2, 3 or 4) by their usual names."""
    array = np.asarray(array)
    planes = [array] if array.ndim == 2 else [array[..., c] for c in range(array.shape[2])]
    return dict(zip(NAMES[len(planes)], planes))


def header(channels, data=None, display=None, compression=NONE, tile=None, extra=(), replace=None):
    """Attributes of one part, without the NUL at their end. `replace`: name -> attribute bytes, or None to leave it out."""
    height, width = next(iter(channels.values())).shape
    data = data or (0, 0, width - 1, height - 1)
    attributes = {"channels": attribute("channels", "chlist", channel_list(channels)),
                  "compression": attribute("compression", "compression", bytes([compression])),
                  "dataWindow": attribute("dataWindow", "box2i", box(data)),
                  "displayWindow": attribute("displayWindow", "box2i", box(display or data)),
                  "lineOrder": attribute("lineOrder", "lineOrder", b"\0"),
                  "pixelAspectRatio": attribute("pixelAspectRatio", "float", struct.pack("<f", 1)),
                  "screenWindowCenter": attribute("screenWindowCenter", "v2f", bytes(8)),
                  "screenWindowWidth": attribute("screenWindowWidth", "float", struct.pack("<f", 1))}
    if tile:
        attributes["tiles"] = attribute("tiles", "tiledesc", struct.pack("<IIB", *tile, 0))
    attributes.update(replace or {})
    return b"".join(a for a in attributes.values() if a is not None) + b"".join(extra)


def row_bytes(channels, rows, columns=slice(None)):
    """The samples of a block: of each row one channel after the other, by name."""
    planes = [np.ascontiguousarray(a[rows, columns]).astype(DTYPES[kind_of(a)]) for _, a in sorted(channels.items())]
    return b"".join(plane[y].tobytes() for y in range(planes[0].shape[0]) for plane in planes)


def _chunks(channels, data, tile, part):
    height, width = next(iter(channels.values())).shape
    first = b"" if part is None else struct.pack("<i", part)
    if not tile:
        for y in range(height):
            body = row_bytes(channels, slice(y, y + 1))
            yield first + struct.pack("<ii", data[1] + y, len(body)) + body
        return
    for ty in range(0, height, tile[1]):
        for tx in range(0, width, tile[0]):
            body = row_bytes(channels, slice(ty, ty + tile[1]), slice(tx, tx + tile[0]))
            yield first + struct.pack("<5i", tx // tile[0], ty // tile[1], 0, 0, len(body)) + body


def exr_bytes(channels, data=None, flags=0, tile=None, **options):
    """A file of one part, uncompressed. `channels`: name -> array, or an array with channels of the usual names."""
    channels = channels if isinstance(channels, dict) else named(channels)
    height, width = next(iter(channels.values())).shape
    data = data or (0, 0, width - 1, height - 1)
    flags |= TILED if tile else 0
    start = MAGIC + struct.pack("<I", 2 | flags) + header(channels, data, tile=tile, **options) + b"\0"
    return start + _table_and_chunks(len(start), [list(_chunks(channels, data, tile, None))])


def parts_bytes(parts, display):
    """A file of several parts of scan lines, which share a display window."""
    start, blocks = MAGIC + struct.pack("<I", 2 | PARTS), []
    for number, channels in enumerate(parts):
        channels = channels if isinstance(channels, dict) else named(channels)
        height, width = next(iter(channels.values())).shape
        extra = (attribute("chunkCount", "int", struct.pack("<i", height)), attribute("name", "string", b"part%d" % number),
                 attribute("type", "string", b"scanlineimage"))
        start += header(channels, display=display, extra=extra) + b"\0"
        blocks.append(list(_chunks(channels, (0, 0, width - 1, height - 1), None, number)))
    start += b"\0"
    return start + _table_and_chunks(len(start), blocks)


def _table_and_chunks(at, parts):
    at += 8 * sum(len(chunks) for chunks in parts)
    table = b""
    for chunk in (chunk for chunks in parts for chunk in chunks):
        table += struct.pack("<Q", at)
        at += len(chunk)
    return table + b"".join(chunk for chunks in parts for chunk in chunks)


def read_header(data):
    """({name: (type, value)}, place behind it) of a file of one part."""
    assert data[:4] == MAGIC, data[:4]
    at, attributes = 8, {}
    while data[at] != 0:
        words = []
        for _ in range(2):
            end = data.index(b"\0", at)
            words.append(data[at:end].decode())
            at = end + 1
        size = struct.unpack("<i", data[at:at + 4])[0]
        attributes[words[0]] = (words[1], data[at + 4:at + 4 + size])
        at += 4 + size
    return attributes, at + 1


def read_exr(data):
    """(channels as name -> array, attributes) of a file of scan lines, uncompressed, zips or zip."""
    if hasattr(data, "read_bytes"):
        data = data.read_bytes()
    attributes, at = read_header(data)
    window = window_of(attributes, "dataWindow")
    width, height = window[2] - window[0] + 1, window[3] - window[1] + 1
    compression = attributes["compression"][1][0]
    rows = {NONE: 1, ZIPS: 1, ZIP: 16}[compression]
    kinds = _read_channels(attributes["channels"][1])
    channels = {name: np.empty((height, width), DTYPES[kind]) for name, kind in kinds}
    for offset in struct.unpack(f"<{-(-height // rows)}Q", data[at:at + 8 * -(-height // rows)]):
        y, size = struct.unpack("<ii", data[offset:offset + 8])
        count = min(rows, height - (y - window[1]))
        length = count * width * sum(DTYPES[kind].itemsize for _, kind in kinds)
        body = _unpacked(data[offset + 8:offset + 8 + size], length)
        place = 0
        for row in range(y - window[1], y - window[1] + count):
            for name, kind in kinds:
                channels[name][row] = np.frombuffer(body, DTYPES[kind], width, place)
                place += width * DTYPES[kind].itemsize
    return channels, attributes


def window_of(attributes, name):
    return struct.unpack("<4i", attributes[name][1])


def _read_channels(value):
    at, kinds = 0, []
    while value[at] != 0:
        end = value.index(b"\0", at)
        kinds.append((value[at:end].decode(), struct.unpack("<i", value[end + 1:end + 5])[0]))
        at = end + 17
    return kinds


def _unpacked(body, length):
    if len(body) == length:
        return body
    steps = np.frombuffer(zlib.decompress(body), np.uint8).astype(np.int64)
    steps[1:] -= 128
    halves = np.cumsum(steps).astype(np.uint8)
    out = np.empty(len(halves), np.uint8)
    out[::2], out[1::2] = halves[:(len(halves) + 1) // 2], halves[(len(halves) + 1) // 2:]
    return out.tobytes()
