"""Round trips across the formats; what a format holds is kept exactly."""

import itertools
import unittest

import numpy as np

from png_file import png_bytes, read_png
from pnm_file import pam_bytes, pfm_bytes, pnm_bytes, read_pnm
from support import ProgramTest, write_npy
from tiff_file import read_tiff, tiff_bytes

RANDOM = np.random.default_rng(11)


def samples(dtype, shape):
    limits = np.iinfo(dtype)
    return RANDOM.integers(limits.min, limits.max + 1, shape).astype(dtype)


class RoundTrips(ProgramTest):
    def convert(self, source, out, *arguments):
        self.succeed("resize", source, "-o", out, "--overwrite", "--scale", "1", *arguments)

    def there_and_back(self, array, formats):
        """npy -> a -> b -> npy for all pairs of `formats` gives the array again."""
        np.save(self.path("in.npy"), array)
        for name in formats:
            self.convert("in.npy", f"a.{name}")
        for a, b in itertools.product(formats, formats):
            self.convert(f"a.{a}", f"b.{b}")
            self.convert(f"b.{b}", "back.npy")
            back = np.load(self.path("back.npy"))
            self.assertEqual(back.dtype, array.dtype, (a, b))
            np.testing.assert_array_equal(back, array, f"{a} {b}")

    def test_8_bit_gray(self):
        self.there_and_back(samples(np.uint8, (5, 7)), ("png", "tif", "pgm", "npy", "bmp"))

    def test_16_bit_gray(self):
        self.there_and_back(samples(np.uint16, (5, 7)), ("png", "tif", "pgm", "pam", "npy"))

    def test_jpeg_2000_is_lossless(self):
        for dtype, shape in ((np.uint8, (33, 40)), (np.uint16, (33, 40)), (np.uint8, (33, 40, 3))):
            self.there_and_back(samples(dtype, shape), ("jp2", "npy"))

    def test_8_bit_colour(self):
        self.there_and_back(samples(np.uint8, (5, 7, 3)), ("png", "tif", "ppm", "npy", "bmp"))

    def test_16_bit_colour(self):
        self.there_and_back(samples(np.uint16, (5, 7, 3)), ("png", "tif", "ppm", "npy"))

    def test_floats(self):
        values = RANDOM.normal(size=(5, 7)).astype(np.float32)
        values[0, :4] = (np.inf, -np.inf, -0.0, 1e-42)
        self.there_and_back(values, ("tif", "pfm", "npy", "exr"))
        self.there_and_back(RANDOM.normal(size=(5, 7, 3)).astype(np.float32), ("tif", "pfm", "npy", "exr"))
        self.there_and_back(RANDOM.normal(size=(5, 7, 3)).astype(np.float16), ("tif", "npy", "exr"))

    def test_gray_and_alpha_at_16_bit_stays_two_channels(self):
        array = samples(np.uint16, (5, 7, 2))
        self.path("in.png").write_bytes(png_bytes(array))
        for name in ("a.tif", "a.pam", "a.png"):
            self.convert("in.png", name)
            self.convert(name, "back.png")
            np.testing.assert_array_equal(read_png(self.path("back.png")), array, name)
        self.convert("in.png", "a.npy")
        np.testing.assert_array_equal(np.load(self.path("a.npy")), array)

    def test_colour_and_alpha(self):
        for dtype in (np.uint8, np.uint16):
            array = samples(dtype, (5, 7, 4))
            self.path("in.png").write_bytes(png_bytes(array))
            for name in ("a.tif", "a.pam", "a.png"):
                self.convert("in.png", name)
                self.convert(name, "back.png")
                np.testing.assert_array_equal(read_png(self.path("back.png")), array, name)

    def test_webp_and_jpeg_are_close(self):
        smooth = np.add.outer(np.arange(32), np.arange(40)).astype(np.uint8)
        array = np.stack([smooth, smooth + 40, smooth + 80], -1).astype(np.uint8)
        self.path("in.png").write_bytes(png_bytes(array))
        for name in ("a.jpg", "a.webp"):
            self.convert("in.png", name, "--quality", "98")
            self.convert(name, "back.png")
            self.assertLess(float(np.abs(read_png(self.path("back.png")).astype(int) - array).mean()), 4, name)
        self.path("gray.png").write_bytes(png_bytes(smooth))
        self.convert("gray.png", "gray.jpg")
        self.convert("gray.jpg", "back.png")
        self.assertEqual(read_png(self.path("back.png")).shape, smooth.shape)

    def test_jpegs_shrink_as_they_are_decoded_only_on_request(self):
        smooth = np.add.outer(np.arange(37), 2 * np.arange(50)).astype(np.uint8)
        for name, array in (("gray.png", smooth), ("rgb.png", np.stack([smooth, smooth + 40, smooth + 80], -1).astype(np.uint8))):
            self.path(name).write_bytes(png_bytes(array))
            self.convert(name, "whole.jpg", "--quality", "98")
            for shrink in (1, 2, 4, 8):
                self.convert("whole.jpg", "back.png", "--jpeg-shrink", shrink)
                back = read_png(self.path("back.png")).astype(int)
                self.assertEqual(back.shape[:2], (-(-37 // shrink), -(-50 // shrink)), name)
                wanted = array[:32, :48].reshape(32 // shrink, shrink, 48 // shrink, shrink, -1).mean((1, 3)).reshape(32 // shrink, 48 // shrink, *array.shape[2:])
                self.assertLess(float(np.abs(back[:32 // shrink, :48 // shrink] - wanted).max()), 8, (name, shrink))
        self.fail_with(2, "resize", "whole.jpg", "-o", "a.png", "--scale", "1", "--jpeg-shrink", "3", naming="--jpeg-shrink")

    def test_the_resolution_of_a_shrunk_jpeg_follows(self):
        self.path("in.png").write_bytes(png_bytes(np.zeros((32, 32), np.uint8)))
        self.convert("in.png", "in.jpg")
        data = self.path("in.jpg").read_bytes()
        self.path("dpi.jpg").write_bytes(data[:13] + b"\1\x01\x2c\x01\x2c" + data[18:])  # JFIF's density: 300 dots an inch
        self.convert("dpi.jpg", "half.jpg", "--jpeg-shrink", "2")
        self.assertEqual(self.path("half.jpg").read_bytes()[13:18], b"\1\0\x96\0\x96")


class Reading(ProgramTest):
    """Files of other makers: what this reader sees is what was stored."""

    def read(self, name, data, *arguments):
        self.path(name).write_bytes(data)
        self.succeed("resize", name, "-o", "out.npy", "--overwrite", "--scale", "1", *arguments)
        return np.load(self.path("out.npy"))

    def test_floats_of_both_byte_orders(self):
        array = RANDOM.normal(size=(3, 5)).astype(np.float32)
        for big in (False, True):
            np.testing.assert_array_equal(self.read("in.pfm", pfm_bytes(array, big)), array)

    def test_pam_tuple_types(self):
        array = samples(np.uint8, (3, 5, 4))
        np.testing.assert_array_equal(self.read("in.pam", pam_bytes(array, "RGB_ALPHA")), array)
        np.testing.assert_array_equal(self.read("in.pam", pam_bytes(array[..., :1], "GRAYSCALE")), array[..., 0])

    def test_tiff_of_both_byte_orders(self):
        for dtype, order, deflate in itertools.product((np.uint8, np.uint16, np.int16), "<>", (False, True)):
            array = samples(dtype, (6, 5))
            np.testing.assert_array_equal(self.read("in.tif", tiff_bytes(array, order, deflate=deflate, rows_per_strip=4)),
                                          array)

    def test_arrays_of_both_byte_orders_and_memory_orders(self):
        for dtype in ("|u1", "<u2", ">u2", "<i2", ">i2", "<f2", ">f2", "<f4", ">f4"):
            array = RANDOM.integers(0, 100, (3, 5, 2)).astype(dtype)
            for stored in (array, np.asfortranarray(array)):
                np.save(self.path("in.npy"), stored)
                self.succeed("resize", "in.npy", "-o", "out.npy", "--overwrite", "--scale", "1")
                data = self.path("out.npy").read_bytes()
                out = np.load(self.path("out.npy"))
                np.testing.assert_array_equal(out, array)
                self.assertFalse(b">" in data[:64] or b"'fortran_order': True" in data[:128])

    def test_layouts_of_arrays(self):
        array = samples(np.uint8, (2, 3, 6, 4))
        out = self.process("resize", array, "--layout", "nchw", "--size", "2x3", "--filter", "box")
        self.assertEqual(out.shape, (2, 3, 3, 2))
        for n, c in itertools.product(range(2), range(3)):
            np.testing.assert_array_equal(out[n, c], self.process("resize", array[n, c], "--size", "2x3", "--filter", "box"))
        out = self.process("resize", array[0], "--layout", "chw", "--size", "2x3", "--filter", "box")
        self.assertEqual(out.shape, (3, 3, 2))
        self.assertEqual(self.process("resize", array[0, :, :, :1], "--size", "3x1").shape, (1, 3, 1))

    def test_written_files_are_what_other_readers_expect(self):
        array = samples(np.uint16, (6, 5))
        np.save(self.path("in.npy"), array)
        for level in ("0", "1", "9"):
            self.succeed("resize", "in.npy", "-o", "out.png", "--overwrite", "--scale", "1", "--level", level)
            np.testing.assert_array_equal(read_png(self.path("out.png")), array)
        for compression in ("none", "deflate"):
            self.succeed("resize", "in.npy", "-o", "out.tif", "--overwrite", "--scale", "1", "--compression", compression)
            np.testing.assert_array_equal(read_tiff(self.path("out.tif"))[0], array)
        for compression in ("lzw", "packbits"):
            self.succeed("resize", "in.npy", "-o", "out.tif", "--overwrite", "--scale", "1", "--compression", compression)
            np.testing.assert_array_equal(self.read("again.tif", self.path("out.tif").read_bytes()), array)
        self.succeed("resize", "in.npy", "-o", "out.pgm", "--scale", "1")
        np.testing.assert_array_equal(read_pnm(self.path("out.pgm"))[0], array)

    def test_jpeg_2000_smaller_than_its_resolutions_is_refused(self):
        write_npy(self.path("in.npy"), np.zeros((31, 40), np.uint8))
        self.fail_with(1, "resize", "in.npy", "-o", "out.jp2", "--scale", "1", naming=["out.jp2", "40x31", "32"])
        self.assertFalse(self.path("out.jp2").exists())

    def test_a_12_bit_pgm_keeps_its_maxval(self):
        array = RANDOM.integers(0, 4096, (9, 9)).astype(np.uint16)
        array[2:8, 2:8] = 4095
        self.path("in.pgm").write_bytes(pnm_bytes(array, 4095))
        for name in ("lanczos3", "gaussian", "nearest"):
            self.succeed("resize", "in.pgm", "-o", "out.pgm", "--overwrite", "--size", "27x27", "--filter", name)
            out, maxval = read_pnm(self.path("out.pgm"))
            self.assertEqual((maxval, int(out.max())), (4095, 4095), name)
        result = self.succeed("resize", "in.pgm", "-o", "out.png", "--scale", "1")
        np.testing.assert_array_equal(read_png(self.path("out.png")), np.rint(array * 65535.0 / 4095))
        self.assertIn("4095", result.err)

    def test_depth_maps_full_scale_to_full_scale(self):
        row = np.array([[0, 1, 128, 255]], np.uint8)
        self.path("in.png").write_bytes(png_bytes(row))
        for depth, top, dtype in (("16", 65535, np.uint16), ("f32", 1, np.float32), ("f16", 1, np.float16)):
            self.succeed("resize", "in.png", "-o", "out.npy", "--overwrite", "--scale", "1", "--depth", depth)
            out = np.load(self.path("out.npy"))
            self.assertEqual(out.dtype, dtype)
            np.testing.assert_array_equal(out, (row.astype(np.float32) * np.float32(top) / np.float32(255)).astype(dtype))


if __name__ == "__main__":
    unittest.main()
