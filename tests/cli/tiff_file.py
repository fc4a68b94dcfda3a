"""A minimal TIFF reader and writer for tests: strips, both byte orders, Deflate, predictor 2, planar, odd tags."""

import struct
import zlib
from fractions import Fraction

import numpy as np

WIDTH, HEIGHT, BITS, COMPRESSION, PHOTOMETRIC = 256, 257, 258, 259, 262
STRIPS, SAMPLES, ROWS, STRIP_BYTES, PLANAR, PREDICTOR = 273, 277, 278, 279, 284, 317
COLOUR_MAP, TILE_WIDTH, TILE_HEIGHT, EXTRA_SAMPLES, SAMPLE_FORMAT = 320, 322, 323, 338, 339
WHITE_IS_ZERO, BLACK_IS_ZERO, RGB, PALETTE = 0, 1, 2, 3
DEFLATE = 8
X_RESOLUTION, Y_RESOLUTION, RESOLUTION_UNIT = 282, 283, 296
DESCRIPTION, SOFTWARE, ORIENTATION, XMP, PROFILE, EXIF, GPS, SUB_DIRECTORIES = 270, 305, 274, 700, 34675, 34665, 34853, 330
FAX4 = 4
TYPES = {"s": 2, "H": 3, "I": 4, "II": 5, "B": 7}  # ASCII, SHORT, LONG, RATIONAL, UNDEFINED


class Long(int):
    """A number that is stored in 32 bits."""


_FORMATS = {"u": 1, "i": 2, "f": 3}


def tiff_bytes(array, order="<", tags=None, rows_per_strip=None, planar=False, predictor=False, deflate=False,
               next_page=0, base=0):
    """One page. `tags` (tag: list of 16-bit numbers or fractions, or None to leave it out) override what the array says."""
    array = np.asarray(array)
    array = array[..., None] if array.ndim == 2 else array
    height, width, channels = array.shape
    rows = rows_per_strip or height
    planes = [array[..., c:c + 1] for c in range(channels)] if planar else [array]
    strips = [_strip(plane[y:y + rows], order, predictor, deflate) for plane in planes for y in range(0, height, rows)]
    fields = {WIDTH: [width], HEIGHT: [height], BITS: [8 * array.dtype.itemsize] * channels,
              COMPRESSION: [DEFLATE if deflate else 1], PHOTOMETRIC: [RGB if channels >= 3 else BLACK_IS_ZERO],
              SAMPLES: [channels], ROWS: [rows], PLANAR: [2 if planar else 1],
              SAMPLE_FORMAT: [_FORMATS[array.dtype.kind]] * channels}
    if predictor:
        fields[PREDICTOR] = [2]
    fields.update(tags or {})
    fields = {tag: values for tag, values in fields.items() if values is not None}
    return assemble(order, fields, strips, next_page, base)


def _strip(block, order, predictor, deflate):
    if predictor:
        difference = block.copy()
        difference[:, 1:] -= block[:, :-1]
        block = difference
    body = block.astype(block.dtype.newbyteorder(order)).tobytes()
    return zlib.compress(body) if deflate else body


def two_pages(first, second):
    """A file of two pages."""
    return joined_pages([first, second])


def joined_pages(arrays):
    """A file of a page an array. Each page is assembled behind the others and points to the next."""
    sizes = [len(tiff_bytes(array)) for array in arrays]
    bases = [sum(sizes[:i]) for i in range(len(arrays))]
    places = [struct.unpack("<I", tiff_bytes(array, base=base)[4:8])[0] for array, base in zip(arrays, bases)]
    return b"".join(tiff_bytes(array, base=base, next_page=following)
                    for array, base, following in zip(arrays, bases, places[1:] + [0]))


def assemble(order, fields, strips, next_page=0, base=0):
    """A file of one directory: `fields` (tag: 16-bit numbers or fractions) and the encoded strips, to stand at `base` of a larger file."""
    body, offsets = b"", []
    for strip in strips:
        offsets.append(base + 8 + len(body))
        body += strip + b"\0" * (len(strip) % 2)
    fields = {**fields, STRIPS: [Long(offset) for offset in offsets], STRIP_BYTES: [Long(len(strip)) for strip in strips]}
    extra, start = directory(order, fields, base + 8 + len(body), next_page)
    magic = b"II*\0" if order == "<" else b"MM\0*"
    return magic + struct.pack(order + "I", start) + body + extra


def directory(order, fields, at, next_directory=0):
    """A directory to stand at `at` behind its values, and its own place. Values are bytes, text, or lists of numbers or fractions."""
    extra, table = b"", b""
    for tag, values in sorted(fields.items()):
        kind, count, packed = packed_values(order, values)
        place = packed.ljust(4, b"\0")
        if len(packed) > 4:
            place = struct.pack(order + "I", at + len(extra))
            extra += packed + b"\0" * (len(packed) % 2)
        table += struct.pack(order + "HHI", tag, TYPES[kind], count) + place
    return extra + struct.pack(order + "H", len(fields)) + table + struct.pack(order + "I", next_directory), at + len(extra)


def packed_values(order, values):
    """Kind, count and bytes of the values of a tag."""
    if isinstance(values, bytes):
        return "B", len(values), values
    if isinstance(values, str):
        return "s", len(values.encode()) + 1, values.encode() + b"\0"
    if isinstance(values[0], Fraction):
        return "II", len(values), b"".join(struct.pack(order + "II", value.numerator, value.denominator) for value in values)
    kind = "I" if isinstance(values[0], Long) else "H"
    return kind, len(values), struct.pack(f"{order}{len(values)}{kind}", *values)


def read_tags(data, at=None):
    """{tag: [numbers]} of the first directory (or the one at `at`), and the place of the next one."""
    order = "<" if data[:2] == b"II" else ">"
    at = struct.unpack(order + "I", data[4:8])[0] if at is None else at
    count = struct.unpack(order + "H", data[at:at + 2])[0]
    kinds = {1: ("B", 1), 2: ("B", 1), 3: ("H", 2), 4: ("I", 4), 5: ("II", 8), 11: ("f", 4), 12: ("d", 8), 13: ("I", 4), 16: ("Q", 8)}
    tags = {}
    for i in range(count):
        tag, kind, number = struct.unpack(order + "HHI", data[at + 2 + 12 * i:at + 10 + 12 * i])
        code, size = kinds.get(kind, ("B", 1))
        place = data[at + 10 + 12 * i:at + 14 + 12 * i]
        if size * number > 4:
            start = struct.unpack(order + "I", place)[0]
            place = data[start:start + size * number]
        tags[tag] = list(struct.unpack(order + code * number, place[:size * number]))
    return tags, struct.unpack(order + "I", data[at + 2 + 12 * count:at + 6 + 12 * count])[0]


def read_pages(path):
    """The arrays of all pages."""
    data, pages, at = path.read_bytes(), [], None
    while at != 0:
        pages.append(read_tiff(data, at)[0])
        at = read_tags(data, at)[1]
    return pages


def read_tiff(data, at=None):
    """(array, tags) of the first page (or the one at `at`): strips; no compression, or Deflate (with predictor 1 to 3)."""
    if hasattr(data, "read_bytes"):
        data = data.read_bytes()
    order = "<" if data[:2] == b"II" else ">"
    tags, _ = read_tags(data, at)
    width, height, channels = tags[WIDTH][0], tags[HEIGHT][0], tags.get(SAMPLES, [1])[0]
    kind = {1: "u", 2: "i", 3: "f"}[tags.get(SAMPLE_FORMAT, [1])[0]]
    dtype = np.dtype(f"{order}{kind}{tags[BITS][0] // 8}")
    rows = min(tags.get(ROWS, [height])[0], height)
    together = 1 if tags.get(PLANAR, [1])[0] == 2 else channels  # samples of a pixel that lie side by side
    blocks = []
    for i, (start, length) in enumerate(zip(tags[STRIPS], tags[STRIP_BYTES])):
        body = data[start:start + length]
        body = zlib.decompress(body) if tags[COMPRESSION][0] in (DEFLATE, 32946) else body
        shape = (min(rows, height - i * rows % (-(-height // rows) * rows)), width, together)
        blocks.append(_undo(body, dtype, shape, tags.get(PREDICTOR, [1])[0]))
    planes = np.concatenate(blocks).reshape(channels // together, height, width, together)
    array = np.moveaxis(planes, 0, 2).reshape(height, width, channels)
    return (array[..., 0] if channels == 1 else array), tags


def _undo(body, dtype, shape, predictor):
    if predictor == 3:
        planes = np.frombuffer(body, np.uint8).reshape(shape[0], dtype.itemsize * shape[1], shape[2])
        summed = np.cumsum(planes, axis=1, dtype=np.uint8).reshape(shape[0], dtype.itemsize, shape[1] * shape[2])
        return np.ascontiguousarray(summed.transpose(0, 2, 1)).view(f">f{dtype.itemsize}").reshape(shape).astype(dtype.newbyteorder("="))
    block = np.frombuffer(body, dtype).reshape(shape).astype(dtype.newbyteorder("="))
    return np.cumsum(block, axis=1, dtype=block.dtype) if predictor == 2 else block
