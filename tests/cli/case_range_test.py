"""Cases RNG, NAN and BIT: overflow, NaN and infinity, bit depth."""

import unittest

import numpy as np

from exr_file import exr_bytes, read_exr
from png_file import png_bytes, read_png
from support import ProgramTest
from tiff_file import read_tiff

HALF_BAND = "-1,0,9,16,9,0,-1"
SIXTEEN_BITS = np.array([[100, 300, 65535, 65535], [500, 700, 65535, 65533], [0, 1, 4095, 4096], [2, 4, 4097, 4099]],
                        np.uint16)


class Range(ProgramTest):
    def test_rng_01_overshoot_clamps_and_never_wraps(self):
        out = self.filter_row([0, 0, 0, 65535, 65535, 65535], HALF_BAND, up=2, pad=(3, 3), border="edge",
                              dtype=np.uint16)
        self.assert_row(out[:9], [0, 0, 0, 0, 0, 32768, 65535, 65535, 65535])
        exact = self.filter_row([0, 0, 0, 65535, 65535, 65535], HALF_BAND, up=2, pad=(3, 3), border="edge",
                                dtype=np.float32)
        np.testing.assert_allclose(exact[:9], [0, 0, 0, -4095.9375, 0, 32767.5, 65535, 69630.9375, 65535], rtol=1e-6)

    def test_rng_03_overshoot_of_an_antialiased_reduction_clamps(self):
        row = [0] * 25 + [65535] * 25
        # 291 and 65244 are the border rule's: dropping the weights beyond the edge and normalising the rest, which no
        # border does here, would give 292 and 65243.
        out = self.resize_row(row, 10, "--filter", "lanczos3", dtype=np.uint16)
        self.assert_row(out, [0, 0, 291, 0, 4326, 61209, 65535, 65244, 65535, 65535])
        exact = self.resize_row(row, 10, "--filter", "lanczos3", dtype=np.float32)
        np.testing.assert_allclose(exact[:8], [0, 0, 290.94, -1126.4, 4326.12, 61208.88, 66661.4, 65244.06], atol=0.06)

    def test_rng_04_nothing_is_clipped_between_the_passes(self):
        cross = np.array([[0, 255, 0], [255, 255, 255], [0, 255, 0]], np.uint8)
        out = self.process("filter", cross, "--taps=-1,6,-1", "--pad", "1", "--border", "edge")
        self.assertEqual(out[1, 1], 191)
        self.assertTrue(set(np.delete(out.reshape(-1), 4).tolist()) <= {0, 255})

    def test_rng_06_an_odd_row_pitch_at_16_bit(self):
        for name in ("triangle", "gaussian"):
            out = self.process("resize", np.full((5, 17), 60000, np.uint16), "--up", "2", "--filter", name)
            np.testing.assert_array_equal(out, np.full((10, 34), 60000, np.uint16))

    def test_rng_07_channels_keep_their_order(self):
        colour = np.array([10000, 20000, 30000], np.uint16)
        out = self.process("resize", np.tile(colour, (4, 8, 1)), "--size", "16x8")
        np.testing.assert_array_equal(out, np.tile(colour, (8, 16, 1)))

    def test_rng_09_floats_keep_true_negatives_and_integers_clamp(self):
        row = np.array([0.1, 0.1, 0.1, 100, 0.1, 0.1], np.float32)
        out = self.filter_row(row, HALF_BAND, up=2, pad=(3, 3), border="edge", dtype=np.float32)
        negative = (-100 + 9 * 0.1 + 9 * 0.1 - 0.1) / 16
        middle = (-0.1 + 9 * 0.1 + 9 * 100 - 0.1) / 16
        np.testing.assert_allclose([out[3], out[5], out[7]], [negative, middle, middle], rtol=1e-5)
        eight = self.process("filter", row[None], f"--taps-x={HALF_BAND}", "--up", "2,1", "--pad", "3,3,0,0", "--depth", "8")
        self.assertEqual((eight[0, 3], eight[0, 5]), (0, 255))
        self.path("row.exr").write_bytes(exr_bytes(row[None]))
        operator = (f"--taps-x={HALF_BAND}", "--up", "2,1", "--pad", "3,3,0,0", "--border", "edge")
        self.succeed("filter", "row.exr", "-o", "out.exr", *operator)
        np.testing.assert_array_equal(read_exr(self.path("out.exr"))[0]["Y"][0], out)
        self.succeed("filter", "row.exr", "-o", "out.png", "--depth", "16", *operator)
        self.assertEqual(read_png(self.path("out.png"))[0, [3, 5]].tolist(), [0, 65535])

    def test_rng_10_linear_taps_stay_between_the_samples(self):
        out = self.resize_row([-1.25, 0.5, 1.5], 24, "--filter", "triangle", dtype=np.float32)
        self.assertGreaterEqual(float(out.min()), -1.25)
        self.assertLessEqual(float(out.max()), 1.5)

    def test_rng_11_taps_are_never_cast_to_integers(self):
        out = self.filter_row([0, 30, 60, 90, 60, 30, 0], "0.5,1,0.5", up=2, pad=(1, 1), border="edge",
                              extra=["--no-normalize"])
        self.assert_row(out, [0, 15, 30, 45, 60, 75, 90, 75, 60, 45, 30, 15, 0, 0])


class NotANumber(ProgramTest):
    def test_nan_01_one_bad_pixel_spoils_its_window_only(self):
        row = np.ones(16, np.float32)
        row[5] = np.nan
        out = self.filter_row(row, [1, 1, 1], pad=(1, 1), border="edge", dtype=np.float32)
        self.assertEqual(np.flatnonzero(np.isnan(out)).tolist(), [4, 5, 6])
        self.path("row.exr").write_bytes(exr_bytes(row[None]))
        self.succeed("filter", "row.exr", "-o", "out.exr", "--taps-x", "1,1,1", "--pad", "1,1,0,0", "--border", "edge")
        np.testing.assert_array_equal(read_exr(self.path("out.exr"))[0]["Y"][0], out)
        np.testing.assert_allclose(np.delete(out, [4, 5, 6]), 1, rtol=2.0 ** -22)

    def test_nan_03_becomes_zero_with_one_warning(self):
        row = np.array([[np.nan, np.inf, -np.inf]], np.float32)
        for depth, expected in (("8", [0, 255, 0]), ("16", [0, 65535, 0])):
            np.save(self.path("in.npy"), row)
            result = self.succeed("resize", "in.npy", "-o", f"{depth}.png", "--scale", "1", "--depth", depth)
            self.assertEqual(read_png(self.path(f"{depth}.png"))[0].tolist(), expected)
            warned = [line for line in result.err.splitlines() if "NaN" in line]
            self.assertEqual(len(warned), 1, str(result))
            self.assertRegex(warned[0], r"\b1\b")


class BitDepth(ProgramTest):
    def setUp(self):
        super().setUp()
        self.path("in.png").write_bytes(png_bytes(SIXTEEN_BITS))

    def test_bit_01_sixteen_bits_stay_sixteen(self):
        self.succeed("filter", "in.png", "-o", "out.png", "--taps", "1,1", "--down", "2")
        out = read_png(self.path("out.png"))
        self.assertEqual(out.dtype, np.uint16)
        self.assertEqual(out.tolist(), [[400, 65534], [2, 4097]])

    def test_bit_02_sixteen_bits_are_filtered_by_resize_too(self):
        self.succeed("resize", "in.png", "-o", "out.png", "--size", "2x2", "--filter", "box")
        self.assertEqual(read_png(self.path("out.png")).tolist(), [[400, 65534], [2, 4097]])

    def test_bit_04_sixteen_bits_to_jpeg_only_when_asked(self):
        ramp = np.tile(np.arange(256, dtype=np.uint16) * 257, (16, 1))
        self.path("ramp.png").write_bytes(png_bytes(ramp))
        self.fail_with(1, "resize", "ramp.png", "-o", "ramp.jpg", "--scale", "1", naming=["ramp", "16", "PNG", "TIFF"])
        self.assertFalse(self.path("ramp.jpg").exists())
        self.succeed("resize", "ramp.png", "-o", "ramp.jpg", "--scale", "1", "--depth", "8", "--quality", "100")
        self.succeed("resize", "ramp.jpg", "-o", "back.png", "--scale", "1")
        back = read_png(self.path("back.png"))
        self.assertLessEqual(int(np.abs(back.astype(int) - np.arange(256)).max()), 2)

    def test_bit_05_full_scale_maps_to_one(self):
        self.path("white.png").write_bytes(png_bytes(np.full((2, 3), 65535, np.uint16)))
        for depth, dtype in (("f16", np.float16), ("f32", np.float32)):
            self.succeed("resize", "white.png", "-o", f"{depth}.exr", "--scale", "1", "--depth", depth)
            array = read_exr(self.path(f"{depth}.exr"))[0]["Y"]
            self.assertEqual(array.dtype, dtype)
            np.testing.assert_array_equal(array, np.ones((2, 3), dtype))
        self.succeed("resize", "white.png", "-o", "white.tif", "--scale", "1", "--depth", "f32")
        array, _ = read_tiff(self.path("white.tif"))
        self.assertEqual(array.dtype.itemsize, 4)
        np.testing.assert_array_equal(array, np.ones((2, 3), np.float32))

    def test_bit_07_ties_go_to_even(self):
        self.assert_row(self.filter_row([126, 127, 127, 128, 0, 1], [1, 1], down=2), [126, 128, 0])
        self.assert_row(self.filter_row([126, 127, 127, 128, 0, 1], [1, 1], down=2, dtype=np.uint16), [126, 128, 0])

    def test_bit_08_a_tiny_change_of_the_taps_changes_by_one_at_most(self):
        array = np.random.default_rng(8).integers(0, 65536, (32, 32)).astype(np.uint16)
        made = [self.process("filter", array, "--up", "2", "--border", "edge", "--no-normalize",
                             "--taps", ",".join(repr(t * factor) for t in (0.25, 0.75, 0.75, 0.25))).astype(int)
                for factor in (1, 1 + 1e-12, 1 - 1e-12)]
        for other in made[1:]:
            self.assertLessEqual(int(np.abs(other - made[0]).max()), 1)


if __name__ == "__main__":
    unittest.main()
