"""Every command that the README shows runs, on the sample data, as written."""

import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

import numpy as np

import metadata_file as m
import support
from dicom_phantom import phantom
from png_file import png_bytes
from support import ProgramTest

README = support.REPOSITORY / "README.md"
SKIPPED = re.compile(r"<!--\s*not run:\s*(.+?)\s*-->")


def blocks():
    """[(line number, reason not to run or None, [commands that begin with upfirdn])] of the ```sh blocks."""
    found, inside, reason, commands, start = [], False, None, [], 0
    for number, line in enumerate(README.read_text(encoding="utf-8").splitlines(), 1):
        if inside and line.startswith("```"):
            inside = False
            found.append((start, reason, joined(commands)))
            reason, commands = None, []
        elif inside:
            commands.append(line)
        elif line.startswith("```sh"):
            inside, start = True, number
        elif SKIPPED.search(line):
            reason = SKIPPED.search(line)[1]
        elif line.strip():
            reason = None
    return found


def joined(lines):
    """Whole commands: continued lines are one, prompts are dropped, comments after a command stay the shell's."""
    text = re.sub(r"\\\n\s*", " ", "\n".join(line.removeprefix("$ ") for line in lines))
    return [line.strip() for line in text.splitlines() if re.match(r"\s*(\S+=\S* )*upfirdn\b", line)]


class Readme(ProgramTest):
    def setUp(self):
        super().setUp()
        data = self.path("data")
        shutil.copytree(support.REPOSITORY / "data", data)
        self.path("scans").mkdir()
        for number, kind in enumerate(("png", "tif", "pgm"), 1):
            shutil.copy(data / f"xray.{kind}", self.path(f"scan.{kind}"))
            shutil.copy(data / f"xray.{kind}", self.path(f"scans/scan{number}.{kind}"))
        self.path("scan.dcm").write_bytes(phantom()[0])
        shutil.copy(data / "taps" / "half_band.txt", self.path("taps.txt"))
        noise = np.random.default_rng(1)
        self.path("photo.png").write_bytes(png_bytes(noise.integers(0, 256, (64, 96, 4)).astype(np.uint8)))
        self.path("photo.jpg").write_bytes(self.photograph(noise.integers(0, 256, (64, 96, 3)).astype(np.uint8)))
        support.write_npy(self.path("batch.npy"), noise.integers(0, 65536, (4, 64, 48, 3)).astype(np.uint16))
        self.path("bin").mkdir()
        self.path("bin/upfirdn").symlink_to(Path(support.PROGRAM).resolve())

    def photograph(self, array):
        """A JPEG that is stored turned, with EXIF and a profile."""
        self.path("plain.png").write_bytes(png_bytes(array))
        self.succeed("resize", "plain.png", "-o", "plain.jpg", "--scale", "1")
        return m.with_markers(self.path("plain.jpg").read_bytes(), (m.APP1, m.EXIF_MARK + m.exif(orientation=6)),
                              *m.profile_markers(m.profile()))

    def test_every_command_runs(self):
        environment = {**os.environ, "PATH": f"{self.path('bin')}:{os.environ['PATH']}"}
        ran = 0
        for start, reason, commands in blocks():
            if reason:
                self.assertTrue(all("cuda" in command for command in commands), f"line {start}: only GPU blocks may be skipped")
                continue
            for command in commands:
                done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=self.folder, env=environment,
                                      capture_output=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
                self.assertEqual(done.returncode, 0, f"README.md line {start}: {command}\n{done.stderr.decode()}")
                ran += 1
        self.assertGreaterEqual(ran, 10, "the README shows at least ten commands")


if __name__ == "__main__":
    unittest.main()
