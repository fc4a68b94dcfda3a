"""What a run loads and how fast the program starts."""

import time
import unittest

import numpy as np

from dicom_file import dicom_bytes
from exr_file import exr_bytes
from png_file import png_bytes
from pnm_file import pnm_bytes
from support import ProgramTest
from tiff_file import tiff_bytes

HEAVY = ("imgcodecs", "gdal", "opencv", "gdcm", "OpenEXR", "Imf")


class Startup(ProgramTest):
    def loaded(self, *arguments):
        """The log of the dynamic loader; it must show that it logged."""
        result = self.succeed(*arguments, env={"LD_DEBUG": "libs", "LD_DEBUG_OUTPUT": str(self.path("log"))})
        log = "".join(path.read_text(errors="replace") for path in self.folder.glob("log.*"))
        for path in self.folder.glob("log.*"):
            path.unlink()
        self.assertIn("libc.so", log)
        return result, log

    def test_light_formats_load_no_heavy_library(self):
        array = np.random.default_rng(1).integers(0, 65536, (20, 20)).astype(np.uint16)
        self.path("in.png").write_bytes(png_bytes(array))
        self.path("in.tif").write_bytes(tiff_bytes(array, deflate=True))
        self.path("in.pgm").write_bytes(pnm_bytes(array))
        np.save(self.path("in.npy"), array)
        self.path("in.dcm").write_bytes(dicom_bytes(array))  # not compressed
        self.path("in.exr").write_bytes(exr_bytes(array.astype(np.float32)))
        runs = [("--version",), ("--help",), ("info", "in.exr")]
        runs += [("resize", f"in.{kind}", "-o", f"out.{kind}", "--size", "9x9", "--device", "cpu")
                 for kind in ("png", "tif", "pgm", "npy", "dcm")]
        for arguments in runs:
            _, log = self.loaded(*arguments)
            found = [name for name in HEAVY if any(name in line for line in log.splitlines() if "calling init" in line)]
            self.assertEqual(found, [], arguments)

    def test_a_module_is_loaded_when_such_a_file_comes(self):
        self.path("in.png").write_bytes(png_bytes(np.zeros((9, 9), np.uint8)))
        _, log = self.loaded("resize", "in.png", "-o", "out.bmp", "--size", "9x9", "--device", "cpu")
        self.assertTrue(any("imgcodecs" in line for line in log.splitlines() if "calling init" in line))
        self.path("in.exr").write_bytes(exr_bytes(np.zeros((9, 9), np.float32)))
        _, log = self.loaded("resize", "in.exr", "-o", "out.exr", "--size", "9x9", "--device", "cpu")
        found = [name for name in HEAVY if any(name in line for line in log.splitlines() if "calling init" in line)]
        self.assertEqual(found, ["OpenEXR"])

    def test_version_is_quick_and_complete(self):
        times = []
        for _ in range(5):
            begin = time.monotonic()
            text = self.succeed("--version").out.decode()
            times.append(time.monotonic() - begin)
        self.assertRegex(text, r"upfirdn \d+\.\d+")
        self.assertIn("CUDA", text)
        self.assertLess(min(times), 10)


if __name__ == "__main__":
    unittest.main()
