"""Cases SIZ and TRU: extremes of size, truncated and damaged files."""

import resource
import struct
import time
import unittest
import zlib

import numpy as np

import support
import tiff_file as tiff
from exr_file import exr_bytes
from png_file import SIGNATURE, chunk, header, png_bytes, read_png
from pnm_file import pfm_bytes, pnm_bytes
from support import BORDERS, ProgramTest
from tiff_file import tiff_bytes


class Sizes(ProgramTest):
    def test_siz_01_more_than_65535_rows_or_columns(self):
        line = np.arange(70000).astype(np.uint16)
        expected = np.rint((line.astype(float) + np.append(line[1:], line[-1])) / 2)
        for array in (line[None], line[:, None]):
            np.testing.assert_array_equal(self.process("resize", array, "--scale", "1"), array)
            options = ("--taps", "1,1", "--border", "edge", "--pad", "0,1,0,1")
            out = self.process("filter", array, *options)
            np.testing.assert_array_equal(out.reshape(-1), expected)
            if support.DEVICE != "cpu":
                np.testing.assert_array_equal(self.process("filter", array, *options, "--device", "cpu"), out)

    def test_siz_02_more_than_2_to_the_31_pixels(self):
        side, rows = 46341, 64
        strips = [zlib.compress(b"M" * side * min(rows, side - y)) for y in (0, side - side % rows)]
        fields = {tiff.WIDTH: [side], tiff.HEIGHT: [side], tiff.BITS: [8], tiff.COMPRESSION: [tiff.DEFLATE],
                  tiff.PHOTOMETRIC: [tiff.BLACK_IS_ZERO], tiff.SAMPLES: [1], tiff.ROWS: [rows], tiff.PLANAR: [1]}
        self.path("big.tif").write_bytes(tiff.assemble("<", fields, strips[:1] * (side // rows) + strips[1:]))
        for name in ("box", "nearest"):
            self.succeed("resize", "big.tif", "-o", f"{name}.npy", "--size", "500x500", "--filter", name, timeout=280)
            np.testing.assert_array_equal(support.read_npy(self.path(f"{name}.npy")), np.full((500, 500), 77, np.uint8))
        self.fail_with(1, "resize", "big.tif", "-o", "no.npy", "--size", "500x500", "--max-pixels", "2147483647",
                       naming=["big.tif", "--max-pixels"])

    def test_siz_04_tiny_and_odd_sizes(self):
        for border in BORDERS[1:5] + ("constant:171",):
            out = self.process("resize", np.full((2, 2), 0xAB, np.uint8), "--size", "1x1", "--border", border)
            self.assertEqual(out.tolist(), [[0xAB]])
            for before, after in ((95, 97), (96, 352), (97, 135), (98, 138), (99, 101), (100, 108)):
                out = self.process("resize", np.full((before, 1), 0xAB, np.uint8), "--size", f"1x{after}", "--border", border)
                np.testing.assert_array_equal(out, np.full((after, 1), 0xAB))
        out = self.process("resize", np.full((232, 232), 0xAB, np.uint8), "--size", "300x300", "--filter", "nearest")
        np.testing.assert_array_equal(out, np.full((300, 300), 0xAB))
        dark = self.process("resize", np.full((2, 2), 0xAB, np.uint8), "--size", "1x1", "--border", "zero")
        self.assertLessEqual(int(dark[0, 0]), 0xAB)

    def test_siz_05_a_tiny_file_that_declares_a_giant_is_refused_at_once(self):
        body = chunk(b"IDAT", zlib.compress(b"\0" * 20)) + chunk(b"IEND", b"")
        self.path("giant.png").write_bytes(header(100000, 100000, 16, 6) + body)
        self.path("giant.pgm").write_bytes(b"P5\n99999 99999\n255\n\1\2\3")
        self.path("short.pgm").write_bytes(b"P5\n60000 60000\n255\n\1\2\3")
        self.path("short.pfm").write_bytes(b"Pf\n60000 60000\n-1\n\1\2\3")
        with open(self.path("short.npy"), "wb") as file:
            np.lib.format.write_array_header_1_0(file, {"descr": "|u1", "fortran_order": False, "shape": (60000, 60000)})
        for name in ("giant.png", "giant.pgm", "short.pgm", "short.pfm", "short.npy"):
            begin = time.monotonic()
            self.fail_with(1, "resize", name, "-o", "out.png", "--size", "9x9", naming=name)
            self.assertLess(time.monotonic() - begin, 5, name)
        if support.MEASURES_MEMORY:
            self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 400 * 1024)
        self.assertFalse(self.path("out.png").exists())

    def test_siz_07_sides_that_a_format_cannot_hold(self):
        self.path("wide.pgm").write_bytes(pnm_bytes(np.zeros((2, 16384), np.uint8)))
        self.fail_with(1, "resize", "wide.pgm", "-o", "out.webp", "--scale", "1", naming=["out.webp", "16383", "16384"])
        self.path("wider.pgm").write_bytes(pnm_bytes(np.zeros((1, 65536), np.uint8)))
        self.fail_with(1, "resize", "wider.pgm", "-o", "out.jpg", "--scale", "1", naming=["out.jpg", "65", "65536"])
        self.assertEqual(self.names(), ["wide.pgm", "wider.pgm"])

    def test_siz_08_zero_sizes_are_errors(self):
        self.path("zero.png").write_bytes(header(0, 5, 8, 0) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b""))
        self.fail_with(1, "resize", "zero.png", "-o", "out.png", "--size", "9x9", naming="zero.png")
        np.save(self.path("zero.npy"), np.zeros((0, 5), np.uint8))
        self.fail_with(1, "resize", "zero.npy", "-o", "out.png", "--size", "9x9", naming="zero.npy")
        for tile in ((0, 0), (0, 16), (16, 0)):
            data = exr_bytes(np.zeros((5, 5), np.float32), tile=(16, 16))
            self.path("zero.exr").write_bytes(data.replace(struct.pack("<IIB", 16, 16, 0), struct.pack("<IIB", *tile, 0)))
            self.fail_with(1, "resize", "zero.exr", "-o", "out.png", "--size", "9x9", naming=["zero.exr", f"{tile[0]}x{tile[1]}"])
        page = tiff_bytes(np.zeros((16, 16), np.uint8), tags={tiff.TILE_WIDTH: [0], tiff.TILE_HEIGHT: [16]})
        self.path("zero.tif").write_bytes(page)
        self.fail_with(1, "resize", "zero.tif", "-o", "out.png", "--size", "9x9", naming="zero.tif")
        for target in ("0x5", "5x0", "x", "0x"):
            self.fail_with(2, "resize", "zero.png", "-o", "out.png", "--size", target, naming="--size")


class Truncated(ProgramTest):
    def files(self):
        random = np.random.default_rng(7)
        gray = random.integers(0, 65536, (40, 50)).astype(np.uint16)
        rgb = random.integers(0, 256, (40, 50, 3)).astype(np.uint8)
        files = {"a.png": png_bytes(gray), "interlaced.png": png_bytes(rgb, interlace=True), "b.tif": tiff_bytes(gray),
                 "c.tif": tiff_bytes(rgb, deflate=True, rows_per_strip=7), "d.pgm": pnm_bytes(gray),
                 "e.ppm": pnm_bytes(rgb), "f.pfm": pfm_bytes(gray / 65535)}
        np.save(self.path("g.npy"), gray)
        files["g.npy"] = self.path("g.npy").read_bytes()
        self.path("rgb.ppm").write_bytes(files["e.ppm"])
        for name in ("h.jpg", "i.bmp", "j.webp", "k.jp2"):
            self.succeed("resize", "rgb.ppm", "-o", name, "--scale", "1")
            files[name] = self.path(name).read_bytes()
        files["l.exr"] = exr_bytes(gray.astype(np.float32))
        files["m.exr"] = exr_bytes(rgb.astype(np.float16), tile=(16, 16))
        for compression in ("rle", "zips", "zip", "piz", "pxr24", "b44", "b44a", "dwaa", "dwab"):
            name = f"{compression}.exr"
            self.succeed("resize", "rgb.ppm", "-o", name, "--scale", "1", "--depth", "f16", "--compression", compression)
            files[name] = self.path(name).read_bytes()
        return files

    def test_tru_01_a_file_cut_short_is_an_error_and_never_a_picture(self):
        for name, data in self.files().items():
            for percent in (25, 50, 90, 99):
                self.path("cut_" + name).write_bytes(data[:len(data) * percent // 100])
                self.fail_with(1, "resize", "cut_" + name, "-o", "out.npy", "--scale", "1", naming="cut_" + name)
                self.assertFalse(self.path("out.npy").exists(), (name, percent))
            self.path("whole_" + name).write_bytes(data)
            self.succeed("resize", "whole_" + name, "-o", "whole.npy", "--overwrite", "--scale", "1")

    def test_tru_01_damage_inside_is_an_error(self):
        good = png_bytes(np.random.default_rng(1).integers(0, 256, (30, 30)).astype(np.uint8))
        at = good.index(b"IDAT") + 200
        self.path("bad.png").write_bytes(good[:at] + bytes([good[at] ^ 0xFF]) + good[at + 1:])
        self.fail_with(1, "resize", "bad.png", "-o", "out.png", "--scale", "1", naming="bad.png")
        self.path("empty.png").write_bytes(b"")
        self.path("text.png").write_bytes(b"this is no picture\n")
        self.path("signature.png").write_bytes(SIGNATURE)
        self.path("endless.png").write_bytes(SIGNATURE + struct.pack(">I4s", 0x7FFFFFFF, b"IHDR"))
        for name in ("empty.png", "text.png", "signature.png", "endless.png"):
            self.fail_with(1, "resize", name, "-o", "out.png", "--scale", "1", naming=name)
        self.assertFalse(self.path("out.png").exists())

    def test_the_good_file_reads_back(self):
        array = np.random.default_rng(2).integers(0, 65536, (9, 9)).astype(np.uint16)
        self.path("in.png").write_bytes(png_bytes(array))
        self.succeed("resize", "in.png", "-o", "out.png", "--scale", "1")
        np.testing.assert_array_equal(read_png(self.path("out.png")), array)


if __name__ == "__main__":
    unittest.main()
