"""`filter` and `resize` on arrays: identities, the definition in float64, the epilogue, targets."""

import unittest
from fractions import Fraction

import numpy as np

import oracle
from support import BORDERS, ProgramTest

RANDOM = np.random.default_rng(21)


class Filter(ProgramTest):
    def test_auto_padding_of_stylegan_factors(self):
        x = RANDOM.normal(size=(11, 14, 3)).astype(np.float32)
        for extra in ((), ("--bias", "0.1,-0.2,0.3", "--act", "lrelu"),
                      ("--bias=0.5", "--act", "lrelu", "--alpha", "0.2", "--act-gain", "sqrt2", "--clamp", "2")):
            for factor, pad in ((("--up", "2"), "2,1,2,1"), (("--down", "2"), "1,1,1,1")):
                options = ("--taps", "1,3,3,1", *factor, "--border", "zero", *extra)
                made = self.process("filter", x, *options)
                np.testing.assert_array_equal(made, self.process("filter", x, *options, f"--pad={pad}"))
                self.assertEqual(made.shape, (22, 28, 3) if factor[0] == "--up" else (5, 7, 3))

    def test_an_impulse_gives_the_taps(self):
        impulse = np.zeros((9, 9), np.float32)
        impulse[4, 4] = 1
        taps = np.array([1, 2, 4], np.float32)
        out = self.process("filter", impulse, "--taps", "1,2,4", "--no-normalize", "--pad", "1")
        np.testing.assert_array_equal(out[3:6, 3:6], np.outer(taps, taps))
        self.assertEqual(np.count_nonzero(out), 9)
        flipped = self.process("filter", impulse, "--taps", "1,2,4", "--no-normalize", "--pad", "1", "--flip")
        np.testing.assert_array_equal(flipped, out[::-1, ::-1])

    def test_the_operator_is_linear(self):
        a, b = RANDOM.integers(-99, 99, (2, 8, 9)).astype(np.float32)
        options = ("--taps", "1,2,3,2", "--up", "3,2", "--down", "2,1", "--border", "mirror", "--no-normalize")
        made = [self.process("filter", x, *options) for x in (a, b, 2 * a + b)]
        np.testing.assert_array_equal(2 * made[0] + made[1], made[2])

    def test_random_runs_follow_the_definition(self):
        for number in range(40):
            width, height = RANDOM.integers(1, 15, 2)
            up, down = RANDOM.integers(1, 5, 2), RANDOM.integers(1, 5, 2)
            taps = [RANDOM.normal(size=RANDOM.integers(1, 12)).round(3).tolist() for _ in range(2)]
            pad = RANDOM.integers(-2, 25, 4)
            border = BORDERS[number % 6]
            sizes = [(n * up[i] + pad[2 * i] + pad[2 * i + 1] - len(taps[i])) for i, n in enumerate((width, height))]
            if min(sizes) < 0:
                continue
            x = RANDOM.normal(size=(height, width)).astype(np.float32)
            axes = [oracle.operator_axis(n, taps[i], up[i], down[i], pad[2 * i], pad[2 * i + 1])
                    for i, n in enumerate((width, height))]
            exact = oracle.apply_2d(x, *axes, border, down[1] >= up[1])
            out = self.process("filter", x, "--taps-x=" + ",".join(map(str, taps[0])), "--no-normalize",
                               "--taps-y=" + ",".join(map(str, taps[1])), "--up", f"{up[0]},{up[1]}",
                               "--down", f"{down[0]},{down[1]}", f"--pad={','.join(map(str, pad))}", "--border", border)
            self.assertEqual(out.shape, exact.shape)
            error = oracle.bound(*axes, largest=max(float(np.abs(x).max()), 37 * border.startswith("constant")))
            np.testing.assert_allclose(out, exact, rtol=1e-7, atol=error, err_msg=f"{number} {border}")

    def test_a_matrix_of_rank_1_equals_its_factors_within_the_bound(self):
        x = RANDOM.normal(size=(12, 13)).astype(np.float32)
        np.save(self.path("matrix.npy"), np.outer([1.0, 2, 1], [1.0, 3, 3, 1]))
        self.path("matrix.txt").write_text("1 3 3 1\n2 6 6 2\n1 3 3 1\n")
        split = self.process("filter", x, "--taps-x", "1,3,3,1", "--taps-y", "1,2,1", "--down", "2")
        for name in ("matrix.npy", "matrix.txt"):
            np.testing.assert_allclose(self.process("filter", x, "--taps-file", name, "--down", "2"), split, atol=2e-6)

    def test_one_axis_alone(self):
        x = RANDOM.integers(0, 256, (5, 6)).astype(np.uint8)
        self.assertEqual(self.process("filter", x, "--taps-x", "1,1", "--down", "2,1").shape, (5, 3))
        np.testing.assert_array_equal(self.process("filter", x, "--taps-y", "1"), x)

    def test_activations_and_value_ranges(self):
        x = np.array([[-1.5, -0.0, 0.5, np.nan, 3]], np.float32)
        base = ("--taps", "1", "--act")
        np.testing.assert_array_equal(self.process("filter", x, *base, "relu"), [[0, 0, 0.5, np.nan, 3]])
        np.testing.assert_array_equal(self.process("filter", x, *base, "lrelu", "--slope", "0.5"),
                                      [[-0.75, 0, 0.5, np.nan, 3]])
        np.testing.assert_array_equal(self.process("filter", x, *base, "none", "--bias", "1", "--clamp", "2"),
                                      [[-0.5, 1, 1.5, np.nan, 2]])
        codes = np.array([[0, 51, 255]], np.uint8)
        self.assertEqual(self.process("filter", codes, "--taps", "1", "--bias", "0.2", "--value-range", "unit").tolist(),
                         [[51, 102, 255]])
        self.assertEqual(self.process("filter", codes, "--taps", "1", "--bias", "-1", "--value-range", "signed").tolist(),
                         [[0, 0, 128]])
        self.assertEqual(self.process("filter", codes, "--taps", "1", "--bias", "10").tolist(), [[10, 61, 255]])


class Resize(ProgramTest):
    def size_of(self, *arguments, shape=(30, 40)):
        out = self.process("resize", np.zeros(shape, np.uint8), *arguments)
        return out.shape[1], out.shape[0]

    def test_targets(self):
        for arguments, expected in ((("--size", "20x"), (20, 15)), (("--size", "x15"), (20, 15)),
                                    (("--fit", "100x60"), (80, 60)), (("--cover", "100x60"), (100, 75)),
                                    (("--fill", "100x60"), (100, 60)), (("--letterbox", "100x60:9"), (100, 60)),
                                    (("--scale", "50%"), (20, 15)), (("--scale", "1/3"), (13, 10)),
                                    (("--scale", "2,0.5"), (80, 15)), (("--up", "3", "--down", "2"), (60, 45)),
                                    (("--up", "3,1"), (120, 30)), (("--fit", "100x60", "--only-shrink"), (40, 30)),
                                    (("--fit", "10x10", "--only-enlarge"), (40, 30)),
                                    (("--crop", "1,2,10,20", "--scale", "2"), (20, 40))):
            self.assertEqual(self.size_of(*arguments), expected, arguments)

    def test_letterbox_and_fill_place_the_picture(self):
        x = np.full((4, 8), 50, np.uint8)
        out = self.process("resize", x, "--letterbox", "8x9:7")
        self.assertEqual(out[:, 0].tolist(), [7, 7, 50, 50, 50, 50, 7, 7, 7])
        ramp = np.tile(np.arange(8, dtype=np.uint8), (4, 1))
        self.assertEqual(self.process("resize", ramp, "--fill", "3x4")[0].tolist(), [2, 3, 4])

    def test_crop_comes_first_and_ends_the_picture(self):
        x = RANDOM.integers(0, 256, (9, 9)).astype(np.uint8)
        options = ("--size", "7x7", "--filter", "lanczos3")
        np.testing.assert_array_equal(self.process("resize", x, "--crop", "2,3,5,4", *options),
                                      self.process("resize", np.ascontiguousarray(x[3:7, 2:7]), *options))

    def test_a_whole_shift_moves_the_picture(self):
        x = RANDOM.integers(0, 256, (6, 9)).astype(np.uint8)
        out = self.process("resize", x, "--scale", "1", "--shift", "2,-1", "--filter", "triangle", "--border", "edge")
        np.testing.assert_array_equal(out[1:, :7], x[:5, 2:])

    def test_random_resizes_follow_the_definition(self):
        names = ("gaussian", "box", "triangle", "catmullrom", "mitchell", "cubic:0.2,0.4", "lanczos2", "lanczos:4",
                 "kaiser:beta=5,a=3", "gaussian:0.7", "nearest")
        for number in range(33):
            name, border = names[number % 11], BORDERS[number % 6]
            (width, height), (w, h) = RANDOM.integers(1, 25, 2), RANDOM.integers(1, 25, 2)
            x = RANDOM.integers(0, 65536, (height, width)).astype(np.uint16)
            axes = [oracle.resize_axis(int(a), int(b), Fraction(int(a), int(b)), name) for a, b in ((width, w), (height, h))]
            exact = oracle.apply_2d(x, *axes, border, height >= h)
            out = self.process("resize", x, "--size", f"{w}x{h}", "--filter", name, "--border", border)
            error = oracle.bound(*axes, largest=65535)
            off = np.abs(out - np.clip(np.rint(exact), 0, 65535))
            tie = np.abs(exact - np.floor(exact) - 0.5) <= error
            self.assertTrue(np.all((off == 0) | ((off == 1) & tie)), (number, name, border, x.shape, (h, w)))

    def test_threads_change_no_byte(self):
        x = RANDOM.integers(0, 65536, (333, 257)).astype(np.uint16)
        made = [self.process("resize", x, "--size", "401x97", "--filter", "lanczos3", "--threads", n, "--device", "cpu")
                for n in ("1", "2", "5")]
        np.testing.assert_array_equal(made[0], made[1])
        np.testing.assert_array_equal(made[0], made[2])


if __name__ == "__main__":
    unittest.main()
