"""Cases GEO: shift, size, aspect."""

import unittest
from fractions import Fraction

import numpy as np

import oracle
from exr_file import exr_bytes, read_exr, window_of
from png_file import png_bytes, read_png
from support import BORDERS, ProgramTest

TURNS = [lambda a: a, np.fliplr, np.flipud, lambda a: a[::-1, ::-1], lambda a: np.swapaxes(a, 0, 1),
         lambda a: np.swapaxes(a, 0, 1)[::-1], lambda a: np.swapaxes(a, 0, 1)[:, ::-1],
         lambda a: np.swapaxes(a, 0, 1)[::-1, ::-1]]


class Geometry(ProgramTest):
    def size_of(self, width, height, *arguments):
        made = self.process("resize", np.zeros((height, width), np.uint8), *arguments)
        return made.shape[1], made.shape[0]

    def test_geo_01_enlarging_by_two_keeps_the_centroid(self):
        row = np.array([0, 0, 0, 1, 0, 0, 0, 0]) * 200
        expected = [0, 0, 0, 0, 0, 50, 150, 150, 50] + [0] * 7
        for border in BORDERS[:5]:
            out = self.filter_row(row, [1, 3, 3, 1], up=2, pad=(2, 1), border=border)
            self.assert_row(out, expected)
        self.assertEqual((float(np.dot(out, np.arange(16))) / out.sum() + 0.5) / 2 - 0.5, 3.0)
        self.assert_row(self.filter_row(row, "0.25,0.75,0.75,0.25", up=2, pad=(2, 1), extra=["--no-normalize"]), expected)
        self.assert_row(self.filter_row(row, [1, 3, 3, 1], up=2, pad=(1, 2)), expected[1:] + [0])

    def test_geo_03_flips_and_turns_commute_with_the_operator(self):
        taps = oracle.normalised([1.1, 3.7, 3.7, 1.1], 2)
        axes = [oracle.operator_axis(n, taps, 2, 1, 2, 1) for n in (9, 7)]
        options = ("--taps", "1.1,3.7,3.7,1.1", "--up", "2", "--pad", "2,1,2,1", "--border", "reflect")
        self.check_turns("filter", options, axes, "reflect", False)

    def test_geo_03_flips_and_turns_commute_with_resizing(self):
        for name in ("lanczos3", "gaussian"):
            axes = [oracle.resize_axis(n, out, Fraction(n, out), name) for n, out in ((9, 21), (7, 16))]
            options = ("--filter", name, "--border", "edge")
            self.check_turns("resize", options, axes, "edge", False, size=(21, 16))

    def check_turns(self, command, options, axes, border, vertical_first, size=None):
        """Integers may differ by 1 only where the exact value is a tie within E."""
        array = np.random.default_rng(3).integers(0, 65536, (7, 9)).astype(np.uint16)
        exact = oracle.apply_2d(array, *axes, border, vertical_first)
        tie = np.abs(exact - np.floor(exact) - 0.5) <= oracle.bound(*axes, largest=65535)
        made = []
        for number, turn in enumerate(TURNS):
            sides = size[::-1] if size and number >= 4 else size
            big = ("--size", f"{sides[0]}x{sides[1]}") if size else ()
            turned = self.process(command, np.ascontiguousarray(turn(array)), *options, *big)
            made.append(turned)
            off = np.abs(turned.astype(int) - turn(made[0]).astype(int))
            self.assertTrue(np.all((off == 0) | ((off == 1) & turn(tie))), (command, number))

    def test_geo_05_a_size_from_a_factor_is_not_one_short(self):
        for width, scale, expected in ((88, "120/88", 120), (32, "0.1234", 4), (32, "0.9999", 32), (32, "1.8", 58)):
            self.assertEqual(self.size_of(width, 1, "--scale", f"{scale},1"), (expected, 1), scale)
            self.assertEqual(self.size_of(1, width, "--scale", f"1,{scale}"), (1, expected), scale)

    def test_geo_06_sizes_round_to_nearest(self):
        self.assertEqual(self.size_of(1024, 683, "--scale", "10000/102298"), (100, 67))

    def test_geo_07_there_and_back_by_exact_arithmetic(self):
        self.assertEqual(self.size_of(11, 25, "--scale", "15/11,29/25"), (15, 29))
        self.assertEqual(self.size_of(224, 224, "--scale", "0.707"), (158, 158))
        self.assertEqual(self.size_of(158, 158, "--scale", "1000/707"), (223, 223))
        self.assertEqual(self.size_of(158, 158, "--size", "224x224"), (224, 224))

    def test_geo_09_the_size_it_already_has_copies_the_pixels(self):
        array = np.random.default_rng(9).integers(0, 65536, (200, 200)).astype(np.uint16)
        self.path("in.png").write_bytes(png_bytes(array))
        self.succeed("resize", "in.png", "-o", "out.png", "--size", "200x200")
        np.testing.assert_array_equal(read_png(self.path("out.png")), array)

    def test_geo_10_nearest_takes_the_pixel_of_integer_arithmetic(self):
        for width, wide in ((128, 160), (500, 480), (500, 100), (500, 499)):
            row = np.arange(width)
            out = self.resize_row(row, wide, "--filter", "nearest", dtype=np.uint16)
            self.assert_row(out, [(2 * n + 1) * width // (2 * wide) for n in range(wide)])
            if (width, wide) == (128, 160):
                self.assertEqual(out[127], 102)
            if (width, wide) == (500, 480):
                self.assertEqual(out[120], 125)

    def test_geo_12_a_smaller_size_scales_and_never_crops(self):
        array = np.zeros((512, 512), np.uint16)
        array[236:276, 236:276] = 3
        out = self.process("resize", array, "--size", "460x460")
        self.assertEqual(out.shape, (460, 460))
        np.testing.assert_array_equal(out[213:247, 213:247], np.full((34, 34), 3))
        self.assertEqual(int(out[:200].max()), 0)


class Windows(ProgramTest):
    def test_geo_14_the_data_window_keeps_its_place_in_the_display_window(self):
        image = np.zeros((64, 64), np.float32)
        image[16, 16] = 1
        self.path("in.exr").write_bytes(exr_bytes(image, data=(-16, -16, 47, 47), display=(0, 0, 31, 31)))
        self.succeed("resize", "in.exr", "-o", "out.exr", "--down", "2", "--filter", "box")
        channels, attributes = read_exr(self.path("out.exr"))
        self.assertEqual(window_of(attributes, "dataWindow"), (-8, -8, 23, 23))
        self.assertEqual(window_of(attributes, "displayWindow"), (0, 0, 15, 15))
        expected = np.zeros((32, 32), np.float32)
        expected[8, 8] = 0.25
        np.testing.assert_array_equal(channels["Y"], expected)


if __name__ == "__main__":
    unittest.main()
