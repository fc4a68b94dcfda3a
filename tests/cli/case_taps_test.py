"""Cases TAP and LOC: extremes and text of taps, locale."""

import shutil
import struct
import subprocess
import unittest
from pathlib import Path

import numpy as np

from exr_file import attribute, exr_bytes
from png_file import png_bytes
from support import ProgramTest


class Taps(ProgramTest):
    def test_tap_01_zeros_follow_every_sample(self):
        self.assert_row(self.filter_row([1, 2, 3], "1", up=3, extra=["--no-normalize"]), [1, 0, 0, 2, 0, 0, 3, 0, 0])

    def test_tap_02_convolution_unless_flipped(self):
        row = [0, 0, 700, 0, 0]
        self.assert_row(self.filter_row(row, [1, 2, 4], pad=(1, 1), dtype=np.uint16), [0, 100, 200, 400, 0])
        self.assert_row(self.filter_row(row, [1, 2, 4], pad=(1, 1), dtype=np.uint16, extra=["--flip"]),
                        [0, 400, 200, 100, 0])

    def test_tap_04_taps_that_sum_to_zero(self):
        literal = {"pad": (1, 1), "extra": ["--no-normalize"]}
        self.assert_row(self.filter_row([0, 0, 200, 200], [1, 0, -1], border="edge", **literal), [0, 200, 200, 0])
        self.assert_row(self.filter_row([100] * 5, [1, 0, -1], border="edge", **literal), [0] * 5)
        self.assert_row(self.filter_row([100] * 5, [1, 0, -1], **literal), [100, 0, 0, 0, 0])
        self.assert_row(self.filter_row([100] * 5, [1, 0, -1], dtype=np.float32, **literal), [100, 0, 0, 0, -100])
        np.save(self.path("in.npy"), np.ones((2, 2), np.float32))
        self.fail_with(2, "filter", "in.npy", "-o", "out.npy", "--taps", "1,0,-1", naming="--no-normalize")
        self.fail_with(2, "resize", "in.npy", "-o", "out.npy", "--taps", "1,0,-1", "--up", "2", naming="filter")

    def test_tap_06_one_set_of_taps_serves_two_axes(self):
        out = self.process("filter", np.full((8, 8), 50, np.float32), "--taps", "1,3,3,1", "--up", "2")
        np.testing.assert_allclose(out[2:-2, 2:-2], 50, rtol=1e-6)

    def test_tap_07_taps_longer_than_the_signal(self):
        for border, expected in (("reflect", [80, 80]), ("mirror", [80, 80]), ("edge", [60, 100]), ("zero", [30, 40])):
            self.assert_row(self.filter_row([0, 160], [1, 2, 3, 4, 3, 2, 1], pad=(3, 3), border=border), expected)

    def test_tap_09_text_files_of_taps(self):
        texts = {"crlf": b"1\r\n3\r\n3\r\n1\r\n", "bom": b"\xef\xbb\xbf1 3 3 1\n", "tabs": b"1\t3\t3\t1",
                 "comments": b"# binomial\n1 3 3 1  # the four\n# end\n", "column": b"1\n3\n3\n1",
                 "newlines": b"1, 3, 3, 1\n\n\n"}
        row = np.random.default_rng(9).integers(0, 256, (3, 20)).astype(np.uint8)
        wanted = self.process("filter", row, "--taps", "1,3,3,1", "--down", "2")
        for name, text in texts.items():
            self.path(name).write_bytes(text)
            np.testing.assert_array_equal(self.process("filter", row, "--taps-file", name, "--down", "2"), wanted, name)
        minus = "\u22121 3 3 \u22121".encode()
        self.path("minus").write_bytes(minus)
        np.testing.assert_array_equal(self.process("filter", row, "--taps-file", "minus", "--down", "2"),
                                      self.process("filter", row, "--taps=-1,3,3,-1", "--down", "2"))

    def test_tap_09_taps_are_never_lost(self):
        self.path("in.pgm").write_bytes(b"P5 2 1 255\n\x07\x09")
        for text in ("1,3,3,", "", "# none\n", "1,x,3", "1,,3", "1 nan 3", "1 1e99 3", "1 3\n3 1 2\n"):
            self.path("bad").write_text(text)
            self.fail_with(2, "filter", "in.pgm", "-o", "out.pgm", "--taps-file", "bad", naming="bad")
        for text in ("1,3,3,", "", "1,,3", "1;3", "inf"):
            self.fail_with(2, "filter", "in.pgm", "-o", "out.pgm", f"--taps={text}", naming="--taps")


def comma_locale(folder, name):
    """Compiles a locale with a decimal comma into `folder`; False where the machine has no sources of locales."""
    if not shutil.which("localedef") or not Path("/usr/share/i18n/locales", name).exists():
        return False
    made = subprocess.run(["localedef", "-i", name, "-f", "UTF-8", str(folder / f"{name}.UTF-8")], check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return made.returncode == 0 and (folder / f"{name}.UTF-8").is_dir()


class Locale(ProgramTest):
    def outputs(self, environment):
        runs = (("filter", "in.png", "-o", "a.png", "--overwrite", "--taps", "0.25,0.75,0.75,0.25", "--up", "2"),
                ("resize", "in.png", "-o", "b.png", "--overwrite", "--scale", "0.5", "--filter", "gaussian:sigma=0.7"))
        runs += (("resize", "in.exr", "-o", "c.exr", "--overwrite", "--scale", "0.5"),)
        for arguments in runs:
            self.succeed(*arguments, env=environment)
        printed = [self.succeed(*arguments, env=environment).out
                   for arguments in (("taps", "--filter", "gaussian:sigma=0.7", "--down", "2"),
                                     ("info", "in.png", "--json"), ("info", "in.exr"), ("info", "in.exr", "--json"))]
        compared = self.run_program("compare", "in.png", "in.png", env=environment).out
        return [self.path("a.png").read_bytes(), self.path("b.png").read_bytes(), self.path("c.exr").read_bytes(), *printed, compared]

    def test_loc_01_a_decimal_comma_changes_nothing(self):
        self.path("in.png").write_bytes(png_bytes(np.arange(256, dtype=np.uint16).reshape(16, 16) * 257))
        density = attribute("xDensity", "float", struct.pack("<f", 72.5))
        self.path("in.exr").write_bytes(exr_bytes(np.ones((9, 9), np.float32), data=(1, 1, 9, 9), display=(0, 0, 9, 9), extra=(density,)))
        plain = self.outputs({"LC_ALL": "C"})
        self.assertNotRegex(plain[3].decode(), r"\d,\d\d\d")
        checked = 0
        for name in ("de_DE", "pl_PL"):
            if comma_locale(self.folder, name):
                checked += 1
                environment = {"LC_ALL": f"{name}.UTF-8", "LOCPATH": str(self.folder)}
                self.assertEqual(self.outputs(environment), plain, name)
        if not checked:
            self.skipTest("no locale sources here: install the package locales")


if __name__ == "__main__":
    unittest.main()
