"""Many files in one run: lists, shards, outputs that exist, in place, failures, reports."""

import base64
import json
import os
import pty
import signal
import subprocess
import time
import unittest

import jsonschema
import numpy as np

import support
from png_file import png_bytes, read_png
from pnm_file import pnm_bytes, read_pnm
from support import ProgramTest

HALF = ("--scale", "1/2")
SCHEMA = json.loads((support.REPOSITORY / "docs" / "report.schema.json").read_text())


class BatchTest(ProgramTest):
    def image(self, name, value=7, side=8):
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pnm_bytes(np.full((side, side), value, np.uint8)))
        return path

    def tree(self, folder="out"):
        """Files below a folder, as bytes, relative to it."""
        root = os.fsencode(self.path(folder))
        found = [os.path.relpath(os.path.join(place, name), root) for place, _, names in os.walk(root) for name in names]
        return sorted(found)


class Lists(BatchTest):
    def test_names_from_a_list_and_from_standard_input(self):
        for name in ("a.pgm", "in/b.pgm", "c d.pgm"):
            self.image(name)
        self.path("list").write_text("in/b.pgm\n\nc d.pgm")
        self.succeed("resize", "a.pgm", "--files-from", "list", "-o", "out/", *HALF)
        self.assertEqual(self.tree(), [b"a.pgm", b"b.pgm", b"c d.pgm"])
        self.succeed("resize", "--files-from", "-", "-o", "out2/", *HALF, stdin=b"a.pgm\nc d.pgm\n")
        self.assertEqual(self.tree("out2"), [b"a.pgm", b"c d.pgm"])

    def test_any_name_but_nul_is_a_name(self):
        names = [b"a\nb.pgm", b"\xff\xfe.pgm", b" lead.pgm", b"-dash.pgm", b"tab\t.pgm", b"%s.pgm", b"trail .pgm"]
        folder = os.fsencode(self.path("in"))
        os.mkdir(folder)
        for name in names:
            with open(os.path.join(folder, name), "wb") as file:
                file.write(pnm_bytes(np.full((8, 8), 3, np.uint8)))
        listed = b"\0".join(b"in/" + name for name in names)
        self.succeed("resize", "--files-from", "-", "--null", "-o", "out/", *HALF, stdin=listed)
        self.assertEqual(self.tree(), sorted(names))
        self.succeed("resize", "in", "-o", "again/", *HALF)
        self.assertEqual(self.tree("again"), sorted(names))

    def test_lists_that_cannot_be_used(self):
        self.image("a.pgm")
        self.path("empty").write_text("\n")
        self.fail_with(2, "resize", "--files-from", "none", "-o", "out/", *HALF, naming="none")
        self.fail_with(2, "resize", "--files-from", "empty", "-o", "out/", *HALF, naming="empty")
        self.fail_with(2, "resize", "--files-from", ".", "-o", "out/", *HALF, naming="folder")
        self.fail_with(2, "resize", "-", "--files-from", "-", "-o", "out/", *HALF, naming="-:")
        self.fail_with(2, "resize", "--files-from", "-", "-o", "out/", *HALF, stdin=b"-\n", naming="-:")
        self.fail_with(2, "resize", "--files-from", "-", "-o", "b.pgm", *HALF, stdin=b"a.pgm\n", naming="folder")
        self.fail_with(2, "resize", "-o", "out/", *HALF, naming="IN")
        result = self.run_program("resize", "--files-from", "-", "-o", "out/", *HALF, stdin=b"a.pgm\ngone.pgm\n")
        self.assertEqual((result.code, self.tree()), (1, [b"a.pgm"]), str(result))


class Shards(BatchTest):
    def test_shards_are_disjoint_and_hold_all_whatever_the_folder_is_called(self):
        for i in range(40):
            self.image(f"in/{i // 10}/{i}.pgm")
        self.path("elsewhere").symlink_to("in")
        parts = []
        for index in range(1, 5):
            shard = ("--shard", f"{index}/4")
            for folder, out in (("in", f"a{index}"), ("./in/", f"b{index}"), (self.path("in"), f"c{index}"), ("elsewhere", f"d{index}")):
                self.succeed("resize", folder, "-r", "-o", f"{out}/", *HALF, *shard)
            self.assertEqual(self.tree(f"a{index}"), self.tree(f"b{index}"))
            self.assertEqual(self.tree(f"a{index}"), self.tree(f"c{index}"))
            self.assertEqual(self.tree(f"a{index}"), self.tree(f"d{index}"))
            parts += self.tree(f"a{index}")
            self.succeed("resize", "in", "-r", "-o", "all/", *HALF, *shard)
        self.assertEqual(len(parts), 40)
        self.assertEqual(sorted(parts), self.tree("all"))

    def test_numbers_and_collisions_are_those_of_the_whole_batch(self):
        for i in range(12):
            self.image(f"in/{i:02}.pgm", value=i)
        for index in range(1, 4):
            self.succeed("resize", "in", "-o", "out/", "--name", "{n}.pgm", *HALF, "--shard", f"{index}/3")
        for i in range(12):
            self.assertEqual(read_pnm(self.path(f"out/{i + 1}.pgm"))[0][0, 0], i)
        self.path("in/00.ppm").write_bytes(self.path("in/00.pgm").read_bytes())
        for index in range(1, 4):
            self.fail_with(2, "resize", "in", "-o", "more/", "--format", "png", *HALF, "--shard", f"{index}/3", naming="00.png")

    def test_a_shard_may_be_empty_and_must_exist(self):
        self.image("in/a.pgm")
        codes = [self.succeed("resize", "in", "-o", "out/", *HALF, "--shard", f"{index}/9", "--skip-existing").code for index in range(1, 10)]
        self.assertEqual((codes, self.tree()), ([0] * 9, [b"a.pgm"]))
        for bad in ("0/4", "5/4", "1", "1/0", "a/b", "1/", "-1/4"):
            self.fail_with(2, "resize", "in", "-o", "out/", *HALF, f"--shard={bad}", naming="--shard")


class Replacing(BatchTest):
    def test_update_does_what_is_missing_or_older(self):
        for name in ("a.pgm", "b.pgm", "c.pgm"):
            self.image(f"in/{name}", value=5)
        self.succeed("resize", "in", "-o", "out/", *HALF)
        self.path("out/a.pgm").unlink()
        old = self.path("out/c.pgm").stat().st_mtime_ns
        self.image("in/b.pgm", value=9)
        os.utime(self.path("in/b.pgm"), ns=(old + 10**9, old + 10**9))
        os.utime(self.path("in/c.pgm"), ns=(old, old))
        self.path("out/c.pgm").write_bytes(b"kept")
        os.utime(self.path("out/c.pgm"), ns=(old, old))
        self.fail_with(2, "resize", "in", "-o", "out/", *HALF, naming="--update")
        self.succeed("resize", "in", "-o", "out/", *HALF, "--update")
        self.assertEqual(read_pnm(self.path("out/a.pgm"))[0][0, 0], 5)
        self.assertEqual(read_pnm(self.path("out/b.pgm"))[0][0, 0], 9)
        self.assertEqual(self.path("out/c.pgm").read_bytes(), b"kept")

    def test_times_are_kept_on_request(self):
        os.utime(self.image("a.pgm"), ns=(10**18, 10**18 + 5))
        self.succeed("resize", "a.pgm", "-o", "b.pgm", *HALF, "--keep-times")
        self.assertEqual(self.path("b.pgm").stat().st_mtime_ns, 10**18 + 5)
        self.succeed("resize", "a.pgm", "-o", "c.pgm", *HALF)
        self.assertGreater(self.path("c.pgm").stat().st_mtime_ns, 10**18 + 5)

    def test_only_one_rule_for_outputs_that_exist(self):
        self.image("a.pgm")
        for pair in (("--overwrite", "--update"), ("--skip-existing", "--update"), ("--overwrite", "--skip-existing")):
            self.fail_with(2, "resize", "a.pgm", "-o", "b.pgm", *HALF, *pair, naming=pair[0])


class InPlace(BatchTest):
    def test_inputs_are_replaced_and_keep_mode_and_links(self):
        self.image("in/a.pgm").chmod(0o640)
        self.image("in/sub/b.pgm")
        self.path("link.pgm").symlink_to("in/a.pgm")
        self.succeed("resize", "link.pgm", "in/sub", "--in-place", "--size", "4x4")
        self.assertTrue(self.path("link.pgm").is_symlink())
        self.assertEqual(self.path("in/a.pgm").stat().st_mode & 0o777, 0o640)
        for name in ("in/a.pgm", "in/sub/b.pgm"):
            self.assertEqual(read_pnm(self.path(name))[0].shape, (4, 4))
        before = self.path("in/a.pgm").read_bytes()
        self.succeed("resize", "in", "-r", "--in-place", "--size", "4x4")
        self.assertEqual(self.path("in/a.pgm").read_bytes(), before)

    def test_a_file_with_two_names_fails_and_stays(self):
        os.link(self.image("a.pgm"), self.path("b.pgm"))
        self.image("c.pgm")
        before = self.path("a.pgm").read_bytes()
        result = self.run_program("resize", "a.pgm", "c.pgm", "--in-place", "--size", "4x4")
        self.assertEqual(result.code, 1)
        self.assertIn("hard links", result.err)
        self.assertEqual(self.path("a.pgm").read_bytes(), before)
        self.assertEqual(read_pnm(self.path("c.pgm"))[0].shape, (4, 4))
        self.fail_with(2, "resize", "a.pgm", "b.pgm", "--in-place", "--size", "4x4", naming="name it once")

    def test_what_would_shrink_twice_needs_a_journal(self):
        self.image("a.pgm", side=32)
        for size in (HALF, ("--up", "2"), ("--size", "16x16", "--crop", "0,0,8,8"), ("--size", "16x16", "--bias", "1"),
                     ("--size", "16x16", "--shift", "1,0")):
            self.fail_with(2, "resize", "a.pgm", "--in-place", *size, naming="--journal")
        self.fail_with(2, "filter", "a.pgm", "--in-place", "--taps", "1,3,3,1", naming="--journal")
        self.succeed("resize", "a.pgm", "--in-place", *HALF, "--journal", "j")
        self.assertEqual(read_pnm(self.path("a.pgm"))[0].shape, (16, 16))
        self.image("b.pgm", side=32)
        self.succeed("resize", "a.pgm", "b.pgm", "--in-place", *HALF, "--journal", "j")
        self.assertEqual(read_pnm(self.path("a.pgm"))[0].shape, (16, 16))
        self.assertEqual(read_pnm(self.path("b.pgm"))[0].shape, (16, 16))
        self.fail_with(2, "resize", "a.pgm", "--in-place", "--scale", "1/4", "--journal", "j", naming="another request")
        self.fail_with(2, "resize", "a.pgm", "--in-place", *HALF, "--journal", "b.pgm", naming="journal")

    def test_what_does_not_go_with_in_place(self):
        self.image("a.pgm")
        for more, word in ((("-o", "b.pgm"), "--output"), (("--format", "png"), "--format"), (("--overwrite",), "--overwrite"),
                           (("--name", "{n}"), "--name"), (("--update",), "--update")):
            self.fail_with(2, "resize", "a.pgm", "--in-place", "--size", "4x4", *more, naming=word)
        self.fail_with(2, "resize", "-", "--in-place", "--size", "4x4", naming="-o")
        self.fail_with(2, "resize", "a.pgm", "-o", "b.pgm", "--size", "4x4", "--journal", "j", naming="--in-place")


class Failing(BatchTest):
    def test_failed_inputs_are_listed_for_the_next_run(self):
        for name in ("a.pgm", "c.pgm"):
            self.image(name)
        self.path("b d.pgm").write_text("no image")
        names = ("a.pgm", "b d.pgm", "c.pgm", "gone.pgm")
        result = self.run_program("resize", *names, "-o", "out/", *HALF, "--failed", "failed")
        self.assertEqual(result.code, 1, str(result))
        self.assertEqual(self.path("failed").read_text(), "b d.pgm\ngone.pgm\n")
        self.image("b d.pgm")
        self.image("gone.pgm")
        self.succeed("resize", "--files-from", "failed", "-o", "out/", *HALF, "--failed", "failed")
        self.assertEqual(self.path("failed").read_text(), "")
        self.assertEqual(len(self.tree()), 4)
        self.path("x\ny").write_text("no image")
        self.run_program("resize", "x\ny", "a.pgm", "-o", "out/", *HALF, "--overwrite", "--failed", "failed", "--null")
        self.assertEqual(self.path("failed").read_bytes(), b"x\ny\0")
        result = self.run_program("resize", "x\ny", "a.pgm", "-o", "out/", *HALF, "--overwrite", "--failed", "failed")
        self.assertIn("--null", result.err)

    def test_fail_fast_begins_nothing_more(self):
        self.path("in").mkdir()
        self.path("in/00.pgm").write_bytes(b"P5\n9 9\n255\n")
        for i in range(1, 60):
            self.image(f"in/{i:02}.pgm")
        result = self.run_program("resize", "in", "-o", "out/", *HALF, "--fail-fast", "-j", "1")
        self.assertEqual((result.code, self.tree()), (1, []), str(result))
        self.assertIn("59 not begun", result.err)

    def test_images_are_never_taken_for_lists(self):
        before = self.image("a.pgm").read_bytes()
        for option in ("--report", "--failed"):
            self.fail_with(2, "resize", "a.pgm", "-o", "out/", *HALF, option, "a.pgm", naming="a.pgm")
            self.fail_with(2, "resize", "a.pgm", "-o", "out/", *HALF, option, "out/a.pgm", naming="a.pgm")
        self.fail_with(2, "resize", "a.pgm", "-o", "out/", *HALF, "--report", "r", "--failed", "r", naming="r:")
        self.path("notes.txt").write_text("mine")
        self.fail_with(2, "resize", "a.pgm", "-o", "out/", *HALF, "--report", "notes.txt", naming="no report")
        self.fail_with(2, "resize", "a.pgm", "-o", "-", "--format", "png", *HALF, "--report", "-", naming="--report")
        self.assertEqual((self.path("a.pgm").read_bytes(), self.path("notes.txt").read_text()), (before, "mine"))

    def test_a_disk_that_takes_no_more_stops_the_batch_with_one_line(self):
        for i in range(30):
            self.path(f"{i:02}.pgm").write_bytes(pnm_bytes(np.random.default_rng(i).integers(0, 256, (100, 100)).astype(np.uint8)))
        names = sorted(name for name in self.names() if name.endswith(".pgm"))
        whole = self.run_program("resize", *names, "-o", "whole/", "--scale", "1")
        self.assertEqual(whole.code, 0)
        for number, words in ((28, "No space left"), (122, "quota"), (30, "Read-only")):
            for nameless in ({}, {"FAULT_NO_NAMELESS": "1"}):
                out = f"out{number}{len(nameless)}/"
                faults = {**support.FAULTS, "FAULT_AFTER": "55000", "FAULT_ERRNO": str(number), **nameless}
                result = self.fail_with(1, "resize", *names, "-o", out, "--scale", "1", naming=[words, "not begun"], env=faults)
                made = self.tree(out)
                self.assertLessEqual(1, len(made), str(result))
                self.assertLess(len(made), 6)
                for name in made:
                    self.assertEqual((self.path(out) / os.fsdecode(name)).read_bytes(), (self.path("whole") / os.fsdecode(name)).read_bytes())
                self.succeed("resize", *names, "-o", out, "--scale", "1", "--skip-existing")
                self.assertEqual(len(self.tree(out)), 30)
        result = self.run_program("resize", *names, "-o", "io/", "--scale", "1",
                                  env={**support.FAULTS, "FAULT_AFTER": "55000", "FAULT_ERRNO": "5"})
        self.assertEqual(len(result.err.splitlines()), 26, str(result))  # a bad sector is one file's failure


class Reports(BatchTest):
    def lines(self, text):
        lines = [json.loads(line) for line in text.splitlines()]
        for line in lines:
            jsonschema.validate(line, SCHEMA)
        return lines

    def batch(self):
        for name in ("in/good.pgm", "in/there.pgm", "in/z.pgm"):
            self.image(name)
        self.path("in/bad.pgm").write_bytes(b"P5\n9 9\n255\n")
        self.path("in/readme").write_text("no image")
        self.image("out/there.pgm")

    def test_good_bad_skipped_and_colliding_files(self):
        jsonschema.Draft7Validator.check_schema(SCHEMA)
        self.batch()
        result = self.run_program("resize", "in", "-o", "out/", *HALF, "--skip-existing", "--report", "r.jsonl")
        self.assertEqual(result.code, 1, str(result))
        lines = {line["in"]: line for line in self.lines(self.path("r.jsonl").read_text())}
        self.assertEqual({name: line["status"] for name, line in lines.items()},
                         {"in/good.pgm": "done", "in/z.pgm": "done", "in/bad.pgm": "failed", "in/there.pgm": "skipped", "in/readme": "skipped"})
        good = lines["in/good.pgm"]
        self.assertEqual((good["out"], good["input"]["width"], good["output"]["height"], good["output"]["type"]), ("out/good.pgm", 8, 4, "u8"))
        self.assertEqual(good["output"]["bytes"], self.path("out/good.pgm").stat().st_size)
        self.assertIn("gaussian", good["filter"])
        self.assertEqual((lines["in/bad.pgm"]["exit_code"], lines["in/there.pgm"]["reason"]), (1, "output exists"))
        self.image("in/good.ppm")
        self.fail_with(2, "resize", "in", "-o", "more/", "--format", "png", *HALF, "--report", "r.jsonl", naming="good.png")
        refused = self.lines(self.path("r.jsonl").read_text())
        self.assertEqual([(line["status"], line["in"], line["exit_code"]) for line in refused], [("refused", "in/good.ppm", 2)])

    def test_a_report_on_standard_output(self):
        self.batch()
        result = self.run_program("resize", "in", "-o", "new/", *HALF, "--report", "-")
        self.assertEqual(sorted(line["status"] for line in self.lines(result.out.decode())), ["done"] * 3 + ["failed", "skipped"])

    def test_names_that_are_no_text(self):
        name = b"\xff\n.pgm"
        with open(os.path.join(os.fsencode(self.folder), name), "wb") as file:
            file.write(pnm_bytes(np.full((8, 8), 3, np.uint8)))
        self.succeed("resize", os.fsdecode(name), "-o", "out/", *HALF, "--report", "r")
        line = self.lines(self.path("r").read_text())[0]
        self.assertEqual(base64.b64decode(line["in_base64"]), name)
        self.assertEqual(base64.b64decode(line["out_base64"]), b"out/" + name)

    def test_a_line_for_the_terminal(self):
        for i in range(5):
            self.image(f"in/{i}.pgm")
        result = self.succeed("resize", "in", "-o", "a/", *HALF, "--progress", "always")
        self.assertIn("5/5 images", result.err)
        self.assertIn("images/s", result.err)
        self.assertEqual(self.succeed("resize", "in", "-o", "b/", *HALF).err, "")
        self.assertEqual(self.succeed("resize", "in", "-o", "c/", *HALF, "--progress", "always", "-q").err, "")
        try:
            master, slave = pty.openpty()
        except OSError as error:
            self.skipTest(f"no pseudo-terminals here: {error}")
        process = subprocess.Popen([support.PROGRAM, "resize", "in", "-o", "d/", *HALF, "--device", support.DEVICE], cwd=self.folder, stderr=slave)
        os.close(slave)
        seen = b""
        try:
            while piece := os.read(master, 4096):
                seen += piece
        except OSError:  # the other end is closed
            pass
        os.close(master)
        self.assertEqual(process.wait(60), 0)
        self.assertIn(b"left", seen)

    def test_verbose_lines_and_a_summary(self):
        self.batch()
        result = self.run_program("resize", "in", "-o", "out/", *HALF, "--skip-existing", "-v")
        self.assertIn("good.pgm -> out/good.pgm 4x4 u8", result.err)
        self.assertIn("2 of 3 images done, 1 failed, 1 skipped", result.err)

    def test_verify_works_in_batches(self):
        self.batch()
        self.path("in/bad.pgm").unlink()
        self.succeed("resize", "in", "-o", "new/", *HALF, "--verify")
        self.assertEqual(len(self.tree("new")), 3)


if __name__ == "__main__":
    unittest.main()
