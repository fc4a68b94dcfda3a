"""Writes and reads DICOM files, as explicit little endian unless said otherwise. Shares no code with the product."""

import struct

import numpy as np

EXPLICIT, IMPLICIT, BIG, DEFLATED, RLE = ("1.2.840.10008.1.2.1", "1.2.840.10008.1.2", "1.2.840.10008.1.2.2",
                                          "1.2.840.10008.1.2.1.99", "1.2.840.10008.1.2.5")
LONG = ("OB", "OD", "OF", "OL", "OW", "SQ", "UC", "UN", "UR", "UT")
NUMBERS = {"US": "H", "SS": "h", "UL": "I", "SL": "i", "FL": "f", "FD": "d"}

IMAGE_TYPE, CLASS_UID, INSTANCE_UID, MODALITY = 0x00080008, 0x00080016, 0x00080018, 0x00080060
DERIVATION, SOURCE_IMAGES, DERIVATION_CODES = 0x00082111, 0x00082112, 0x00089215
STUDY_UID, SERIES_UID, POSITION, ORIENTATION = 0x0020000D, 0x0020000E, 0x00200032, 0x00200037
SAMPLES, PHOTOMETRIC, PLANAR, FRAMES, ROWS, COLUMNS = 0x00280002, 0x00280004, 0x00280006, 0x00280008, 0x00280010, 0x00280011
SPACING, IMAGER_SPACING, ASPECT = 0x00280030, 0x00181164, 0x00280034
ALLOCATED, STORED, HIGH_BIT, SIGN = 0x00280100, 0x00280101, 0x00280102, 0x00280103
SMALLEST, LARGEST, PADDING, PADDING_LIMIT = 0x00280106, 0x00280107, 0x00280120, 0x00280121
CENTRE, WIDTH, INTERCEPT, SLOPE, SHAPE = 0x00281050, 0x00281051, 0x00281052, 0x00281053, 0x00281056
MODALITY_TABLES, DISPLAY_TABLES, PIXELS = 0x00283000, 0x00283010, 0x7FE00010


def value_bytes(vr, value, order="<"):
    """The bytes of a value: numbers, text, bytes or, for SQ, a list of {tag: (vr, value)}."""
    if isinstance(value, bytes):
        data = value
    elif vr in NUMBERS:
        data = b"".join(struct.pack(order + NUMBERS[vr], v) for v in (value if isinstance(value, (list, tuple)) else [value]))
    else:
        data = str(value).encode("latin-1")
    return data + (b"\0" if vr in ("UI", "OB", "UN") else b" ") * (len(data) % 2)


def element(tag, vr, value, order="<", implicit=False, length=None):
    head = struct.pack(order + "HH", tag >> 16, tag & 0xFFFF)
    if vr == "SQ":
        data = b"".join(struct.pack(order + "HHI", 0xFFFE, 0xE000, len(item)) + item
                        for item in (elements(fields, order, implicit) for fields in value))
    else:
        data = value_bytes(vr, value, order)
    size = len(data) if length is None else length
    if implicit:
        return head + struct.pack(order + "I", size) + data
    if vr in LONG:
        return head + vr.encode() + b"\0\0" + struct.pack(order + "I", size) + data
    return head + vr.encode() + struct.pack(order + "H", size) + data


def elements(fields, order="<", implicit=False):
    return b"".join(element(tag, vr, value, order, implicit) for tag, (vr, value) in sorted(fields.items()))


def meta(syntax, fields):
    body = (element(0x00020001, "OB", b"\0\1") + element(0x00020002, "UI", fields[CLASS_UID][1]) +
            element(0x00020003, "UI", fields[INSTANCE_UID][1]) + element(0x00020010, "UI", syntax) +
            element(0x00020012, "UI", "1.2.3.4"))
    return b"\0" * 128 + b"DICM" + element(0x00020000, "UL", len(body)) + body


def image_fields(array, frames=False, bits=None, photometric=None, changes=None):
    """Elements of an array: rows x columns, with a last axis of 3 for colour, a first one for frames."""
    array = np.asarray(array)
    shape = array.shape[1:] if frames else array.shape
    colour = len(shape) == 3
    allocated = array.dtype.itemsize * 8
    stored = bits or allocated
    fields = {
        IMAGE_TYPE: ("CS", "ORIGINAL\\PRIMARY"), CLASS_UID: ("UI", "1.2.840.10008.5.1.4.1.1.7"),
        INSTANCE_UID: ("UI", "1.2.3.4.5.6"), MODALITY: ("CS", "OT"), STUDY_UID: ("UI", "1.2.3.4.5.7"),
        SERIES_UID: ("UI", "1.2.3.4.5.8"), SAMPLES: ("US", 3 if colour else 1),
        PHOTOMETRIC: ("CS", photometric or ("RGB" if colour else "MONOCHROME2")), ROWS: ("US", shape[0]), COLUMNS: ("US", shape[1]),
        ALLOCATED: ("US", allocated), STORED: ("US", stored), HIGH_BIT: ("US", stored - 1), SIGN: ("US", int(array.dtype.kind == "i"))}
    if colour:
        fields[PLANAR] = ("US", 0)
    if frames:
        fields[FRAMES] = ("IS", array.shape[0])
    fields.update(changes or {})
    return {tag: field for tag, field in fields.items() if field is not None}


def file_bytes(fields, pixels, syntax=EXPLICIT, vr="OW", pad=True, with_meta=True):
    """A file of elements and the bytes of its pixels (or the items of compressed ones)."""
    order, implicit = (">" if syntax == BIG else "<"), syntax == IMPLICIT
    head = meta(syntax, fields) if with_meta else b""
    before = elements({tag: field for tag, field in fields.items() if tag < PIXELS}, order, implicit)
    after = elements({tag: field for tag, field in fields.items() if tag > PIXELS}, order, implicit)
    if isinstance(pixels, list):
        items = b"".join(struct.pack("<HHI", 0xFFFE, 0xE000, len(part)) + part for part in [b"", *pixels])
        data = struct.pack("<HH2sHI", 0x7FE0, 0x0010, b"OB", 0, 0xFFFFFFFF) + items + struct.pack("<HHI", 0xFFFE, 0xE0DD, 0)
        return head + before + data + after
    padded = pixels + b"\0" * (len(pixels) % 2 if pad else 0)
    raw = element(PIXELS, vr, b"", order, implicit, length=len(padded)) + padded
    return head + before + raw + after


def dicom_bytes(array, syntax=EXPLICIT, frames=False, bits=None, photometric=None, changes=None, **options):
    """The file of an array."""
    array = np.asarray(array)
    fields = image_fields(array, frames, bits, photometric, changes)
    stored = array.astype(array.dtype.newbyteorder(">" if syntax == BIG else "<")).tobytes()
    return file_bytes(fields, stored, syntax, vr="OB" if array.dtype.itemsize == 1 else "OW", **options)


def parse(data, at=0, end=None):
    """{tag: (vr, bytes or items)} of explicit little endian elements; stops at the end of an item. Returns that and the place."""
    end = len(data) if end is None else end
    fields = {}
    while at < end:
        group, number = struct.unpack_from("<HH", data, at)
        tag = group << 16 | number
        if tag == 0xFFFEE00D:
            return fields, at + 8
        vr = data[at + 4:at + 6].decode("ascii")
        if vr in LONG:
            size, at = struct.unpack_from("<I", data, at + 8)[0], at + 12
        else:
            size, at = struct.unpack_from("<H", data, at + 6)[0], at + 8
        if vr == "SQ":
            value, at = parse_items(data, at, size)
        elif size == 0xFFFFFFFF:
            value, at = parse_fragments(data, at)
        else:
            value, at = data[at:at + size], at + size
        fields[tag] = (vr, value)
    return fields, at


def parse_items(data, at, size):
    end, items = (None if size == 0xFFFFFFFF else at + size), []
    while end is None or at < end:
        tag, length = struct.unpack_from("<HH", data, at), struct.unpack_from("<I", data, at + 4)[0]
        at += 8
        if tag == (0xFFFE, 0xE0DD):
            break
        item, at = parse(data, at, None if length == 0xFFFFFFFF else at + length)
        items.append(item)
    return items, at


def parse_fragments(data, at):
    parts = []
    while True:
        tag, length = struct.unpack_from("<HH", data, at), struct.unpack_from("<I", data, at + 4)[0]
        at += 8
        if tag == (0xFFFE, 0xE0DD):
            return parts, at
        parts.append(data[at:at + length])
        at += length


class Dicom:
    """A file in an explicit little endian syntax, for looking at."""

    def __init__(self, data):
        if data[128:132] != b"DICM":
            raise ValueError("no preamble")
        length = struct.unpack_from("<I", data, 140)[0]
        self.meta, _ = parse(data, 132, 144 + length)
        self.fields, _ = parse(data, 144 + length)

    def __contains__(self, tag):
        return tag in self.fields

    def vr(self, tag):
        return self.fields[tag][0]

    def raw(self, tag):
        return self.fields[tag][1]

    def text(self, tag, fields=None):
        return (fields or self.fields)[tag][1].decode("latin-1").rstrip(" \0")

    def numbers(self, tag):
        vr, value = self.fields[tag]
        if vr in NUMBERS:
            return [v for (v,) in struct.iter_unpack("<" + NUMBERS[vr], value)]
        return [float(part) for part in self.text(tag).split("\\")]

    def number(self, tag):
        return self.numbers(tag)[0]

    def array(self):
        """Frames x rows x columns (x 3), of uncompressed pixels."""
        dtype = {(8, 0): "u1", (16, 0): "<u2", (16, 1): "<i2", (32, 0): "<u4", (32, 1): "<i4"}[int(self.number(ALLOCATED)), int(self.number(SIGN))]
        frames = int(self.number(FRAMES)) if FRAMES in self else 1
        shape = [frames, int(self.number(ROWS)), int(self.number(COLUMNS))] + ([3] if self.number(SAMPLES) == 3 else [])
        return np.frombuffer(self.raw(PIXELS), dtype, int(np.prod(shape))).reshape(shape)
