#!/usr/bin/python3
"""Draws the sample radiograph: a chest phantom with a line-pair gauge, a step wedge and a lead marker.

Usage: make_phantom.py [FOLDER]      write xray.png, xray.pgm and xray.tif (default: the folder of this script)
       make_phantom.py --check       exit 1 unless the files beside this script hold exactly what would be written

The picture is simulated as it comes about: thicknesses add up to a line integral of attenuation, the fluence is
exp(-integral) plus scatter, the detector blurs it and adds quantum noise, and the logarithm of what is left is stored
(dense is bright). Integers, correctly rounded square roots and decimal tables only, so that every machine draws the same
samples.
"""

import struct
import sys
import zlib
from decimal import Decimal
from pathlib import Path

import numpy as np

WIDTH, HEIGHT = 400, 480
UNATTENUATED = 60000      # detector signal beside the patient
FULL_SCALE = 5200         # milli-nepers that are stored as 65535
Y, X = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.int64)


def root(values):
    """Floor of the square root of integers below 2^52 (IEEE square roots are correctly rounded)."""
    return np.floor(np.sqrt(np.maximum(values, 0).astype(np.float64))).astype(np.int64)


def ellipsoid(cx, cy, rx, ry, depth):
    """`depth` in the centre, falling to 0 at the rim like the thickness of an ellipsoid."""
    inside = (1 << 40) - (((X - cx) << 20) // rx) ** 2 - (((Y - cy) << 20) // ry) ** 2
    return (root(inside) * depth) >> 20


def slab(cx, cy, rx, ry, depth):
    """Like an ellipsoid, but flat in the middle and steep at the rim (a superellipse of fourth order)."""
    u, v = ((X - cx) << 10) // rx, ((Y - cy) << 10) // ry
    inside = (1 << 40) - np.minimum(u**4 + v**4, 1 << 40)
    return (root(root(inside) << 20) * depth) >> 20


def rod(x0, y0, x1, y1, radius, depth):
    """A round rod between two points."""
    dx, dy = x1 - x0, y1 - y0
    along = np.clip((X - x0) * dx + (Y - y0) * dy, 0, dx * dx + dy * dy)
    ex = ((X - x0) << 8) - (along * dx << 8) // (dx * dx + dy * dy)
    ey = ((Y - y0) << 8) - (along * dy << 8) // (dx * dx + dy * dy)
    return root(((radius << 8) ** 2 - ex * ex - ey * ey) * 4096) * depth // (radius << 14)


def rib(cy, rx, ry, depth):
    """A pair of ribs: a ring that tilts forwards. Its upper arc is the back; in front it ends before the breast bone."""
    cx = WIDTH // 2
    radius = root((((X - cx) << 20) // rx) ** 2 + (((Y - cy) << 20) // ry) ** 2)
    # Distance from the ring in units of its half-width, which the slope of the ring makes wider at the sides.
    half_width = (5 << 20) // ry
    across = ((radius - (1 << 20)) << 12) // half_width
    bone = (root(((1 << 24) - np.minimum(across * across, 1 << 24)) << 8) * depth) >> 16
    cartilage = np.clip(np.abs(X - cx) - 55, 0, 20)
    return np.where(Y > cy, bone * cartilage // 28, bone)


def box(x0, y0, x1, y1, depth):
    return np.where((X >= x0) & (X < x1) & (Y >= y0) & (Y < y1), depth, 0)


def lung(side, dome):
    """Air: narrow at the top, flat in the middle, cut off below by the dome of the diaphragm, whose top is at `dome`."""
    cx = WIDTH // 2 + side * 78
    half_width = np.clip(16 * 30 + 4 * (Y - 90), 16 * 20, 16 * 66)       # 1/16 pixel, as the offset below
    u, v = (((X - cx) * 16 + side * 9 * (300 - Y) // 8) << 10) // half_width, ((Y - 252) << 10) // 176
    inside = (1 << 40) - np.minimum((u * u) * (u * u) + (v * v) * (v * v), 1 << 40)
    floor_y = dome + (X - cx + side * 10) ** 2 // 56
    above_floor = np.clip((floor_y - Y) * 12, 0, 256)
    return ((root(root(inside) << 20) * 1350) >> 20) * above_floor >> 8


def patient():
    """Line integral of attenuation in milli-nepers: soft tissue, air, bone."""
    cx = WIDTH // 2
    body = np.maximum(slab(cx, 300, 172, 280, 2250), ellipsoid(cx, 60, 62, 90, 1900))
    shoulders = np.maximum(rod(60, 118, 150, 60, 52, 1700), rod(340, 118, 250, 60, 52, 1700))
    tissue = np.maximum(body, shoulders) - lung(-1, 326) - lung(1, 338)
    tissue += ellipsoid(cx + 26, 276, 64, 74, 850) + ellipsoid(cx + 20, 168, 24, 42, 420)    # heart, aortic arch
    tissue += ellipsoid(cx - 10, 220, 26, 90, 300)                                           # right side of the heart
    tissue -= ellipsoid(cx + 84, 386, 26, 15, 600) + rod(cx, 0, cx - 2, 190, 7, 380)         # stomach bubble, wind pipe
    bone = np.zeros_like(tissue)
    for k in range(9):
        bone += rib(124 + 31 * k, 84 + 10 * min(k, 6), 30 + 3 * k, 300)
    for k in range(15):                                                                      # vertebrae
        bone += slab(cx, 14 + 33 * k, 13 + k // 2, 14, 480) + ellipsoid(cx, 20 + 33 * k, 4, 10, 180)
    for side in (-1, 1):                                                     # collar bone, shoulder joint, arm, scapula
        bone += rod(cx + side * 14, 116, cx + side * 74, 98, 6, 330)
        bone += rod(cx + side * 76, 97, cx + side * 130, 86, 6, 330)
        bone += np.maximum(ellipsoid(cx + side * 150, 106, 18, 19, 600), rod(cx + side * 152, 110, cx + side * 172, 196, 10, 480))
        bone += rod(cx + side * 128, 104, cx + side * 112, 214, 6, 170)
    return np.maximum(tissue, 0) + bone + vessels()


def vessels():
    """Branches that leave the root of each lung and grow thinner."""
    cx = WIDTH // 2
    total = np.zeros_like(X)
    fans = [(-52, 78), (-20, 88), (16, 84), (50, 62), (84, 34), (-60, 40), (74, 66), (30, 52)]
    for side in (-1, 1):
        x0, y0 = cx + side * 36, 214
        branches = ellipsoid(x0, y0, 15, 30, 300)
        for dy, dx in fans:
            x1, y1 = x0 + side * dx // 2, y0 + dy // 2
            branches = np.maximum(branches, rod(x0, y0, x1, y1, 4, 190))
            branches = np.maximum(branches, rod(x1, y1, x1 + side * dx // 2, y1 + dy // 3, 3, 130))
            branches = np.maximum(branches, rod(x1, y1, x1 + side * dx // 3, y1 + dy // 2 + 8, 2, 100))
        total += branches
    return total


def gauges():
    """Lead and aluminium on the cassette: line pairs of 5 to 1 pixels, a wedge of ten steps, the letter L."""
    total = np.zeros_like(X)
    x = 12
    for width in (5, 4, 3, 2, 1):
        for _ in range(4):
            total += box(x, 12, x + width, 40, 2600)
            x += 2 * width
        x += 4
    for step in range(10):
        total += box(374, 460 - 24 * step, 392, 484 - 24 * step, 260 * (step + 1))
    return total + box(348, 14, 356, 50, 4200) + box(356, 42, 372, 50, 4200)


def noise():
    """Roughly normal integers of standard deviation 296 (sum of four bytes, centred), one a pixel, by splitmix64."""
    with np.errstate(over="ignore"):
        z = (np.arange(WIDTH * HEIGHT, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    bytes_sum = sum(((z >> np.uint64(8 * k)) & np.uint64(255)).astype(np.int64) for k in range(4))
    return 2 * (bytes_sum - 510).reshape(HEIGHT, WIDTH)


def blur(values):
    """Taps 1,6,1 on both axes: the focal spot and the detector."""
    for axis in (0, 1):
        padded = np.pad(values, [(1, 1) if a == axis else (0, 0) for a in (0, 1)], mode="edge")
        before, after = (padded[:-2], padded[2:]) if axis == 0 else (padded[:, :-2], padded[:, 2:])
        values = (before + 6 * values + after + 4) // 8
    return values


def radiograph():
    """The stored samples, 16 bit, dense is bright."""
    integral = patient() + gauges()
    transmission = np.array([int(UNATTENUATED * 16 * (Decimal(-k) / 1000).exp()) for k in range(12001)], dtype=np.int64)
    fluence = transmission[np.clip(integral, 0, 12000)]
    fluence = blur(fluence) + 300                                     # scatter; 16 units are one detector code
    fluence += root(fluence) * noise() // 170
    signal = np.clip(fluence // 16, 1, UNATTENUATED)
    logarithm = np.array([0] + [int(65535 * 1000 * (Decimal(UNATTENUATED) / k).ln() / FULL_SCALE)
                                for k in range(1, UNATTENUATED + 1)], dtype=np.int64)
    return np.clip(logarithm[signal] + 400, 0, 65535).astype(np.uint16)


def png_rows(samples):
    """Rows with filter 4 (Paeth), as they go into the compressed stream."""
    raw = np.frombuffer(samples.astype(">u2").tobytes(), np.uint8).reshape(HEIGHT, -1).astype(np.int64)
    left = np.pad(raw, ((0, 0), (2, 0)))[:, :-2]
    above = np.pad(raw, ((1, 0), (0, 0)))[:-1]
    corner = np.pad(raw, ((1, 0), (2, 0)))[:-1, :-2]
    to_left, to_above, to_corner = abs(above - corner), abs(left - corner), abs(left + above - 2 * corner)
    paeth = np.where((to_left <= to_above) & (to_left <= to_corner), left, np.where(to_above <= to_corner, above, corner))
    return b"".join(b"\x04" + row.tobytes() for row in ((raw - paeth) % 256).astype(np.uint8))


def png(samples):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 16, 0, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(png_rows(samples), 9))
            + chunk(b"IEND", b""))


def pgm(samples):
    """The same picture as a 12-bit detector would store it: maxval 4095."""
    codes = (samples.astype(np.int64) * 4095 + 32767) // 65535
    return b"P5\n%d %d\n4095\n" % (WIDTH, HEIGHT) + codes.astype(">u2").tobytes()


def tif(samples):
    """Little-endian, one strip, uncompressed."""
    data = samples.astype("<u2").tobytes()
    tags = [(256, 4, WIDTH), (257, 4, HEIGHT), (258, 3, 16), (259, 3, 1), (262, 3, 1), (273, 4, 8), (277, 3, 1),
            (278, 4, HEIGHT), (279, 4, len(data)), (339, 3, 1)]
    directory = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in tags)
    return struct.pack("<2sHI", b"II", 42, 8 + len(data)) + data + directory + struct.pack("<I", 0)


def png_content(data):
    """Everything but the compressed form, which may differ between versions of zlib."""
    length = struct.unpack(">I", data[33:37])[0]
    return data[:33] + data[37:41] + zlib.decompress(data[41:41 + length]) + data[45 + length:]


def main(arguments):
    folder = Path(__file__).resolve().parent
    samples = radiograph()
    files = {"xray.png": png(samples), "xray.pgm": pgm(samples), "xray.tif": tif(samples)}
    if arguments == ["--check"]:
        for name, wanted in files.items():
            content = png_content if name.endswith(".png") else bytes
            if content((folder / name).read_bytes()) != content(wanted):
                sys.exit(f"{folder / name}: differs from what {Path(__file__).name} draws; run it again")
        print("xray.png, xray.pgm and xray.tif are as drawn")
        return
    if len(arguments) > 1 or (arguments and arguments[0].startswith("-")):
        sys.exit(__doc__)
    target = Path(arguments[0]) if arguments else folder
    for name, data in files.items():
        (target / name).write_bytes(data)


if __name__ == "__main__":
    main(sys.argv[1:])
