"""What a filter does to pictures: gratings, checkerboards, transparent edges, frames of missing samples."""

import unittest

import numpy as np

from png_file import png_bytes, read_png
from support import ProgramTest

SHARP = "kaiser:atten=90,width=0.6"  # README: leaks less than lanczos3 and is as sharp


def grating(frequency, size=1024, amplitude=30000):
    """16 bit, vertical lines, `frequency` in cycles a pixel."""
    row = np.rint(32768 + amplitude * np.cos(2 * np.pi * frequency * np.arange(size) + 0.3))
    return np.tile(row.astype(np.uint16), (64, 1))


def inside(array, margin=8):
    return array[margin:-margin, margin:-margin].astype(float)


class Quality(ProgramTest):
    def gain(self, frequency, reduction, name):
        """Amplitude of a grating of `frequency` cycles an output pixel after the reduction, relative to before."""
        source = grating(frequency / reduction, 2048)
        out = inside(self.process("resize", source, "--scale", f"{1 / reduction:.6f},1", "--filter", name))[0]
        phase = 2 * np.pi * frequency * np.arange(len(out))
        basis = np.stack([np.cos(phase), np.sin(phase), np.ones(len(out))], 1)
        fit = np.linalg.lstsq(basis, out, rcond=None)[0]
        return np.hypot(fit[0], fit[1]) / 30000

    def test_a_fine_grating_vanishes(self):
        for turn in (lambda a: a, lambda a: np.ascontiguousarray(a.T)):
            for name, limit in (("lanczos3", 5e-4), (SHARP, 1e-4)):
                out = self.process("resize", turn(np.tile(grating(0.4)[:1], (1024, 1))), "--scale", "1/3.44", "--filter", name)
                self.assertLess(inside(out).std() / 30000, limit, name)

    def test_the_filter_that_leaks_less_is_as_sharp(self):
        ours, lanczos = self.gain(0.25, 4, SHARP), self.gain(0.25, 4, "lanczos3")
        self.assertLess(abs(20 * np.log10(ours / lanczos)), 0.5)

    def test_light_is_averaged_with_linear(self):
        board = np.indices((64, 64)).sum(0) % 2 * 255
        for array in (board.astype(np.uint8), np.repeat(board[..., None], 3, 2).astype(np.uint8)):
            for name in ("box", "gaussian", "lanczos3"):
                light = inside(self.process("resize", array, "--down", "8", "--filter", name, "--linear"), 2)
                codes = inside(self.process("resize", array, "--down", "8", "--filter", name), 2)
                self.assertEqual(set(light.ravel()), {188}, name)
                self.assertTrue(set(codes.ravel()) <= {127, 128}, name)
        wide = inside(self.process("resize", (board * 257).astype(np.uint16), "--down", "8", "--filter", "box", "--linear"), 2)
        self.assertTrue((np.abs(wide - 65535 * ((0.5 ** (1 / 2.4)) * 1.055 - 0.055)) <= 1).all())

    def test_a_frame_of_missing_samples_makes_no_dark_rim(self):
        rng = np.random.default_rng(1)
        scan = rng.integers(29000, 31000, (300, 400)).astype(np.uint16)
        frame = np.ones(scan.shape, bool)
        frame[37:-41, 53:-29] = False
        scan[frame] = 0
        for name in ("gaussian", "lanczos3", "mitchell"):
            for scale in ("1/3", "0.341", "2"):
                kept = self.process("resize", scan, "--scale", scale, "--filter", name, "--nodata", "0")
                self.assertTrue(((kept == 0) | (kept >= 28000)).all(), (name, scale, np.unique(kept[kept < 28000])))
                self.assertGreater((kept > 0).mean(), 0.55)
                dark = self.process("resize", scan, "--scale", scale, "--filter", name)
                self.assertTrue(((dark > 500) & (dark < 25000)).any())

    def test_hidden_colour_does_not_bleed_at_any_depth(self):
        for dtype, top in ((np.uint8, 255), (np.uint16, 65535)):
            for channels in (2, 4):
                seen = [top] + [0] * (channels - 2) + [top]
                hidden = ([0] if channels == 2 else [0, top, 0]) + [0]
                pixels = np.array([[seen, seen], [seen, hidden]], dtype)
                self.path("in.png").write_bytes(png_bytes(np.tile(pixels, (4, 4, 1))))
                self.succeed("resize", "in.png", "-o", "out.png", "--overwrite", "--down", "2", "--filter", "box")
                out = read_png(self.path("out.png"))
                expected = seen[:-1] + [int(np.rint(0.75 * top))]
                self.assertEqual(set(map(tuple, out.reshape(-1, channels).tolist())), {tuple(expected)})

    def test_colour_under_alpha_0_survives_what_computes_nothing(self):
        for dtype, top in ((np.uint8, 255), (np.uint16, 65535)):
            for channels in (2, 4):
                pixels = np.array([[[9, 8, 7, 0], [1, 2, 3, top]]], dtype)[..., -channels:]
                self.path("in.png").write_bytes(png_bytes(pixels))
                self.succeed("resize", "in.png", "-o", "same.png", "--overwrite", "--scale", "1")
                np.testing.assert_array_equal(read_png(self.path("same.png")), pixels)
                self.succeed("resize", "in.png", "-o", "twice.png", "--overwrite", "--up", "2", "--filter", "nearest")
                np.testing.assert_array_equal(read_png(self.path("twice.png")), pixels.repeat(2, 0).repeat(2, 1))


if __name__ == "__main__":
    unittest.main()
