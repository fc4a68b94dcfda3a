"""Runs the program under test and reads and writes arrays. Shares no code with the product.

UPFIRDN names the program; UPFIRDN_TEST_DEVICE (default cpu) is handed to every `filter` and `resize`.
"""

import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

PROGRAM = os.environ.get("UPFIRDN", "upfirdn")
DEVICE = os.environ.get("UPFIRDN_TEST_DEVICE", "cpu")
# Memory is measured only where it is the program's own, not CUDA's or a sanitizer's.
MEASURES_MEMORY = DEVICE == "cpu" and os.environ.get("UPFIRDN_TEST_SANITIZED", "0") != "1"
REPOSITORY = Path(__file__).resolve().parents[2]
DATA = REPOSITORY / "tests" / "data"
# A library that makes the system say no, see faults.cpp; a sanitizer has to be told that it comes first.
FAULTS = {"LD_PRELOAD": os.environ.get("UPFIRDN_TEST_FAULTS", ""), "ASAN_OPTIONS": "verify_asan_link_order=0"}
BORDERS = ("zero", "edge", "reflect", "mirror", "wrap", "constant:37")


class Result:
    """What one run left: exit code (negative: the signal), standard output as bytes, standard error as text."""

    def __init__(self, command, completed):
        self.command = " ".join(str(part) for part in command)
        self.code = completed.returncode
        self.out = completed.stdout
        self.err = completed.stderr.decode("utf-8", "replace")

    def __str__(self):
        return f"{self.command}\nexit {self.code}\n{self.err}"


def run(*arguments, stdin=None, cwd=None, env=None, timeout=60, device=None, limit=None):
    """Runs the program. `limit` is called in the child before it starts (resource limits)."""
    command = [PROGRAM, *[str(a) for a in arguments]]
    if arguments and arguments[0] in ("resize", "filter") and not any(str(a).startswith("--device") for a in arguments):
        command[2:2] = ["--device", device or DEVICE]
    environment = {**os.environ, **(env or {})}
    completed = subprocess.run(command, input=b"" if stdin is None else stdin, capture_output=True, cwd=cwd,
                               env=environment, timeout=timeout, preexec_fn=limit, check=False)
    return Result(command, completed)


def has_gpu():
    """True if the program itself can use a CUDA device."""
    with tempfile.TemporaryDirectory() as folder:
        write_npy(Path(folder) / "a.npy", np.zeros((2, 2), np.float32))
        result = run("resize", "a.npy", "-o", "b.npy", "--size", "1x1", "--device", "cuda", cwd=folder)
        return result.code == 0


def write_npy(path, array):
    np.save(path, array, allow_pickle=False)


def read_npy(path):
    return np.load(path, allow_pickle=False)


class ProgramTest(unittest.TestCase):
    """A test with a folder of its own; relative paths of a run are inside it."""

    maxDiff = 2000

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="upfirdn-test-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def path(self, name):
        return self.folder / name

    def names(self):
        return sorted(entry.name for entry in self.folder.iterdir())

    def run_program(self, *arguments, **options):
        options.setdefault("cwd", self.folder)
        return run(*arguments, **options)

    def succeed(self, *arguments, **options):
        """Runs and expects exit code 0."""
        result = self.run_program(*arguments, **options)
        self.assertEqual(result.code, 0, str(result))
        return result

    def fail_with(self, code, *arguments, naming=(), **options):
        """Runs and expects this exit code and exactly one line of message that holds the words `naming`."""
        result = self.run_program(*arguments, **options)
        self.assertEqual(result.code, code, str(result))
        lines = result.err.splitlines()
        self.assertEqual(len(lines), 1, str(result))
        self.assertTrue(lines[0].startswith("upfirdn: "), str(result))
        for word in [naming] if isinstance(naming, str) else naming:
            self.assertIn(word, lines[0], str(result))
        return result

    def process(self, command, array, *arguments, **options):
        """The array that `command` makes of `array`, through .npy files."""
        write_npy(self.path("process_in.npy"), array)
        self.succeed(command, "process_in.npy", "-o", "process_out.npy", "--overwrite", *arguments, **options)
        return read_npy(self.path("process_out.npy"))

    def filter_row(self, row, taps, *, up=1, down=1, pad=(0, 0), border="zero", dtype=np.uint8, extra=()):
        """UFD(up, down, pad, taps, border) of a row, as a row, as a column and repeated over 8 rows: all must agree."""
        row = np.asarray(row, dtype)
        taps = taps if isinstance(taps, str) else ",".join(repr(float(t)) for t in taps)
        common = ["--border", border, *extra]
        along_x = [f"--taps-x={taps}", "--up", f"{up},1", "--down", f"{down},1", f"--pad={pad[0]},{pad[1]},0,0", *common]
        along_y = [f"--taps-y={taps}", "--up", f"1,{up}", "--down", f"1,{down}", f"--pad=0,0,{pad[0]},{pad[1]}", *common]
        return self.agree(self.process("filter", row[None, :], *along_x),
                          self.process("filter", row[:, None], *along_y),
                          self.process("filter", np.tile(row, (8, 1)), *along_x))

    def resize_row(self, row, length, *extra, dtype=np.uint8):
        """`resize` of a row to `length`, as a row, as a column and repeated over 8 rows: all must agree."""
        row = np.asarray(row, dtype)
        return self.agree(self.process("resize", row[None, :], "--size", f"{length}x1", *extra),
                          self.process("resize", row[:, None], "--size", f"1x{length}", *extra),
                          self.process("resize", np.tile(row, (8, 1)), "--size", f"{length}x8", *extra))

    def agree(self, as_row, as_column, as_rows):
        self.assertEqual(as_row.shape[0], 1)
        self.assertEqual(as_column.shape[1], 1)
        np.testing.assert_array_equal(as_column[:, 0], as_row[0])
        np.testing.assert_array_equal(as_rows, np.tile(as_row[0], (as_rows.shape[0], 1)))
        return as_row[0]

    def assert_row(self, actual, expected):
        np.testing.assert_array_equal(actual, np.asarray(expected, actual.dtype))


def restore_pipe_signal():
    """For `limit`: Python ignores SIGPIPE and children inherit that; shells do not."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
