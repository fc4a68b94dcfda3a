"""compare, info, bench, devices, --verify, --device, --help, --version."""

import json
import unittest

import numpy as np

import support
from png_file import png_bytes, read_png
from support import ProgramTest


class Compare(ProgramTest):
    def setUp(self):
        super().setUp()
        self.base = np.random.default_rng(1).integers(0, 60000, (20, 30)).astype(np.uint16)
        self.other = self.base.copy()
        self.other[7, 11] += 40
        self.other[3, 4] += 2
        self.path("a.png").write_bytes(png_bytes(self.base))
        self.path("b.png").write_bytes(png_bytes(self.other))

    def test_equal_files(self):
        result = self.succeed("compare", "a.png", "a.png", "--max", "0")
        self.assertIn("inf", result.out.decode().lower())

    def test_where_and_how_much(self):
        text = self.run_program("compare", "a.png", "b.png").out.decode()
        for word in ("40", "11", "7"):
            self.assertIn(word, text)

    def test_max_is_an_exit_code(self):
        self.succeed("compare", "a.png", "b.png", "--max", "40")
        self.assertEqual(self.run_program("compare", "a.png", "b.png", "--max", "39").code, 4)

    def test_sizes_channels_and_maxval_differ(self):
        self.path("small.png").write_bytes(png_bytes(self.base[:5]))
        self.path("rgb.png").write_bytes(png_bytes(np.zeros((20, 30, 3), np.uint16)))
        self.path("low.png").write_bytes(png_bytes(np.zeros((20, 30), np.uint8)))
        for name in ("small.png", "rgb.png", "low.png"):
            self.assertEqual(self.run_program("compare", "a.png", name).code, 4, name)

    def test_a_file_that_cannot_be_read(self):
        self.fail_with(1, "compare", "a.png", "missing.png", naming="missing.png")
        self.fail_with(2, "compare", "a.png")

    def test_a_heat_map_is_a_picture(self):
        self.run_program("compare", "a.png", "b.png", "--heatmap", "heat.png")
        heat = read_png(self.path("heat.png"))
        self.assertEqual(heat.shape[-1] if heat.ndim == 3 else 1, 3)
        self.assertGreater(len(set(map(tuple, heat.reshape(-1, 3).tolist()))), 1)

    def test_floats_with_nan_beside_nan(self):
        array = np.array([[1, np.nan, np.inf]], np.float32)
        np.save(self.path("a.npy"), array)
        self.succeed("compare", "a.npy", "a.npy", "--max", "0")
        np.save(self.path("b.npy"), np.array([[1, 2, np.inf]], np.float32))
        self.assertEqual(self.run_program("compare", "a.npy", "b.npy", "--max", "0").code, 4)


class Info(ProgramTest):
    def test_what_a_file_holds(self):
        self.path("a.png").write_bytes(png_bytes(np.zeros((20, 31, 3), np.uint16)))
        text = self.succeed("info", "a.png").out.decode()
        for word in ("31", "20", "PNG", "3", "u16"):
            self.assertIn(word, text)

    def test_json(self):
        self.path("a.png").write_bytes(png_bytes(np.zeros((20, 31), np.uint16)))
        self.path("b.pgm").write_bytes(b"P5 1 1 4095\n\0\1")
        text = self.succeed("info", "a.png", "b.pgm", "--json").out.decode()
        try:
            found = json.loads(text)
        except json.JSONDecodeError:
            found = [json.loads(line) for line in text.splitlines()]
        self.assertEqual([entry["width"] for entry in found], [31, 1])
        self.assertIn(4095, found[1].values())

    def test_a_bad_file_is_named_and_the_rest_is_shown(self):
        self.path("a.png").write_bytes(png_bytes(np.zeros((20, 31), np.uint16)))
        result = self.run_program("info", "missing.png", "a.png")
        self.assertEqual(result.code, 1)
        self.assertIn("missing.png", result.err)
        self.assertIn(b"31", result.out)


class Bench(ProgramTest):
    def test_figures_of_filters(self):
        text = self.succeed("bench", "--filters", "--filter", "gaussian", "--filter", "lanczos3", "--json").out.decode()
        rows = {(row["resizer"], row["factor"]): row for row in map(json.loads, text.splitlines())}
        self.assertEqual(len(rows), 8)
        for (name, factor), row in rows.items():
            self.assertEqual("zone_percent" in row, factor != "2")
            self.assertLess(abs(row["shift_pixels"]), 0.01)
            self.assertEqual(row["overshoot_percent"] == 0, name == "gaussian")
            self.assertAlmostEqual(row["gain_db"], -2.68 if name == "gaussian" else 0.10, delta=0.03)
            self.assertAlmostEqual(row["leak_percent"], 4.39 if name == "gaussian" else 0.75, delta=0.12)
        table = self.succeed("bench", "--filters", "--filter", "box").out.decode()
        self.assertEqual(table.count("box"), 4)
        self.fail_with(2, "bench", naming="--filters")
        self.fail_with(2, "bench", "--filters", "--filter", "nope", naming="nope")

    def test_times_of_the_cpu(self):
        tiny = ("bench", "--device", "cpu", "--only", "down 2, 4 taps", "--side", "64", "--rounds", "1")
        targets = json.loads(self.succeed("devices", "--json").out)["cpu"]["targets"]
        lines = self.succeed(*tiny, "--threads", "1,2", "--cpu-target", "all", "--json").out.decode().splitlines()
        rows = {(row["case"], row["type"], row["target"], row["threads"]): row for row in map(json.loads, lines)}
        plain, epilogue = "down 2, 4 taps", "down 2, 4 taps, bias + lrelu"
        cases = [name + channels for channels in ("", ", 3 channels") for name in (plain, epilogue)]
        self.assertEqual(set(rows), {(case, kind, target, threads) for case in cases for kind in ("u8", "u16", "f16", "f32")
                                     for target in targets for threads in (1, 2)})
        for (case, *_), row in rows.items():
            self.assertTrue(row["equal"], row)
            self.assertEqual("time_per_multiply_add_over_plain" in row, case != plain)
        self.assertEqual(rows[plain, "u16", targets[0], 1]["multiply_adds"], 4 * (32 * 64 + 32 * 32))
        table = self.succeed(*tiny, "--type", "u16", "--threads", "1", "--cpu-target", targets[-1]).out.decode()
        self.assertEqual(table.count("64x64x1 -> 32x32"), 2)
        self.assertNotIn("WRONG", table)

    def test_each_further_part_of_the_operator_is_timed_beside_the_plain_case(self):
        lines = self.succeed("bench", "--device", "cpu", "--only", "1024^2 -> 1536^2, lanczos3", "--type", "u8", "--threads", "1",
                             "--rounds", "1", "--json", timeout=300).out.decode().splitlines()
        rows = {row["case"].removeprefix("1024^2 -> 1536^2, lanczos3"): row for row in map(json.loads, lines)}
        for further in ("zero border", "alpha", "linear light", "nodata", "bias + lrelu", "3 channels", "4 channels"):
            self.assertIn("time_per_multiply_add_over_plain", rows[f", {further}"])
        self.assertTrue(all(row["equal"] for row in rows.values()))

    def test_what_bench_refuses(self):
        self.fail_with(2, "bench", "--filters", "--device", "cpu", naming="one of them")
        self.fail_with(2, "bench", "--device", "gpu", naming="--device")
        self.fail_with(2, "bench", "--device", "cpu", "--only", "sideways", naming="sideways")
        self.fail_with(2, "bench", "--device", "cpu", "--cpu-target", "Z80", naming="Z80")
        self.fail_with(2, "bench", "--device", "cpu", "--threads", "1,0", naming="--threads")
        self.fail_with(2, "bench", "--device", "cpu", "--threads", "1,,2", naming="--threads")
        self.fail_with(2, "bench", "--device", "cuda", "--side", "64", naming="--side")
        self.fail_with(2, "bench", "--filters", "--threads", "2", naming="--threads")
        self.fail_with(2, "bench", "--device", "cpu", "a.png", naming="files")


class Devices(ProgramTest):
    def setUp(self):
        super().setUp()
        self.array = np.random.default_rng(3).integers(0, 65536, (30, 20)).astype(np.uint16)
        self.path("in.png").write_bytes(png_bytes(self.array))

    def test_devices_are_listed(self):
        text = self.succeed("devices").out.decode()
        self.assertIn("CPU", text.upper())
        self.assertIn("CUDA", text.upper())

    def test_auto_works_everywhere_and_says_nothing(self):
        self.succeed("resize", "in.png", "-o", "cpu.png", "--scale", "1/4", "--device", "cpu")
        result = self.succeed("resize", "in.png", "-o", "auto.png", "--scale", "1/4", "--device", "auto")
        if not support.has_gpu():
            self.assertEqual(result.err, "")
        self.assertEqual(self.path("auto.png").read_bytes(), self.path("cpu.png").read_bytes())

    def test_cuda_without_a_gpu_is_exit_3_with_the_reason(self):
        if support.has_gpu():
            self.skipTest("this machine has a GPU")
        for device in ("cuda", "cuda:0", "cuda:all"):
            self.fail_with(3, "resize", "in.png", "-o", "out.png", "--scale", "1/4", "--device", device, naming="CUDA")
        self.assertEqual(self.names(), ["in.png"])

    def test_names_of_devices(self):
        for device in ("gpu", "cuda:x", "cuda:-1", ""):
            self.fail_with(2, "resize", "in.png", "-o", "out.png", "--scale", "1/4", f"--device={device}", naming="--device")

    def test_verify_passes_on_the_cpu(self):
        self.succeed("resize", "in.png", "-o", "a.png", "--size", "7x9", "--verify")
        self.succeed("filter", "in.png", "-o", "b.png", "--taps", "1,3,3,1", "--down", "2", "--bias", "3", "--act", "relu",
                     "--verify")
        self.succeed("filter", "in.png", "-o", "c.png", "--taps", "1,3,3,1", "--down", "2", "--bias", "3", "--act", "relu")
        self.assertEqual(self.path("b.png").read_bytes(), self.path("c.png").read_bytes())


class Help(ProgramTest):
    def test_help_goes_to_standard_output(self):
        for arguments in (("--help",), ("resize", "--help"), ("filter", "--help"), ("taps", "--help"),
                          ("compare", "--help"), ("info", "--help"), ("devices", "--help")):
            result = self.succeed(*arguments)
            self.assertEqual(result.err, "")
            self.assertGreater(len(result.out), 200, arguments)

    def test_help_says_which_convention(self):
        text = self.succeed("filter", "--help").out.decode().lower()
        for word in ("convol", "--flip", "zero"):
            self.assertIn(word, text)
        text = self.succeed("resize", "--help").out.decode().lower()
        for word in ("gaussian", "edge", "nearest"):
            self.assertIn(word, text)


if __name__ == "__main__":
    unittest.main()
