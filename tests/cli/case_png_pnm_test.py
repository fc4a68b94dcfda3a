"""Cases PNM and PNG."""

import time
import unittest

import numpy as np

from png_file import png_bytes, png_chunks, read_png
from pnm_file import pnm_bytes, read_pnm
from support import ProgramTest


class Pnm(ProgramTest):
    def convert(self, data, out, *arguments):
        self.path("in.pgm").write_bytes(data)
        self.succeed("resize", "in.pgm", "-o", out, "--overwrite", "--scale", "1", *arguments)
        return self.path(out)

    def test_pnm_01_maxval_is_scaled_only_where_it_must_be(self):
        self.assertEqual(read_png(self.convert(b"P5 3 1 4\n\0\2\4", "a.png")).tolist(), [[0, 128, 255]])
        wide = read_png(self.convert(b"P5 3 1 257\n\0\0\0\x80\1\1", "b.png"))
        self.assertEqual((wide.dtype, wide.tolist()), (np.uint16, [[0, 32640, 65535]]))
        array, maxval = read_pnm(self.convert(b"P5 2 1 4095\n\x08\0\x0f\xff", "c.pgm"))
        self.assertEqual((array.tolist(), maxval), ([[2048, 4095]], 4095))

    def test_pnm_01_overshoot_clamps_at_maxval(self):
        row = np.array([[0, 0, 0, 4095, 4095, 4095]], np.uint16)
        self.path("in.pgm").write_bytes(pnm_bytes(row, 4095))
        self.succeed("filter", "in.pgm", "-o", "out.pgm", "--taps-x=-1,0,9,16,9,0,-1", "--up", "2,1", "--pad", "3,3,0,0",
                     "--border", "edge")
        array, maxval = read_pnm(self.path("out.pgm"))
        self.assertEqual((int(array.max()), int(array.min()), maxval), (4095, 0, 4095))

    def test_pnm_03_big_endian_16_bit(self):
        data = b"P5 2 1 65535\n\1\0\xff\xfe"
        self.assertEqual(read_png(self.convert(data, "out.png")).tolist(), [[256, 65534]])
        self.assertEqual(read_pnm(self.convert(data, "out.pgm"))[0].tolist(), [[256, 65534]])

    def test_pnm_04_a_first_pixel_equal_to_white_space(self):
        self.assertEqual(read_png(self.convert(b"P5\n2 1\n255\n\x0a\x20", "a.png")).tolist(), [[10, 32]])
        self.assertEqual(read_png(self.convert(b"P5\n2 1\n255\n\x0d\x09", "b.png")).tolist(), [[13, 9]])

    def test_pnm_06_ascii_without_a_final_newline(self):
        self.assertEqual(read_png(self.convert(b"P2 2 1 255 7 9", "a.png")).tolist(), [[7, 9]])
        self.assertEqual(read_png(self.convert(b"P2\n# comment\n2 1 # more\n255\n7\n9\n", "b.png")).tolist(), [[7, 9]])
        colour = read_png(self.convert(b"P3 1 1 255 1 2 3", "c.png"))
        self.assertEqual(colour.tolist(), [[[1, 2, 3]]])
        self.assertEqual(read_png(self.convert(b"P1 3 1\n101", "d.png")).tolist(), [[0, 255, 0]])
        self.assertEqual(read_png(self.convert(b"P4 3 1\n\xa0", "e.png")).tolist(), [[0, 255, 0]])

    def test_pnm_07_impossible_headers_end_at_once(self):
        self.assertEqual(read_pnm(self.convert(b"P5 1 1 65535\n\1\2", "a.pgm"))[0].tolist(), [[258]])
        for data in (b"P5 1 1 0\n\0", b"P5 1 1 65536\n\0\0\0", b"P2 2 1 255 7 & 9", b"P5 1 1\n", b"P5 -1 1 255\n\0",
                     b"P5 0 1 255\n", b"P5", b"P2 2 1 255 7", b"P2 1 1 255 256", b"P5 99999999999999999999 1 255\n\0",
                     b"P7\nWIDTH 1\nENDHDR\n\0"):
            self.path("bad.pgm").write_bytes(data)
            begin = time.monotonic()
            self.fail_with(1, "resize", "bad.pgm", "-o", "out.pgm", "--scale", "1", naming="bad.pgm")
            self.assertLess(time.monotonic() - begin, 5)
            self.assertFalse(self.path("out.pgm").exists())


class Png(ProgramTest):
    def test_png_01_interlaced_equals_plain(self):
        random = np.random.default_rng(1)
        for size in ((1, 1), (1, 3), (5, 1), (7, 5), (33, 20)):
            for channels in (1, 2, 3, 4):
                array = random.integers(0, 65536, (*size, channels)).astype(np.uint16)
                made = []
                for interlace in (False, True):
                    self.path("in.png").write_bytes(png_bytes(array, interlace=interlace))
                    self.succeed("resize", "in.png", "-o", "out.png", "--overwrite", "--scale", "1")
                    made.append(self.path("out.png").read_bytes())
                self.assertEqual(made[0], made[1])
                np.testing.assert_array_equal(read_png(made[0]).reshape(array.shape), array)

    def test_png_03_significant_bits_never_rescale(self):
        array = np.full((2, 3), 0x1230, np.uint16)
        self.path("in.png").write_bytes(png_bytes(array, chunks=[(b"sBIT", b"\x0c")]))
        self.succeed("resize", "in.png", "-o", "out.png", "--scale", "1")
        np.testing.assert_array_equal(read_png(self.path("out.png")), array)
        colour = np.tile(np.array([200, 100, 255], np.uint8), (2, 3, 1))
        self.path("in.png").write_bytes(png_bytes(colour, chunks=[(b"sBIT", b"\x08\x08\x01")]))
        self.succeed("resize", "in.png", "-o", "out.png", "--overwrite", "--scale", "1")
        np.testing.assert_array_equal(read_png(self.path("out.png")), colour)
        bits = [body for kind, body in png_chunks(self.path("out.png").read_bytes()) if kind == b"sBIT"]
        self.assertIn(bits, ([], [b"\x08\x08\x01"]))

    def test_png_05_almost_transparent_colour_survives(self):
        array = np.zeros((8, 32, 4), np.uint8)
        array[..., 0] = np.arange(32) * 8
        array[..., 1] = np.arange(8)[:, None] * 30
        array[..., 2], array[..., 3] = 77, 1
        self.path("in.png").write_bytes(png_bytes(array))
        self.succeed("resize", "in.png", "-o", "out.png", "--up", "2", "--filter", "nearest")
        out = read_png(self.path("out.png"))
        np.testing.assert_array_equal(out, array.repeat(2, 0).repeat(2, 1))
        flat = np.tile(np.array([201, 99, 3, 1], np.uint8), (8, 8, 1))
        self.path("flat.png").write_bytes(png_bytes(flat))
        self.succeed("resize", "flat.png", "-o", "flat2.png", "--up", "2")
        self.assertLessEqual(int(np.abs(read_png(self.path("flat2.png")).astype(int) - flat[0, 0]).max()), 1)

    def test_low_depths_expand(self):
        for depth in (1, 2, 4):
            top = 2 ** depth - 1
            array = np.arange(10, dtype=np.uint8).reshape(2, 5) % (top + 1)
            for interlace in (False, True):
                self.path("in.png").write_bytes(png_bytes(array, depth=depth, interlace=interlace))
                self.succeed("resize", "in.png", "-o", "out.png", "--overwrite", "--scale", "1")
                np.testing.assert_array_equal(read_png(self.path("out.png")), array * (255 // top))


if __name__ == "__main__":
    unittest.main()
