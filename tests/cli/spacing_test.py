"""--spacing: to a number of mm a pixel, of files that tell their own."""

import json
import struct
import unittest
from fractions import Fraction

import numpy as np

import tiff_file
from png_file import png_bytes
from support import ProgramTest


class Spacing(ProgramTest):
    def setUp(self):
        super().setUp()
        self.array = np.random.default_rng(8).integers(0, 65536, (60, 100)).astype(np.uint16)

    def png(self, name, across, down, unit=1):
        self.path(name).write_bytes(png_bytes(self.array, chunks=[(b"pHYs", struct.pack(">IIB", across, down, unit))]))

    def tiff(self, name, across, down, unit):
        tags = {tiff_file.X_RESOLUTION: [across], tiff_file.Y_RESOLUTION: [down], tiff_file.RESOLUTION_UNIT: [unit]}
        self.path(name).write_bytes(tiff_file.tiff_bytes(self.array, tags=tags))

    def told(self, name):
        return json.loads(self.succeed("info", name, "--json").out).get("spacing_mm")

    def size(self, name, spacing):
        self.succeed("resize", name, "-o", "out.npy", "--spacing", spacing, "--overwrite")
        height, width = np.load(self.path("out.npy")).shape
        return width, height

    def test_png(self):
        self.png("a.png", 5000, 4000)  # 0.2 x 0.25 mm
        self.assertEqual(self.told("a.png"), [0.2, 0.25])
        self.assertIn("0.2 x 0.25 mm", self.succeed("info", "a.png").out.decode())
        self.assertEqual(self.size("a.png", "0.5"), (40, 30))
        self.assertEqual(self.size("a.png", "0.1,0.25"), (200, 60))
        self.succeed("resize", "a.png", "-o", "by_size.npy", "--scale", "2/5,1/2")
        self.succeed("resize", "a.png", "-o", "by_spacing.npy", "--spacing", "1/2")
        self.assertEqual(self.path("by_size.npy").read_bytes(), self.path("by_spacing.npy").read_bytes())

    def test_tiff(self):
        self.tiff("inch.tif", Fraction(254), Fraction(127), 2)
        self.assertEqual(self.told("inch.tif"), [0.1, 0.2])
        self.tiff("cm.tif", Fraction(50), Fraction(125, 2), 3)
        self.assertEqual(self.told("cm.tif"), [0.2, 0.16])
        self.assertEqual(self.size("cm.tif", "0.4"), (50, 24))

    def test_files_that_do_not_tell(self):
        self.png("ratio.png", 2, 1, unit=0)
        self.tiff("none.tif", Fraction(1), Fraction(1), 1)
        self.path("plain.png").write_bytes(png_bytes(self.array))
        for name in ("ratio.png", "none.tif", "plain.png"):
            self.assertIsNone(self.told(name))
            self.fail_with(1, "resize", name, "-o", "x.npy", "--spacing", "0.2", naming=[name, "--spacing", "--scale"])
        self.assertFalse(self.path("x.npy").exists())

    def test_bad_values(self):
        self.png("a.png", 5000, 4000)
        for bad in ("0", "-1", "x", "1,2,3", "1,"):
            self.fail_with(2, "resize", "a.png", "-o", "x.png", "--spacing", bad, naming="--spacing")
        self.fail_with(2, "resize", "a.png", "-o", "x.png", "--spacing", "1", "--scale", "2", naming="--spacing")
        self.fail_with(1, "resize", "a.png", "-o", "x.png", "--spacing", "1e-9", naming="a.png")


if __name__ == "__main__":
    unittest.main()
