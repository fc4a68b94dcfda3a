"""Inputs and outputs as files: names, modes, links, pipes, replacement, what a killed process leaves."""

import os
import signal
import stat
import subprocess
import threading
import time
import unittest

import numpy as np

import support
from png_file import png_bytes, read_png
from pnm_file import pnm_bytes, read_pnm
from support import ProgramTest

SIZE = ("--size", "2x2")


class Outputs(ProgramTest):
    def setUp(self):
        super().setUp()
        self.path("in.png").write_bytes(png_bytes(np.full((4, 4), 9, np.uint8)))

    def test_a_new_file_has_the_mode_of_the_umask(self):
        for mask in (0o022, 0o077):
            old = os.umask(mask)
            try:
                self.succeed("resize", "in.png", "-o", f"{mask}.png", *SIZE)
            finally:
                os.umask(old)
            self.assertEqual(stat.S_IMODE(self.path(f"{mask}.png").stat().st_mode), 0o666 & ~mask)

    def test_a_replaced_file_keeps_its_mode_and_a_reader_keeps_the_old_one(self):
        self.path("out.png").write_bytes(b"old")
        self.path("out.png").chmod(0o604)
        with open(self.path("out.png"), "rb") as reader:
            self.succeed("resize", "in.png", "-o", "out.png", "--overwrite", *SIZE)
            self.assertEqual(reader.read(), b"old")
        self.assertEqual(stat.S_IMODE(self.path("out.png").stat().st_mode), 0o604)
        self.assertEqual(read_png(self.path("out.png")).tolist(), [[9, 9], [9, 9]])
        self.assertEqual(self.names(), ["in.png", "out.png"])

    def test_an_existing_output_is_refused_and_untouched(self):
        self.path("out.png").write_bytes(b"old")
        self.fail_with(2, "resize", "in.png", "-o", "out.png", *SIZE, naming="--overwrite")
        self.assertEqual(self.path("out.png").read_bytes(), b"old")

    def test_links_are_followed_also_into_other_folders(self):
        self.path("there").mkdir()
        self.path("link.png").symlink_to("there/new.png")
        self.succeed("resize", "in.png", "-o", "link.png", *SIZE)
        self.assertTrue(self.path("link.png").is_symlink())
        self.assertEqual(os.listdir(self.path("there")), ["new.png"])

    def test_devices_and_pipes_are_written_directly(self):
        before = os.stat("/dev/null")
        self.succeed("resize", "in.png", "-o", "/dev/null", "--format", "png", *SIZE)
        self.assertEqual(os.stat("/dev/null").st_rdev, before.st_rdev)
        os.mkfifo(self.path("pipe"))
        received = []
        reader = threading.Thread(target=lambda: received.append(self.path("pipe").read_bytes()), daemon=True)
        reader.start()
        self.succeed("resize", "in.png", "-o", "pipe", "--format", "png", *SIZE)
        reader.join(20)
        self.assertEqual(read_png(received[0]).tolist(), [[9, 9], [9, 9]])
        self.assertTrue(stat.S_ISFIFO(self.path("pipe").stat().st_mode))

    def test_a_fifo_is_an_input(self):
        os.mkfifo(self.path("pipe"))
        data = self.path("in.png").read_bytes()
        writer = threading.Thread(target=lambda: self.path("pipe").write_bytes(data), daemon=True)
        writer.start()
        self.succeed("resize", "pipe", "-o", "out.png", *SIZE)
        writer.join(20)
        self.assertEqual(read_png(self.path("out.png")).tolist(), [[9, 9], [9, 9]])

    def test_standard_input_and_output(self):
        data = self.path("in.png").read_bytes()
        for out_format, head in (("png", b"\x89PNG"), ("pgm", b"P5"), ("tif", b"II"), ("npy", b"\x93NUMPY")):
            result = self.succeed("resize", "-", "-o", "-", "--format", out_format, *SIZE, stdin=data)
            self.assertTrue(result.out.startswith(head), out_format)
        self.succeed("resize", "-", "-o", "out.png", *SIZE, stdin=data)
        self.fail_with(1, "resize", "-", "-o", "-", "--format", "png", *SIZE, stdin=b"", naming="standard input")
        failed = self.fail_with(1, "resize", "-", "-o", "-", "--format", "png", *SIZE, stdin=data[:50])
        self.assertEqual(failed.out, b"")

    def test_streams_of_several_images(self):
        images = [np.full((4, 4), value, np.uint16) for value in (300, 20000, 65535)]
        stream = b"".join(pnm_bytes(image) for image in images)
        halves = [pnm_bytes(image[:2, :2]) for image in images]
        for out_format in ("pgm", "pnm"):
            self.assertEqual(self.succeed("resize", "-", "-o", "-", "--format", out_format, *SIZE, stdin=stream).out, b"".join(halves))
        self.assertEqual(self.succeed("resize", "-", "-o", "-", "--format", "pgm", "--page", "2", *SIZE, stdin=stream).out, halves[1])
        self.path("all.pgm").write_bytes(stream)
        self.succeed("resize", "all.pgm", "-o", "all.tif", *SIZE)
        self.assertEqual(self.succeed("resize", "all.tif", "-o", "-", "--format", "pgm", "--page", "all", "--scale", "1").out, b"".join(halves))
        self.assertIn("first of 3", self.succeed("resize", "all.tif", "-o", "first.pgm", "--scale", "1").err)
        self.assertEqual(self.path("first.pgm").read_bytes(), halves[0])
        self.assertIn("first of 3", self.succeed("resize", "all.pgm", "-o", "first.png", "--scale", "1").err)
        self.fail_with(1, "resize", "-", "-o", "-", "--format", "pgm", *SIZE, stdin=stream[:-1], naming="cut short")
        self.assertEqual(self.succeed("resize", "-", "-o", "-", "--format", "pgm", *SIZE, stdin=pnm_bytes(images[0]) + b"more").out, halves[0])

    def test_a_closed_pipe_ends_by_sigpipe(self):
        big = pnm_bytes(np.random.default_rng(1).integers(0, 256, (1500, 1500)).astype(np.uint8))
        self.path("big.pgm").write_bytes(big)
        process = subprocess.Popen([support.PROGRAM, "resize", "big.pgm", "-o", "-", "--format", "pgm", "--scale", "1",
                                    "--device", support.DEVICE], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, preexec_fn=support.restore_pipe_signal)
        process.stdout.read(8)
        process.stdout.close()
        message = process.stderr.read()
        process.stderr.close()
        self.assertEqual(process.wait(60), -signal.SIGPIPE)
        self.assertEqual(message, b"")

    def test_folders(self):
        self.path("b.pgm").write_bytes(pnm_bytes(np.full((4, 4), 3, np.uint8)))
        self.succeed("resize", "in.png", "-o", "made/", *SIZE)
        self.assertEqual(os.listdir(self.path("made")), ["in.png"])
        self.succeed("resize", "in.png", "b.pgm", "-o", "both/", "--format", "tif", *SIZE)
        self.assertEqual(sorted(os.listdir(self.path("both"))), ["b.tif", "in.tif"])
        self.fail_with(2, "resize", "in.png", "b.pgm", "-o", "nowhere", *SIZE, naming="nowhere")

    def test_the_same_command_gives_the_same_bytes(self):
        made = []
        for name in ("a.png", "a.tif", "a.pgm", "a.npy", "a.jpg"):
            for number in (0, 1):
                self.succeed("resize", "in.png", "-o", name, "--overwrite", *SIZE)
                made.append(self.path(name).read_bytes())
                if number == 0:
                    time.sleep(0.01)
            self.assertEqual(made[-1], made[-2], name)

    def test_a_killed_process_leaves_nothing_under_the_final_name(self):
        self.path("big.pgm").write_bytes(pnm_bytes(np.random.default_rng(1).integers(0, 256, (1500, 1500)).astype(np.uint8)))
        self.succeed("resize", "big.pgm", "-o", "whole.png", "--up", "2")
        whole = self.path("whole.png").read_bytes()
        for delay in (0.02, 0.1, 0.25):
            for name in ("new.png", "old.png"):
                self.path("old.png").write_bytes(b"old")
                self.path("new.png").unlink(missing_ok=True)
                process = subprocess.Popen([support.PROGRAM, "resize", "big.pgm", "-o", name, "--overwrite", "--up", "2",
                                            "--device", support.DEVICE], cwd=self.folder, stderr=subprocess.DEVNULL)
                time.sleep(delay)
                process.send_signal(signal.SIGKILL)
                process.wait(60)
                self.assertIn(self.path("old.png").read_bytes(), (b"old", whole))
                if self.path("new.png").exists():
                    self.assertEqual(self.path("new.png").read_bytes(), whole)

    def test_an_interrupt_leaves_no_temporary_file(self):
        self.path("big.pgm").write_bytes(pnm_bytes(np.random.default_rng(1).integers(0, 256, (2000, 2000)).astype(np.uint8)))
        nameless = {**os.environ}
        named = {**os.environ, **support.FAULTS, "FAULT_NO_NAMELESS": "1"}
        for environment in (nameless, named):
            process = subprocess.Popen([support.PROGRAM, "resize", "big.pgm", "-o", "new.png", "--up", "3", "--level", "9", "--device", "cpu"],
                                       cwd=self.folder, stderr=subprocess.PIPE, env=environment)
            while not self.writes(process) and process.poll() is None:
                time.sleep(0.001)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)
            self.assertIn(process.returncode, (143, -signal.SIGTERM))
            self.assertEqual(self.names(), ["big.pgm", "in.png"])

    def writes(self, process):
        """True if the process has a file open in the folder that was not there before, with or without a name."""
        for entry in list(os.scandir(f"/proc/{process.pid}/fd")):
            try:
                target = os.readlink(entry.path)
            except OSError:
                continue
            if target.startswith(str(self.folder)) and ("deleted" in target or ".upfirdn-part" in target):
                return True
        return False


class Values(ProgramTest):
    def test_values_that_begin_with_a_dash(self):
        array = np.random.default_rng(1).integers(0, 256, (6, 6)).astype(np.uint8)
        for spaced, joined in ((("--shift", "-0.5,0"), "--shift=-0.5,0"), (("--shift", "-.5,-1"), "--shift=-.5,-1")):
            np.testing.assert_array_equal(self.process("resize", array, *SIZE, *spaced),
                                          self.process("resize", array, *SIZE, joined))
        for spaced, joined in ((("--taps", "-.5,1"), "--taps=-.5,1"), (("--taps", "-0.5,-0"), "--taps=-0.5,-0"),
                               (("--taps-x", "-1,3", "--pad", "-1,2"), ("--taps-x=-1,3", "--pad=-1,2")),
                               (("--taps", "1,2", "--bias", "-5"), ("--taps=1,2", "--bias=-5")),
                               (("--taps", "1,2", "--gain", "-1", "--border", "constant:-3"),
                                ("--taps=1,2", "--gain=-1", "--border=constant:-3"))):
            joined = (joined,) if isinstance(joined, str) else joined
            np.testing.assert_array_equal(self.process("filter", array, *spaced), self.process("filter", array, *joined))

    def test_two_dashes_end_the_options(self):
        self.path("--size").write_bytes(pnm_bytes(np.full((4, 4), 3, np.uint8)))
        self.succeed("resize", "-o", "out.pgm", "--size=2x2", "--", "--size")
        self.assertEqual(read_pnm(self.path("out.pgm"))[0].tolist(), [[3, 3], [3, 3]])


if __name__ == "__main__":
    unittest.main()
