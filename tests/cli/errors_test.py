"""Exit codes and messages: one line that names the thing, and nothing left behind."""

import os
import unittest

import numpy as np

from png_file import png_bytes
from pnm_file import pnm_bytes
from support import ProgramTest

SIZE = ("--size", "2x2")


class Usage(ProgramTest):
    """Wrong whatever the files hold: exit 2, nothing read or written."""

    def setUp(self):
        super().setUp()
        self.path("in.png").write_bytes(png_bytes(np.zeros((4, 4), np.uint8)))

    def refused(self, *arguments, naming=()):
        before = self.names()
        self.fail_with(2, *arguments, naming=naming)
        self.assertEqual(self.names(), before)

    def test_commands_and_options(self):
        self.refused(naming="--help")
        self.refused("rezise", "in.png", naming="rezise")
        self.refused("resize", "in.png", "-o", "out.png", "--sizes", "2x2", naming="--sizes")
        self.refused("resize", "in.png", "-o", "out.png", *SIZE, "--border", "wrapped", naming=["--border", "reflect"])
        self.refused("resize", *SIZE, "-o", "out.png")
        self.refused("resize", "in.png", *SIZE, naming="-o")
        self.refused("resize", "in.png", "-o", "out.png", "--size")

    def test_exactly_one_target(self):
        self.refused("resize", "in.png", "-o", "out.png")
        self.refused("resize", "in.png", "-o", "out.png", *SIZE, "--scale", "2", naming="--scale")
        self.refused("resize", "in.png", "-o", "out.png", "--fit", "2x2", "--cover", "2x2")

    def test_numbers(self):
        for option, value in (("--size", "2"), ("--size", "2x2x2"), ("--size", "ax2"), ("--size", "-2x2"),
                              ("--scale", "0"), ("--scale", "-1"), ("--scale", "1,2,3"), ("--scale", "1/0"),
                              ("--scale", "nan"), ("--scale", "0,5x"), ("--up", "0"), ("--up", "1.5"), ("--down", "-2"),
                              ("--fit", "2"), ("--size", "99999999999999999999x1"), ("--size", "2x2 ")):
            self.refused("resize", "in.png", "-o", "out.png", f"{option}={value}", naming=option)
        for option, value in (("--pad", "1,2,3"), ("--pad", "a"), ("--gain", "x"), ("--gain", "1e99"), ("--bias", ""),
                              ("--bias", "1,,2"), ("--clamp", "-1"), ("--slope", "nan"), ("--act-gain", "inf"),
                              ("--act", "gelu"), ("--value-range", "percent"), ("--border", "constant:x")):
            self.refused("filter", "in.png", "-o", "out.png", "--taps", "1,1", f"{option}={value}", naming=option)

    def test_filters(self):
        self.refused("resize", "in.png", "-o", "out.png", *SIZE, "--filter", "lancsoz", naming=["lancsoz", "lanczos3"])
        self.refused("resize", "in.png", "-o", "out.png", *SIZE, "--filter", "gaussian:sgima=1", naming=["sgima", "sigma"])
        self.refused("resize", "in.png", "-o", "out.png", *SIZE, "--filter", "gaussian:sigma=0", naming="sigma")
        self.refused("resize", "in.png", "-o", "out.png", *SIZE, "--filter", "gaussian:sigma=1,2")
        self.refused("filter", "in.png", "-o", "out.png", naming="--taps")
        self.refused("filter", "in.png", "-o", "out.png", "--filter", "nearest", naming="nearest")
        self.refused("resize", "in.png", "-o", "out.png", *SIZE, "--filter", "nearest", "--shift", "1,0", naming="--shift")
        self.refused("filter", "in.png", "-o", "out.png", "--taps", "1", "--filter", "box")
        self.refused("resize", "in.png", "-o", "out.png", *SIZE, "--taps", "1,3,3,1", naming="--up")
        self.refused("resize", "in.png", "-o", "out.png", "--up", "2", "--taps", "1,3,3,1", "--shift", "1,0", naming="--shift")
        self.refused("resize", "in.png", "-o", "out.png", "--up", "2", "--taps", "1,2,1", naming="taps")
        self.refused("filter", "in.png", "-o", "out.png", "--taps-file", "missing.txt", naming="missing.txt")

    def test_combinations(self):
        self.refused("resize", "in.png", "-o", "out.png", *SIZE, "--linear", "--bias", "1", naming="--linear")
        self.refused("resize", "in.png", "-o", "out.png", *SIZE, "--linear", "--nodata", "0", naming="--nodata")
        self.refused("resize", "in.png", "-o", "out.png", "--letterbox", "9x9", "--only-enlarge", naming="--letterbox")
        self.refused("filter", "in.png", "-o", "out.png", "--taps", "1", "--crop", "0,0,1,1", naming="--crop")

    def test_where_outputs_go(self):
        self.path("b.png").write_bytes(png_bytes(np.zeros((4, 4), np.uint8)))
        self.refused("resize", "in.png", "b.png", "-o", "out.png", *SIZE, naming="out.png")
        self.refused("resize", "in.png", "-o", "b.png", *SIZE, naming=["b.png", "--overwrite"])
        self.refused("resize", "in.png", "-o", "in.png", *SIZE, naming="in.png")
        self.refused("resize", "in.png", "-o", "in.png", *SIZE, "--overwrite", naming="in.png")
        self.path("link.png").symlink_to("in.png")
        self.refused("resize", "in.png", "-o", "link.png", *SIZE, "--overwrite", naming="in.png")
        os.link(self.path("in.png"), self.path("hard.png"))
        self.refused("resize", "in.png", "-o", "hard.png", *SIZE, "--overwrite", naming="hard.png")
        self.refused("resize", "in.png", "-o", "-", *SIZE, naming="--format")
        self.refused("resize", "in.png", "-o", "out.xyz", *SIZE, naming=["out.xyz", "png"])
        self.refused("resize", "in.png", "-o", "out.png", "--format", "xyz", *SIZE, naming="xyz")
        self.path("folder").mkdir()
        self.path("folder/in.png").write_bytes(b"old")
        self.refused("resize", "in.png", "b.png", "-o", "folder", *SIZE, naming=["1", "--overwrite"])
        self.assertEqual(self.path("folder/in.png").read_bytes(), b"old")
        self.assertEqual(os.listdir(self.path("folder")), ["in.png"])


class Failures(ProgramTest):
    """What depends on a file is that file's failure: exit 1, one line, no output."""

    def setUp(self):
        super().setUp()
        self.path("gray16.png").write_bytes(png_bytes(np.zeros((4, 6), np.uint16)))
        self.path("rgb.png").write_bytes(png_bytes(np.zeros((4, 6, 3), np.uint8)))
        self.path("rgba.png").write_bytes(png_bytes(np.zeros((4, 6, 4), np.uint8)))

    def failed(self, *arguments, naming=()):
        before = self.names()
        self.fail_with(1, *arguments, naming=naming)
        self.assertEqual(self.names(), before)

    def test_inputs_that_cannot_be_read(self):
        self.path("text.png").write_text("hello\n")
        self.path("empty.png").write_bytes(b"")
        self.path("zeros.png").write_bytes(bytes(1000))
        self.path("short.png").write_bytes(png_bytes(np.zeros((99, 99), np.uint16))[:60])
        for name in ("missing.png", "text.png", "empty.png", "zeros.png", "short.png", "missing/in.png"):
            self.failed("resize", name, "-o", "out.png", *SIZE, naming=name)
        self.fail_with(2, "resize", "gray16.png", "-o", "missing/out.png", *SIZE, naming="missing")

    @unittest.skipIf(os.geteuid() == 0, "root may read and write anything")
    def test_permissions(self):
        self.path("gray16.png").chmod(0)
        self.failed("resize", "gray16.png", "-o", "out.png", *SIZE, naming="gray16.png")

    def test_depths_that_do_not_fit_are_found_before_decoding(self):
        whole = png_bytes(np.zeros((99, 99), np.uint16))
        self.path("cut.png").write_bytes(whole[:-40])
        self.failed("resize", "cut.png", "-o", "out.jpg", *SIZE, naming=["out.jpg", "16", "PNG", "TIFF"])
        np.save(self.path("f32.npy"), np.zeros((4, 4), np.float32))
        self.failed("resize", "f32.npy", "-o", "out.png", *SIZE, naming=["out.png", "float"])
        np.save(self.path("s16.npy"), np.zeros((4, 4), np.int16))
        self.failed("resize", "s16.npy", "-o", "out.pgm", *SIZE, naming=["out.pgm", "signed"])
        np.save(self.path("five.npy"), np.zeros((4, 4, 5), np.uint8))
        self.failed("resize", "five.npy", "-o", "out.png", *SIZE, naming=["out.png", "5"])
        self.failed("resize", "rgba.png", "-o", "out.jpg", *SIZE, naming=["out.jpg", "alpha"])
        self.failed("resize", "gray16.png", "-o", "out.pfm", *SIZE, naming="out.pfm")

    def test_types_of_arrays_that_are_refused_by_name(self):
        for dtype in ("|i1", "<c8", "|b1", "<i8", "|S3"):
            np.save(self.path("in.npy"), np.zeros((3, 3), dtype))
            self.fail_with(1, "resize", "in.npy", "-o", "out.npy", *SIZE, naming="in.npy")
        np.save(self.path("in.npy"), np.array([[None]]), allow_pickle=True)
        self.fail_with(1, "resize", "in.npy", "-o", "out.npy", *SIZE, naming="in.npy")
        for shape in ((), (3,), (2, 2, 2, 2, 2)):
            np.save(self.path("in.npy"), np.zeros(shape, np.uint8))
            self.fail_with(1, "resize", "in.npy", "-o", "out.npy", *SIZE, naming="in.npy")
        self.assertFalse(self.path("out.npy").exists())

    def test_images_that_do_not_suit_the_options(self):
        self.failed("filter", "gray16.png", "-o", "out.png", "--taps", "1,1,1,1,1,1,1,1,1", "--pad", "0",
                    naming=["gray16.png", "9"])
        self.failed("filter", "rgb.png", "-o", "out.png", "--taps", "1", "--bias", "1,2", naming=["rgb.png", "2", "3"])
        self.failed("resize", "gray16.png", "-o", "out.png", *SIZE, "--crop", "3,3,9,9", naming=["gray16.png", "6x4"])
        self.failed("resize", "rgba.png", "-o", "out.png", *SIZE, "--nodata", "0", naming=["rgba.png", "--nodata"])
        np.save(self.path("f32.npy"), np.zeros((4, 4), np.float32))
        self.failed("resize", "f32.npy", "-o", "out.npy", *SIZE, "--linear", naming=["f32.npy", "--linear"])
        self.failed("resize", "gray16.png", "-o", "out.png", *SIZE, "--max-pixels", "23", naming=["gray16.png", "--max-pixels"])
        self.failed("resize", "gray16.png", "-o", "out.png", "--size", "99x99", "--max-pixels", "100", naming="--max-pixels")

    def test_a_kernel_narrower_than_the_grid_names_the_parameter(self):
        self.path("wide.pgm").write_bytes(pnm_bytes(np.zeros((3, 40), np.uint8)))
        result = self.run_program("resize", "wide.pgm", "-o", "out.pgm", "--size", "39x2", "--filter", "gaussian:sigma=0.05")
        self.assertIn(result.code, (1, 2), str(result))
        self.assertEqual(len(result.err.splitlines()), 1, str(result))
        self.assertIn("sigma", result.err)
        self.assertFalse(self.path("out.pgm").exists())

    def test_several_failures_are_one_line_each(self):
        self.path("out").mkdir()
        result = self.run_program("resize", "nope.png", "gray16.png", "nada.png", "-o", "out", *SIZE)
        self.assertEqual(result.code, 1, str(result))
        self.assertTrue(all(line.startswith("upfirdn: ") for line in result.err.splitlines()), str(result))
        self.assertEqual([name for name in ("nope.png", "nada.png") if result.err.count(name) != 1], [])
        self.assertEqual(os.listdir(self.path("out")), ["gray16.png"])


if __name__ == "__main__":
    unittest.main()
