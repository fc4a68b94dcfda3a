"""EXIF, ICC profiles and the markers of JPEG files, made and taken apart for tests."""

import struct
from fractions import Fraction

import tiff_file as tiff
from tiff_file import Long

EXIF_MARK, XMP_MARK, ICC_MARK = b"Exif\0\0", b"http://ns.adobe.com/xap/1.0/\0", b"ICC_PROFILE\0"
APP1, APP2, COMMENT = 0xE1, 0xE2, 0xFE
X_DIMENSION, Y_DIMENSION, EXPOSURE, THUMBNAIL, THUMBNAIL_BYTES = 0xA002, 0xA003, 0x829A, 0x201, 0x202
GPS_VERSION, LATITUDE = 0, 2
GPS_FIELDS = {GPS_VERSION: b"\2\3\0\0", LATITUDE: [Fraction(52), Fraction(30), Fraction(0)]}


def profile(space=b"RGB ", size=132):
    """As much of an ICC profile as readers look at."""
    head = struct.pack(">I", size) + bytes(12) + space + b"XYZ " + bytes(12) + b"acsp"
    return head.ljust(128, b"\0") + bytes(i * 7 % 251 for i in range(size - 128))


def exif(order="<", orientation=None, width=None, height=None, resolution=None, thumbnail=None, photo=None):
    """EXIF data with a camera, an exposure, a place and what is asked for."""
    image = {271: "Maker", tiff.SOFTWARE: "program 1"}
    photo = {EXPOSURE: [Fraction(1, 250)], **(photo or {})}
    if orientation:
        image[tiff.ORIENTATION] = [orientation]  # a Long is stored in 32 bits, as some programs do
    if resolution:
        image.update({tiff.X_RESOLUTION: [resolution[0]], tiff.Y_RESOLUTION: [resolution[1]], tiff.RESOLUTION_UNIT: [2]})
    if width:
        photo.update({X_DIMENSION: [Long(width)], Y_DIMENSION: [height]})
    data = (b"II*\0" if order == "<" else b"MM\0*") + bytes(4)
    added, places = [], {}
    for pointer, fields in ((tiff.EXIF, photo), (tiff.GPS, GPS_FIELDS)):
        part, places[pointer] = tiff.directory(order, fields, len(data) + sum(map(len, added)))
        added.append(part)
    data += b"".join(added)
    second = 0
    if thumbnail:
        at = len(data)
        part, second = tiff.directory(order, {259: [6], THUMBNAIL: [Long(at)], THUMBNAIL_BYTES: [Long(len(thumbnail))]},
                                      at + len(thumbnail) + len(thumbnail) % 2)
        data += thumbnail + b"\0" * (len(thumbnail) % 2) + part
    image.update({pointer: [Long(place)] for pointer, place in places.items()})
    part, start = tiff.directory(order, image, len(data), second)
    return data[:4] + struct.pack(order + "I", start) + data[8:] + part


def read_exif(data):
    """{tag: values} of the main, EXIF and GPS directories, and whether a thumbnail follows."""
    image, second = tiff.read_tags(data)
    photo = tiff.read_tags(data, image[tiff.EXIF][0])[0] if tiff.EXIF in image else {}
    gps = tiff.read_tags(data, image[tiff.GPS][0])[0] if tiff.GPS in image else {}
    return {**image, **photo, "gps": gps, "thumbnail": second != 0}


def marker(code, body):
    return bytes([0xFF, code]) + struct.pack(">H", len(body) + 2) + body


def with_markers(jpeg, *markers):
    """A JPEG with (code, body) behind its JFIF header."""
    at = 4 + struct.unpack(">H", jpeg[4:6])[0] if jpeg[2:4] == b"\xff\xe0" else 2
    return jpeg[:at] + b"".join(marker(*one) for one in markers) + jpeg[at:]


def markers_of(jpeg):
    """[(code, body)] before the first scan."""
    found, at = [], 2
    while jpeg[at + 1] != 0xDA:
        size = struct.unpack(">H", jpeg[at + 2:at + 4])[0]
        found.append((jpeg[at + 1], jpeg[at + 4:at + 2 + size]))
        at += 2 + size
    return found


def density(jpeg):
    """Unit, across and down of the JFIF header."""
    return struct.unpack(">BHH", dict(markers_of(jpeg))[0xE0][7:12])


def profile_markers(data, part=65519):
    parts = [data[at:at + part] for at in range(0, len(data), part)]
    return [(APP2, ICC_MARK + bytes([i + 1, len(parts)]) + body) for i, body in enumerate(parts)]
