"""A minimal PNG reader and writer for tests: every depth, palettes, Adam7, extra chunks."""

import struct
import zlib

import numpy as np

GRAY, RGB, PALETTE, GRAY_ALPHA, RGBA = 0, 2, 3, 4, 6
SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = {GRAY: 1, RGB: 3, PALETTE: 1, GRAY_ALPHA: 2, RGBA: 4}
ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def header(width, height, depth, colour, interlace=0):
    return SIGNATURE + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlace))


def png_bytes(array, colour=None, depth=None, interlace=False, chunks=()):
    """PNG of u8 or u16 samples, HxW or HxWxC; `chunks` are (kind, body) before IDAT. Depth below 8 packs the codes."""
    array = np.asarray(array)
    array = array[..., None] if array.ndim == 2 else array
    colour = {1: GRAY, 2: GRAY_ALPHA, 3: RGB, 4: RGBA}[array.shape[2]] if colour is None else colour
    depth = depth or 8 * array.dtype.itemsize
    passes = ADAM7 if interlace else ((0, 0, 1, 1),)
    raw = b"".join(_rows(array[y::dy, x::dx], depth) for x, y, dx, dy in passes)
    return (header(array.shape[1], array.shape[0], depth, colour, int(interlace)) +
            b"".join(chunk(kind, body) for kind, body in chunks) + chunk(b"IDAT", zlib.compress(raw)) +
            chunk(b"IEND", b""))


def _rows(array, depth):
    if array.size == 0:
        return b""
    if depth == 16:
        return b"".join(b"\0" + row.astype(">u2").tobytes() for row in array)
    if depth == 8:
        return b"".join(b"\0" + row.astype(np.uint8).tobytes() for row in array)
    bits = np.unpackbits(array[..., 0].astype(np.uint8)[..., None], axis=-1)[..., 8 - depth:]
    return b"".join(b"\0" + np.packbits(row.reshape(-1)).tobytes() for row in bits)


def png_chunks(data):
    """[(kind, body)] after a check of the signature and of every checksum."""
    assert data[:8] == SIGNATURE, data[:8]
    found, at = [], 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + body), kind
        found.append((kind, body))
        at += 12 + length
    assert found[-1][0] == b"IEND"
    return found


def read_png(data):
    """HxW or HxWxC samples, u8 or u16, of a plain PNG (8 or 16 bit, no palette, not interlaced)."""
    if hasattr(data, "read_bytes"):
        data = data.read_bytes()
    found = png_chunks(data)
    width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", found[0][1])
    assert depth in (8, 16) and colour != PALETTE and not interlace, (depth, colour, interlace)
    pixel = CHANNELS[colour] * depth // 8
    raw = zlib.decompress(b"".join(body for kind, body in found if kind == b"IDAT"))
    stride = width * pixel
    assert len(raw) == height * (stride + 1)
    previous, rows = bytearray(stride), []
    for y in range(height):
        line = raw[y * (stride + 1):(y + 1) * (stride + 1)]
        previous = _unfilter(line[0], bytearray(line[1:]), previous, pixel)
        rows.append(bytes(previous))
    samples = np.frombuffer(b"".join(rows), np.uint8 if depth == 8 else ">u2").reshape(height, width, -1)
    samples = samples.astype(np.uint8 if depth == 8 else np.uint16)
    return samples[..., 0] if CHANNELS[colour] == 1 else samples


def _unfilter(kind, line, above, pixel):
    if kind == 2:
        return bytearray((np.frombuffer(line, np.uint8) + np.frombuffer(above, np.uint8)).tobytes())
    for i in range(len(line)) if kind else ():
        left = line[i - pixel] if i >= pixel else 0
        corner = above[i - pixel] if i >= pixel else 0
        up = above[i]
        if kind == 1:
            predicted = left
        elif kind == 3:
            predicted = (left + up) // 2
        else:
            p = left + up - corner
            distances = (abs(p - left), abs(p - up), abs(p - corner))
            predicted = (left, up, corner)[distances.index(min(distances))]
        line[i] = (line[i] + predicted) & 255
    return line
