"""A module that is missing or broken: one line that names the Debian package, and everything else works."""

import os
import shutil
import unittest
from pathlib import Path

import numpy as np

import dicom_file as d
from exr_file import exr_bytes
from png_file import png_bytes
from support import PROGRAM, ProgramTest

GDCM, OPENCV, OPENEXR = "libgdcm3.0", "libopencv-imgcodecs406", "libopenexr-3-1-30"


class Modules(ProgramTest):
    def setUp(self):
        super().setUp()
        self.modules = self.path("bin") / "modules"
        shutil.copytree(Path(PROGRAM).resolve().parent / "modules", self.modules)
        self.program = shutil.copy2(Path(PROGRAM).resolve(), self.path("bin") / "upfirdn")
        image = np.arange(64 * 64, dtype=np.uint16).reshape(64, 64)
        self.path("plain.dcm").write_bytes(d.dicom_bytes(image))
        self.path("plain.png").write_bytes(png_bytes((image // 16).astype(np.uint8)))
        self.path("plain.exr").write_bytes(exr_bytes((image / 4096).astype(np.float32)))
        self.succeed("resize", "plain.dcm", "-o", "packed.dcm", "--scale", "1", "--transfer-syntax", "jpeg-ls")
        self.succeed("resize", "plain.png", "-o", "plain.bmp", "--scale", "1")

    def run_program(self, *arguments, **options):
        import support
        kept, support.PROGRAM = support.PROGRAM, str(self.program)
        try:
            return super().run_program(*arguments, **options)
        finally:
            support.PROGRAM = kept

    def replace(self, name, text, mode=0o755):
        module = self.modules / name
        module.unlink()
        if text is not None:
            module.write_text(text)
            os.chmod(module, mode)

    def check(self, file, package, *words):
        self.fail_with(1, "resize", file, "-o", "x.npy", "--scale", "1", naming=[package, "module", *words])
        for light in ("plain.dcm", "plain.png"):
            self.succeed("resize", light, "-o", "light.npy", "--scale", "1/2", "--overwrite")

    def test_a_helper_that_is_missing(self):
        self.replace("dicom-codec", None)
        self.check("packed.dcm", GDCM, "dicom-codec")
        self.assertIn("dicom not found", self.succeed("--version").out.decode())

    def test_a_helper_whose_library_is_missing(self):
        told = "dicom-codec: error while loading shared libraries: libgdcmMSFF.so.3.0: cannot open shared object file"
        self.replace("dicom-codec", f"#!/bin/sh\necho '{told}' >&2\nexit 127\n")
        self.check("packed.dcm", GDCM, "libgdcmMSFF.so.3.0")

    def test_a_helper_that_is_broken(self):
        self.replace("dicom-codec", "nothing", 0o644)
        self.check("packed.dcm", GDCM)
        self.replace("dicom-codec", "#!/bin/sh\nexit 3\n")
        self.check("packed.dcm", GDCM, "version")

    def test_a_helper_that_dies_is_the_files_failure(self):
        self.replace("dicom-codec", "#!/bin/sh\nkill -ABRT $$\n")
        self.fail_with(1, "resize", "packed.dcm", "-o", "x.npy", "--scale", "1", naming=["packed.dcm", "damaged"])
        self.succeed("resize", "plain.dcm", "-o", "after.npy", "--scale", "1")

    def test_opencv_missing_or_broken(self):
        self.replace("imaging.so", "nothing")
        self.check("plain.bmp", OPENCV)
        self.replace("imaging.so", None)
        self.check("plain.bmp", OPENCV, "imaging.so")

    def test_openexr_missing_or_broken(self):
        self.replace("exr.so", "nothing")
        self.check("plain.exr", OPENEXR)
        self.replace("exr.so", None)
        self.check("plain.exr", OPENEXR, "exr.so")
        self.assertIn("exr not found", self.succeed("--version").out.decode())
        self.fail_with(1, "resize", "plain.png", "-o", "out.exr", "--scale", "1", "--depth", "f16", naming=[OPENEXR, "module"])
        self.assertFalse(self.path("out.exr").exists())

    def test_a_module_of_another_version(self):
        shutil.copy2(self.modules / "imaging.so", self.modules / "exr.so")
        self.check("plain.exr", OPENEXR, "version")


if __name__ == "__main__":
    unittest.main()
