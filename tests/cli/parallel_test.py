"""Several images and several threads at once: the same files, messages and exit code as one after the other."""

import unittest

import numpy as np

from pnm_file import pnm_bytes
from support import ProgramTest

SHAPES = ((1, 1), (40, 31), (700, 900), (5, 2000), (1500, 8))  # of one strip and of many


class Parallel(ProgramTest):
    def setUp(self):
        super().setUp()
        self.path("in").mkdir()
        rng = np.random.default_rng(1)
        for number in range(25):
            array = rng.integers(0, 65536, SHAPES[number % len(SHAPES)]).astype(np.uint16)
            self.path(f"in/{number:02d}.pgm").write_bytes(pnm_bytes(array))
        self.path("in/07.pgm").write_bytes(b"P5 4 4 65535\n")  # cut short

    def batch(self, folder, *options):
        self.path(folder).mkdir()
        result = self.run_program("resize", "in", "-o", folder, "-v", "--scale", "2/3", *options)
        said = [line.split(",")[0].replace(folder + "/", "") for line in result.err.splitlines()]  # times differ
        return result.code, said, {path.name: path.read_bytes() for path in self.path(folder).iterdir()}

    def test_the_number_of_images_and_threads_changes_nothing(self):
        expected = self.batch("one", "-j", "1", "--threads", "1")
        self.assertEqual(expected[0], 1)
        self.assertEqual(len(expected[2]), 24)
        for folder, *options in (("default",), ("jobs", "-j", "8", "--threads", "1"), ("both", "-j", "8", "--threads", "3"),
                                 ("threads", "-j", "1", "--threads", "4"), ("scarce", "-j", "8", "--memory", "1K")):
            with self.subTest(options):
                self.assertEqual(self.batch(folder, *options), expected)


if __name__ == "__main__":
    unittest.main()
