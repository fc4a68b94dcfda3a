"""Cases AA: anti-aliasing and constant images."""

import unittest

import numpy as np

from support import ProgramTest

FILTERS = ("gaussian", "box", "triangle", "catmullrom", "mitchell", "lanczos3", "kaiser", "nearest")


class Constants(ProgramTest):
    def stays(self, shape, size, value, dtype, tolerance, *arguments):
        out = self.process("resize", np.full(shape, value, dtype), "--size", size, *arguments)
        largest = float(np.abs(out.astype(float) - value).max())
        self.assertLessEqual(largest, tolerance * value, (shape, size, value, arguments))

    def test_aa_01_a_constant_stays_at_every_size(self):
        kinds = ((255, np.uint8), (65535, np.uint16), (40000, np.uint16), (1.0, np.float32))
        for i in range(500, 523):
            value, dtype = kinds[i % 4]
            self.stays((i, i), "512x512", value, dtype, 4 * 2.0 ** -23 if dtype == np.float32 else 0)
        for value, dtype in kinds:
            self.stays((1077, 546), "520x1024", value, dtype, 4 * 2.0 ** -23 if dtype == np.float32 else 0,
                       "--filter", "lanczos3")

    def test_aa_01_a_constant_stays_with_every_filter_and_border(self):
        for name in FILTERS:
            for border in ("edge", "reflect", "mirror", "wrap"):
                options = ("--filter", name, "--border", border)
                self.stays((9, 500), "13x9", 65535, np.uint16, 0, *options)
                self.stays((9, 13), "500x9", 40000, np.uint16, 0, *options)

    def test_aa_01_full_scale_stays_at_huge_reductions(self):
        for name in FILTERS:
            self.stays((1, 60000), "30x1", 65535, np.uint16, 0, "--filter", name)
            self.stays((60000, 1), "1x1", 65535, np.uint16, 0, "--filter", name)

    def test_aa_03_no_dark_band_at_one_size(self):
        out = self.process("resize", np.tile(np.array([255, 192, 203], np.uint8), (60, 341, 1)), "--size", "170x60",
                           "--filter", "lanczos3")
        np.testing.assert_array_equal(out, np.tile(np.array([255, 192, 203], np.uint8), (60, 170, 1)))

    def test_aa_05_bilinear_is_exact(self):
        array = np.zeros((7, 7), np.uint8)
        array[5, 5], array[5, 6], array[6, 5], array[6, 6] = 128, 130, 129, 127
        for turned in (array, array.T.copy()):
            out = self.process("filter", turned, "--taps", "1,2,3,2,1", "--up", "3", "--down", "7", "--border", "edge")
            self.assertEqual(out.shape, (3, 3))
            self.assertEqual(out[2, 2], 129)

    def test_aa_06_reduction_does_not_alias(self):
        row = np.tile([0, 255], 32)
        self.assert_row(self.filter_row(row, [1, 1, 1, 1], down=4), [128] * 16)
        for name in ("box", "triangle", "gaussian", "lanczos3"):
            out = self.resize_row(row, 16, "--filter", name, "--border", "wrap")
            self.assertTrue(set(out.tolist()) <= {127, 128}, name)

    def test_aa_08_nearest_makes_no_new_labels(self):
        labels = np.random.default_rng(8).choice([0, 7, 300], (8, 8)).astype(np.uint16)
        out = self.process("resize", labels, "--size", "5x5", "--filter", "nearest")
        source = [(2 * n + 1) * 8 // 10 for n in range(5)]
        np.testing.assert_array_equal(out, labels[np.ix_(source, source)])

    def test_aa_09_float_one_stays_one(self):
        for name in FILTERS:
            self.stays((208, 208), "128x128", 1.0, np.float32, 4 * 2.0 ** -23, "--filter", name)

    def test_aa_10_a_huge_reduction_by_equal_taps(self):
        taps = ",".join(["1"] * 188)
        out = self.process("filter", np.ones((941, 941), np.float32), "--down", "94", "--taps", taps, "--border", "edge")
        self.assertEqual(out.shape, (10, 10))
        self.assertLessEqual(float(np.abs(out - 1).max()), 2e-6)


if __name__ == "__main__":
    unittest.main()
