"""Every golden vector through the program. Also a script: prints one line a folder and kind.

The manifests are explained in tests/data/golden/README.md. Each case is one run on .npy files; UPFIRDN_TEST_DEVICE
chooses the device, UPFIRDN_TEST_JOBS how many runs at a time (2).
"""

import collections
import json
import os
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import numpy as np

import oracle
import support

GOLDEN = support.DATA / "golden"
JOBS = int(os.environ.get("UPFIRDN_TEST_JOBS", "2"))
TYPES = {"u8": "u1", "u16": "<u2", "s16": "<i2", "f16": "<f2", "f32": "<f4"}
# (folder, kind): why it is expected to fail for now. Such cases run and are printed as "later"; none is skipped.
LATER = {}


def cases(folder):
    return [dict(case, folder=folder) for case in json.loads((GOLDEN / folder / "manifest.json").read_text())]


def pair(values):
    return ",".join(str(v) for v in values)


def operator_arguments(case, folder):
    arguments = ["--up", pair(case["up"]), "--down", pair(case["down"]), f"--pad={pair(case['pad'])}",
                 f"--gain={case['gain']!r}", "--border", case["border"]]
    if "taps_2d" in case:
        matrix = Path(folder) / f"{case['name']}_taps.npy"
        support.write_npy(matrix, np.array(case["taps_2d"]))
        arguments += ["--taps-file", str(matrix)]
    else:
        arguments += [f"--taps-x={pair(case['taps_x'])}", f"--taps-y={pair(case['taps_y'])}"]
    arguments += [] if case["normalize"] else ["--no-normalize"]
    arguments += ["--flip"] if case["flip"] else []
    if "bias" in case:
        arguments += [f"--bias={pair(case['bias'])}", "--act", case["act"], f"--slope={case['alpha']!r}",
                      f"--act-gain={case['act_gain']!r}"]
        arguments += [f"--clamp={case['clamp']!r}"] if case["clamp"] is not None else []
    return "filter", arguments


def resize_arguments(case, _folder):
    if "size" in case:
        big = ["--size", f"{case['size'][0]}x{case['size'][1]}"]
    else:
        big = ["--up", pair(case["up"]), "--down", pair(case["down"])]
    return "resize", ["--filter", case["filter"], "--border", case["border"], *big]


def listed_arguments(case, _folder):
    taps = str(GOLDEN / case["folder"] / case["taps"]) if "taps" in case else ""
    return case["command"], [taps if a == "{taps}" else a for a in case["args"]]


ARGUMENTS = {"upfirdn2d": operator_arguments, "resize": resize_arguments, "pixels": listed_arguments,
             "bytes": listed_arguments}


def operator_error(case, source):
    """E for an operator case."""
    height, width = source.shape[:2]
    value = abs(oracle.border_value(case["border"]))
    options = {"largest": max(float(np.abs(source).max()), value), "gain": case["gain"],
               "act_gain": case.get("act_gain", 1.0), "epilogue_maxval": 1.0 if "bias" in case else None}
    (up_x, up_y), scale = case["up"], 1.0
    if "taps_2d" in case:
        matrix = np.array(case["taps_2d"])
        scale = up_x * up_y / matrix.sum() if case["normalize"] else 1.0
        phases = [matrix[y::up_y, x::up_x] * scale for y in range(up_y) for x in range(up_x)]
        return oracle.bound(([phase.reshape(-1) for phase in phases], None), **options)
    taps_x, taps_y = case["taps_x"], case["taps_y"]
    if case["normalize"]:
        taps_x, taps_y = oracle.normalised(taps_x, up_x), oracle.normalised(taps_y, up_y)
    x0, x1, y0, y1 = case["pad"]
    return oracle.bound(oracle.operator_axis(width, taps_x, up_x, case["down"][0], x0, x1),
                        oracle.operator_axis(height, taps_y, up_y, case["down"][1], y0, y1), **options)


def resize_error(case, source):
    """E for a resize case."""
    axes = []
    for axis, length in ((0, source.shape[1]), (1, source.shape[0])):
        out = case["out_size"][axis]
        ratio = Fraction(length, out) if "size" in case else Fraction(case["down"][axis], case["up"][axis])
        axes.append(oracle.resize_axis(length, out, ratio, case["filter"]))
    return oracle.bound(*axes, largest=float(np.abs(source.astype(float)).max()))


def difference(actual, expected, error, kind):
    """None if `actual` is what `expected`, float64 before rounding, allows; else a sentence."""
    dtype = np.dtype(TYPES[kind])
    if actual.dtype != dtype or actual.shape != expected.shape:
        return f"is {actual.dtype}{actual.shape}, not {dtype}{expected.shape}"
    compared = ~np.isinf(expected)
    found, wanted = actual[compared], expected[compared]
    if dtype.kind == "f":
        bad = float_difference(found, wanted, error, dtype)
    else:
        bad = integer_difference(found, wanted, error, np.iinfo(dtype))
    if not bad.any():
        return None
    at = int(np.argmax(bad))
    return f"{int(bad.sum())} of {bad.size} samples differ, first {found[at]!r} for {wanted[at]!r}, E {error:.3g}"


def float_difference(found, wanted, error, dtype):
    nan = np.isnan(wanted)
    rounded = np.where(nan, 0, wanted).astype(dtype)
    ulp = np.spacing(np.abs(rounded)).astype(float)
    with np.errstate(invalid="ignore"):
        bad = np.abs(found.astype(float) - wanted) > error + ulp / 2
    return np.where(nan, ~np.isnan(found), bad | np.isnan(found))


def integer_difference(found, wanted, error, limits):
    wanted = np.where(np.isnan(wanted), 0, wanted)
    off = np.abs(found.astype(float) - np.clip(wanted, limits.min, limits.max))
    return off > 0.5 + min(error, 0.5)


def judge(case, source, actual, expected):
    """None, or how the output differs."""
    folder = case["folder"]
    if folder == "bytes":
        if actual.dtype != expected.dtype or actual.shape != expected.shape:
            return f"is {actual.dtype}{actual.shape}, not {expected.dtype}{expected.shape}"
        bits = np.dtype(f"u{actual.dtype.itemsize}")
        wrong = np.ascontiguousarray(actual).view(bits) != np.ascontiguousarray(expected).view(bits)
        first = tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.any() else ()
        return f"{int(wrong.sum())} of {wrong.size} samples differ, first at {first}: {actual[first]!r} for " \
               f"{expected[first]!r}" if wrong.any() else None
    if folder == "upfirdn2d":
        return difference(actual, expected, operator_error(case, source), "f32")
    if folder == "resize":
        return difference(actual, expected, resize_error(case, source), "u16")
    return difference(actual, expected, case["error"], case["type"])


def check(case):
    """(case, None or what is wrong)."""
    with tempfile.TemporaryDirectory(prefix="upfirdn-golden-") as folder:
        command, arguments = ARGUMENTS[case["folder"]](case, folder)
        source = GOLDEN / case["folder"] / case["input"]
        out = Path(folder) / "out.npy"
        result = support.run(command, source, "-o", out, *arguments)
        if result.code != 0 or not out.exists():
            return case, f"exit {result.code}, output {'written' if out.exists() else 'missing'}: {result.err.strip()}"
        expected = support.read_npy(GOLDEN / case["folder"] / case["output"])
        wrong = judge(case, support.read_npy(source), support.read_npy(out), expected)
        return case, f"{wrong}\n    {command} {source.name} {' '.join(arguments)[:300]}" if wrong else None


def run_all(folders=tuple(ARGUMENTS)):
    """({(folder, kind): [passed, total]}, [messages of failures], [messages of failures expected for now])."""
    listed = [case for folder in folders for case in cases(folder)]
    table, failures, later = collections.OrderedDict(), [], []
    with ThreadPoolExecutor(JOBS) as pool:
        for case, wrong in pool.map(check, listed):
            key = (case["folder"], case.get("kind", ""))
            counts = table.setdefault(key, [0, 0])
            counts[0] += wrong is None
            counts[1] += 1
            if wrong:
                (later if key in LATER else failures).append(f"{case['folder']} {key[1]} {case['name']}: {wrong}")
    return table, failures, later


def summary(table):
    lines = []
    for folder in ARGUMENTS:
        kinds = {kind: counts for (where, kind), counts in table.items() if where == folder}
        if not kinds:
            continue
        passed, total = (sum(counts[i] for counts in kinds.values()) for i in (0, 1))
        lines.append(f"{folder}: {passed} of {total}")
        for kind, (good, count) in sorted(kinds.items()) if "" not in kinds else ():
            reason = LATER.get((folder, kind))
            lines.append(f"  {folder} {kind}: {good} of {count}" + (f" (later: {reason})" if reason else ""))
    return "\n".join(lines)


class Golden(unittest.TestCase):
    def test_every_golden_vector(self):
        table, failures, _ = run_all()
        print(f"device {support.DEVICE}\n{summary(table)}")
        self.assertEqual(sum(total for _, total in table.values()), 362)
        self.assertFalse(failures, f"{len(failures)} failed:\n" + "\n".join(failures[:20]))


class Comparison(unittest.TestCase):
    """The comparison itself must catch what it is for."""

    def test_the_definition_in_float64_passes_and_one_code_off_fails(self):
        for case in cases("resize")[:5]:
            source = support.read_npy(GOLDEN / "resize" / case["input"])
            expected = support.read_npy(GOLDEN / "resize" / case["output"])
            exact = np.clip(np.rint(expected), 0, 65535).astype(np.uint16)
            self.assertIsNone(judge(case, source, exact, expected))
            wrong = exact.copy()
            wrong[0, 0] += np.where(wrong[0, 0] < 65535, 1, -1).astype(np.uint16)
            off = np.abs(expected[0, 0] - np.floor(expected[0, 0]) - 0.5)
            if np.all(off > resize_error(case, source)):
                self.assertIsNotNone(judge(case, source, wrong, expected))

    def test_a_float_off_by_more_than_the_bound_fails(self):
        case = cases("upfirdn2d")[0]
        source = support.read_npy(GOLDEN / "upfirdn2d" / case["input"])
        expected = support.read_npy(GOLDEN / "upfirdn2d" / case["output"])
        self.assertIsNone(judge(case, source, expected.astype(np.float32), expected))
        shifted = (expected + 3 * operator_error(case, source) + 1e-6 * np.abs(expected)).astype(np.float32)
        self.assertIsNotNone(judge(case, source, shifted, expected))

    def test_a_wrong_sign_of_zero_fails_among_bytes(self):
        zero = np.zeros((1, 1), np.float32)
        self.assertIsNone(judge({"folder": "bytes"}, zero, zero, zero))
        self.assertIsNotNone(judge({"folder": "bytes"}, zero, -zero, zero))


if __name__ == "__main__":
    if "--summary" in sys.argv:
        counted, wrong_ones, expected_ones = run_all()
        for line in wrong_ones + expected_ones:
            print(line)
        print(f"device {support.DEVICE}\n{summary(counted)}")
        sys.exit(1 if wrong_ones else 0)
    unittest.main()
