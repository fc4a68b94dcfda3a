"""Cases BAT: several files, the shell, files that must survive."""

import os
import resource
import signal
import stat
import subprocess
import unittest

import numpy as np

import support
from png_file import SIGNATURE, png_bytes, read_png
from pnm_file import pnm_bytes
from support import ProgramTest
from tiff_file import tiff_bytes


def gray(value, side=4):
    return np.full((side, side), value, np.uint8)


class Batch(ProgramTest):
    def test_bat_01_one_bad_file_does_not_stop_the_rest(self):
        for name in ("a.png", "d.png"):
            self.path(name).write_bytes(png_bytes(gray(7)))
        self.path("b.png").write_text("text\n")
        self.path("c.png").write_bytes(b"")
        self.path("out").mkdir()
        result = self.run_program("resize", "a.png", "b.png", "c.png", "d.png", "-o", "out", "--size", "2x2")
        self.assertEqual(result.code, 1, str(result))
        for name in ("b.png", "c.png"):
            self.assertEqual(sum(name in line for line in result.err.splitlines()), 1, str(result))
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["a.png", "d.png"])
        for name in ("a.png", "d.png"):
            np.testing.assert_array_equal(read_png(self.path("out") / name), gray(7, 2))

    def test_bat_02_two_inputs_never_become_one_file(self):
        self.path("a.png").write_bytes(png_bytes(gray(10)))
        self.path("a.tif").write_bytes(tiff_bytes(gray(20)))
        self.path("a.pgm").write_bytes(pnm_bytes(gray(30)))
        self.path("out").mkdir()
        self.fail_with(2, "resize", "a.png", "a.tif", "a.pgm", "-o", "out", "--format", "png", "--scale", "1",
                       naming="a.png")
        self.assertEqual(os.listdir(self.path("out")), [])
        self.succeed("resize", "a.png", "a.tif", "a.pgm", "-o", "out", "--scale", "1")
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["a.pgm", "a.png", "a.tif"])

    def test_bat_04_names_are_never_expanded(self):
        names = ["L%ot.png", "a%03d.png", "x%%.png", "{w}.png", "sp ace.png", "\u00fcml\u00e4ut.png", "-dash.png"]
        self.path("out").mkdir()
        for name in names:
            self.path(name).write_bytes(png_bytes(gray(1)))
        self.succeed("resize", "-o", "out", "--size", "2x2", "--", *names)
        self.assertEqual(sorted(os.listdir(self.path("out"))), sorted(names))
        self.succeed("resize", "a%03d.png", "-o", "b%d%%.png", "--size", "2x2")
        self.assertTrue(self.path("b%d%%.png").exists())

    def test_bat_06_a_failed_write_leaves_the_old_file(self):
        old = png_bytes(gray(9))
        random = np.random.default_rng(6).integers(0, 65536, (200, 200)).astype(np.uint16)
        self.path("in.png").write_bytes(png_bytes(random))
        self.path("out.png").write_bytes(old)

        def no_space(bytes_allowed):
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_allowed, bytes_allowed))

        for bytes_allowed in (0, 20000):
            limits = {"limit": lambda: no_space(bytes_allowed)}
            self.fail_with(1, "resize", "in.png", "-o", "out.png", "--overwrite", "--up", "2", naming="out.png", **limits)
            self.assertEqual(self.path("out.png").read_bytes(), old)
            self.fail_with(1, "resize", "in.png", "-o", "new.png", "--up", "2", naming="new.png", **limits)
            self.assertEqual(self.names(), ["in.png", "out.png"])

    def test_bat_06_the_signal_of_a_file_limit_leaves_no_partial_file(self):
        random = np.random.default_rng(6).integers(0, 65536, (200, 200)).astype(np.uint16)
        self.path("in.png").write_bytes(png_bytes(random))
        result = self.run_program("resize", "in.png", "-o", "out.png", "--up", "2",
                                  limit=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)))
        self.assertNotEqual(result.code, 0)
        self.assertFalse(self.path("out.png").exists())

    def test_bat_08_links_and_modes_survive(self):
        self.path("in.png").write_bytes(png_bytes(gray(5)))
        self.path("target.png").write_bytes(png_bytes(gray(1)))
        self.path("target.png").chmod(0o640)
        self.path("link.png").symlink_to("target.png")
        self.succeed("resize", "in.png", "-o", "link.png", "--overwrite", "--size", "2x2")
        self.assertTrue(self.path("link.png").is_symlink())
        self.assertEqual(read_png(self.path("target.png")).tolist(), [[5, 5], [5, 5]])
        self.assertEqual(stat.S_IMODE(self.path("target.png").stat().st_mode), 0o640)

    def test_bat_09_descriptors_and_memory_do_not_grow(self):
        self.path("out").mkdir()
        names = [f"{i:03d}.pgm" for i in range(300)]
        for name in names:
            self.path(name).write_bytes(pnm_bytes(gray(3, 64)))
        few = 256 if support.DEVICE != "cpu" else 64
        result = self.run_program("resize", *names, "-o", "out", "--size", "32x32",
                                  limit=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (few, few)))
        self.assertEqual(result.code, 0, str(result))
        self.assertEqual(len(os.listdir(self.path("out"))), 300)

    @unittest.skipUnless(support.MEASURES_MEMORY, "CUDA or a sanitizer has memory of its own")
    def test_bat_09_memory_of_10_and_300_files(self):
        for i in range(300):
            self.path(f"{i:03d}.pgm").write_bytes(pnm_bytes(gray(3, 300)))
        peaks = []
        for count in (10, 300):
            names = [f"{i:03d}.pgm" for i in range(count)]
            command = [support.PROGRAM, "resize", *names, "-o", f"out{count}/", "--size", "32x32", "--device", "cpu"]
            process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0)
            peaks.append(usage.ru_maxrss)
        self.assertLess(peaks[1], 1.2 * peaks[0] + 2048, peaks)

    def test_bat_10_only_image_bytes_on_standard_output(self):
        result = self.succeed("resize", "-", "-o", "-", "--format", "png", "--size", "2x2", stdin=png_bytes(gray(8)))
        self.assertEqual(result.out[:8], SIGNATURE)
        self.assertEqual(read_png(result.out).tolist(), [[8, 8], [8, 8]])
        self.assertEqual(result.err, "")

    def test_bat_12_content_decides(self):
        self.path("photo.jpg").write_bytes(png_bytes(gray(77)))
        self.path("none").write_bytes(pnm_bytes(gray(78)))
        for name, value in (("photo.jpg", 77), ("none", 78)):
            self.succeed("resize", name, "-o", "out.png", "--overwrite", "--scale", "1")
            np.testing.assert_array_equal(read_png(self.path("out.png")), gray(value))
        self.succeed("resize", "none", "-o", "also_none", "--scale", "1")
        self.assertEqual(self.path("also_none").read_bytes()[:2], b"P5")

    def test_bat_13_no_gpu_means_the_cpu_and_the_same_bytes(self):
        array = np.random.default_rng(13).integers(0, 65536, (40, 40)).astype(np.uint16)
        self.path("in.png").write_bytes(png_bytes(array))
        hidden = {"CUDA_VISIBLE_DEVICES": ""}
        self.succeed("resize", "in.png", "-o", "cpu.png", "--size", "9x9", "--device", "cpu")
        result = self.succeed("resize", "in.png", "-o", "auto.png", "--size", "9x9", "--device", "auto", env=hidden)
        self.assertLessEqual(len(result.err.splitlines()), 1)
        self.assertEqual(self.path("cpu.png").read_bytes(), self.path("auto.png").read_bytes())
        self.fail_with(3, "resize", "in.png", "-o", "cuda.png", "--size", "9x9", "--device", "cuda", naming="cuda", env=hidden)
        self.assertFalse(self.path("cuda.png").exists())


if __name__ == "__main__":
    unittest.main()
