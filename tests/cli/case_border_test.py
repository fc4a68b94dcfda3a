"""Cases EDGE: what lies beyond the edge."""

import unittest

import numpy as np

import oracle
import support
from support import BORDERS, ProgramTest

RESTORING = ("edge", "reflect", "mirror", "wrap")


class Borders(ProgramTest):
    def test_edge_01_zero_darkens_the_rim_and_the_others_do_not(self):
        self.assert_row(self.filter_row([200] * 4, [1, 3, 3, 1], up=2, pad=(2, 1)), [150] + [200] * 6 + [150])
        self.assert_row(self.filter_row([200] * 8, [1, 3, 3, 1], down=2, pad=(1, 1)), [175, 200, 200, 175])
        for border in RESTORING:
            self.assert_row(self.filter_row([200] * 4, [1, 3, 3, 1], up=2, pad=(2, 1), border=border), [200] * 8)
            self.assert_row(self.filter_row([200] * 8, [1, 3, 3, 1], down=2, pad=(1, 1), border=border), [200] * 4)

    def test_edge_03_padding_longer_than_the_image(self):
        for border, expected in (("reflect", [50, 60]), ("mirror", [60, 50]), ("edge", [50, 60]), ("zero", [10, 10])):
            self.assert_row(self.filter_row([0, 110], [1] * 11, pad=(5, 5), border=border), expected)
        for border in BORDERS[:5]:
            wanted = 20 if border == "zero" else 100
            self.assert_row(self.filter_row([100], [1] * 5, pad=(2, 2), border=border), [wanted])

    def test_edge_05_every_border_and_length_follows_the_definition(self):
        array = np.random.default_rng(5).integers(0, 65536, (17, 33)).astype(np.uint16)
        for number, border in enumerate(BORDERS):
            for length in (1, 2, 3 + number % 3, 9):
                taps = list(range(1, length + 1))
                axes = [oracle.operator_axis(n, oracle.normalised(taps, 1), 1, 1, 4, 4) for n in (33, 17)]
                exact = oracle.apply_2d(array, *axes, border, True)
                options = ("--taps", ",".join(map(str, taps)), "--pad", "4", "--border", border)
                out = self.process("filter", array, *options)
                error = oracle.bound(*axes, largest=65535)
                off = np.abs(out - np.clip(np.rint(exact), 0, 65535))
                tie = np.abs(exact - np.floor(exact) - 0.5) <= error
                self.assertTrue(np.all((off == 0) | ((off == 1) & tie)), (border, length))
                if support.DEVICE != "cpu":
                    np.testing.assert_array_equal(self.process("filter", array, *options, "--device", "cpu"), out)

    def test_edge_07_pixels_outside_are_clamped_once(self):
        array = np.full((9, 9), 65535, np.uint16)
        array[1:8, 1:8] = 0
        out = self.process("filter", array, "--taps", "1,1,1", "--down", "3", "--pad", "0")
        np.testing.assert_array_equal(out, [[36408, 21845, 36408], [21845, 0, 21845], [36408, 21845, 36408]])

    def test_edge_08_the_last_sample_of_a_reduction(self):
        for length, count in ((50, 25), (49, 24)):
            out = self.filter_row(np.arange(length), [1, 1], down=2, dtype=np.float32)
            self.assert_row(out, np.arange(count) * 2 + 0.5)


if __name__ == "__main__":
    unittest.main()
