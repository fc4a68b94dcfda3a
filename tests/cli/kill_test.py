"""Batches that are killed or run out of space: what is there is whole, nothing stays behind, and a second run completes it."""

import os
import random
import shutil
import subprocess
import time
import unittest

import numpy as np

import support
from pnm_file import pnm_bytes
from support import ProgramTest

FILES = 500
KILLS = 50
NAMED = {**support.FAULTS, "FAULT_NO_NAMELESS": "1"}  # as on file systems that have no files without a name


class ManyFiles(ProgramTest):
    def setUp(self):
        super().setUp()
        self.path("in").mkdir()
        rng = np.random.default_rng(8)
        for i in range(FILES):
            side = int(rng.integers(40, 200))
            self.path(f"in/{i:03}.pgm").write_bytes(pnm_bytes(rng.integers(0, 65536, (side, side)).astype(np.uint16)))
        self.random = random.Random(8)

    def convert(self, out, *more, folder="in"):
        return ("resize", folder, "-o", out, "--format", "png", "--scale", "1/2", *more)

    def contents(self, folder):
        """Bytes of every file below a folder, hidden ones too."""
        return {entry.name: self.path(f"{folder}/{entry.name}").read_bytes() for entry in os.scandir(self.path(folder))}


class Killed(ManyFiles):
    def kill_after(self, seconds, arguments, environment):
        """True if the run did not end by itself before."""
        process = subprocess.Popen([support.PROGRAM, *arguments, "--device", support.DEVICE], cwd=self.folder,
                                   stderr=subprocess.DEVNULL, env={**os.environ, **environment})
        time.sleep(seconds)
        process.kill()
        return process.wait(60) != 0

    def kill_often(self, arguments, environment, after_kill, start_over):
        """Kills runs at random moments until KILLS of them were killed; begins anew when all is done. Most kills shall meet some work:
        the time until they come follows the speed of the machine."""
        longest, kills, before, in_between = 0.05, 0, 0, set()
        while kills < KILLS:
            if not self.kill_after(self.random.uniform(0, longest), arguments, environment):
                start_over()
                longest, before = 0.8 * longest, 0
                continue
            kills += 1
            there = after_kill()
            if there == before:
                longest = min(1.3 * longest, 20)
            elif there - before > FILES // 10:
                longest *= 0.8
            if 0 < there < FILES:
                in_between.add(there)
            before = there
        self.assertGreater(len(in_between), 5)

    def test_a_batch_that_is_killed_and_resumed_gives_the_bytes_of_one_that_was_not(self):
        self.succeed(*self.convert("whole/"), timeout=300)
        whole = self.contents("whole")
        self.assertEqual(len(whole), FILES)
        for environment, rule in (({}, "--skip-existing"), (NAMED, "--skip-existing"), (NAMED, "--update")):
            def check_what_is_there():
                there = {name: data for name, data in self.contents("out").items() if not name.startswith(".")} if self.path("out").exists() else {}
                for name, data in there.items():
                    self.assertEqual(data, whole[name], name)
                return len(there)

            def remove_outputs():
                shutil.rmtree(self.path("out"), ignore_errors=True)

            with self.subTest(rule=rule, named=bool(environment)):
                self.kill_often(self.convert("out/", rule), environment, check_what_is_there, remove_outputs)
                self.succeed(*self.convert("out/", rule), env=environment, timeout=300)
                self.assertEqual(self.contents("out"), whole)
                remove_outputs()

    def test_a_batch_in_place_that_is_killed_and_resumed_changes_each_file_once(self):
        def halve(folder):
            return ("resize", folder, "--in-place", "--scale", "1/2", "--journal", f"{folder}.journal")

        shutil.copytree(self.path("in"), self.path("whole"))
        self.succeed(*halve("whole"), timeout=300)
        whole = self.contents("whole")
        before = self.contents("in")
        for environment in ({}, NAMED):
            def start_over():
                shutil.rmtree(self.path("work"), ignore_errors=True)
                self.path("work.journal").unlink(missing_ok=True)
                shutil.copytree(self.path("in"), self.path("work"))

            def check_what_is_there():
                there = {name: data for name, data in self.contents("work").items() if not name.startswith(".")}
                self.assertEqual(there.keys(), whole.keys())
                for name, data in there.items():
                    self.assertIn(data, (whole[name], before[name]), name)
                return sum(data == whole[name] for name, data in there.items())

            with self.subTest(named=bool(environment)):
                start_over()
                self.kill_often(halve("work"), environment, check_what_is_there, start_over)
                self.succeed(*halve("work"), env=environment, timeout=300)
                self.assertEqual(self.contents("work"), whole)

    def test_shards_at_the_same_time_leave_each_others_files_alone(self):
        self.succeed(*self.convert("whole/"), timeout=300)
        self.path("out").mkdir()
        self.path("out/.000.png.abcd0123.upfirdn-part").write_text("of a killed process")
        for environment in ({}, NAMED):
            shards = [subprocess.Popen([support.PROGRAM, *self.convert("out/", "--shard", f"{i}/4", "--overwrite"), "--device", support.DEVICE],
                                       cwd=self.folder, env={**os.environ, **environment}) for i in range(1, 5)]
            self.assertEqual([shard.wait(300) for shard in shards], [0] * 4)
            self.assertEqual(self.contents("out"), self.contents("whole"))

    def test_an_injected_write_error_leaves_whole_files_or_none(self):
        self.succeed(*self.convert("whole/"), timeout=300)
        whole = self.contents("whole")
        for after in (0, 100_000, 1_500_000):
            for environment in ({}, NAMED):
                faults = {**support.FAULTS, "FAULT_AFTER": str(after), "FAULT_ERRNO": "28", **environment}
                self.fail_with(1, *self.convert("out/"), env=faults, naming="No space left", timeout=300)
                self.assertLessEqual(self.contents("out").items(), whole.items())
                self.succeed(*self.convert("out/", "--skip-existing"), env=environment, timeout=300)
                self.assertEqual(self.contents("out"), whole)
                shutil.rmtree(self.path("out"))


@unittest.skipUnless(os.geteuid() == 0, "only root can mount a small file system")
class FullDisk(ManyFiles):
    def setUp(self):
        super().setUp()
        self.path("small").mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=5m", "tmpfs", self.path("small")], check=True)
        self.addCleanup(subprocess.run, ["umount", self.path("small")], check=True)

    def test_a_full_disk_stops_the_batch_and_more_space_completes_it(self):
        self.succeed(*self.convert("whole/"), timeout=300)
        whole = self.contents("whole")
        self.assertGreater(sum(map(len, whole.values())), 1.1 * 2**20)
        self.path("small/ballast").write_bytes(bytes(4 * 2**20))
        self.path("small/out").mkdir()
        for environment in ({}, NAMED):
            result = self.fail_with(1, *self.convert("small/out/", "--skip-existing"), env=environment, naming=["No space left", "not begun"], timeout=300)
            made = self.contents("small/out")
            self.assertLessEqual(made.items(), whole.items(), str(result))
            self.assertLess(len(made), FILES)
        self.path("small/ballast").unlink()
        self.succeed(*self.convert("small/out/", "--skip-existing"), timeout=300)
        self.assertEqual(self.contents("small/out"), whole)

    def test_a_read_only_disk_stops_the_batch_with_one_line(self):
        subprocess.run(["mount", "-o", "remount,ro", self.path("small")], check=True)
        self.fail_with(1, *self.convert("small"), naming="Read-only")
        self.assertEqual(self.contents("small"), {})


if __name__ == "__main__":
    unittest.main()
