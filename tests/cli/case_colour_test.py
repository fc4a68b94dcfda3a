"""Cases COL: channels, alpha, palettes, CMYK."""

import unittest

import numpy as np

import support
from png_file import GRAY, PALETTE, png_bytes, png_chunks, read_png
from support import ProgramTest
from tiff_file import EXTRA_SAMPLES, read_tiff, tiff_bytes


class Colour(ProgramTest):
    def test_col_01_hidden_colour_does_not_bleed(self):
        pixels = np.array([[[255, 0, 0, 255], [255, 0, 0, 255]], [[255, 0, 0, 255], [0, 255, 0, 0]]], np.uint8)
        for number, array in enumerate((pixels, pixels.transpose(1, 0, 2), np.tile(pixels, (4, 4, 1)))):
            self.path("in.png").write_bytes(png_bytes(array))
            size = f"{array.shape[1] // 2}x{array.shape[0] // 2}"
            self.succeed("resize", "in.png", "-o", f"{number}.png", "--size", size, "--filter", "box")
            out = read_png(self.path(f"{number}.png"))
            self.assertEqual(set(map(tuple, out.reshape(-1, 4).tolist())), {(255, 0, 0, 191)})

    def test_col_03_nearest_and_identity_keep_colour_under_alpha_0(self):
        pixels = np.array([[[9, 8, 7, 0], [1, 2, 3, 255]]], np.uint8)
        self.path("in.png").write_bytes(png_bytes(pixels))
        self.succeed("resize", "in.png", "-o", "same.png", "--scale", "1")
        np.testing.assert_array_equal(read_png(self.path("same.png")), pixels)
        self.succeed("resize", "in.png", "-o", "twice.png", "--up", "2", "--filter", "nearest")
        np.testing.assert_array_equal(read_png(self.path("twice.png")), pixels.repeat(2, 0).repeat(2, 1))
        self.succeed("resize", "in.png", "-o", "straight.png", "--size", "1x1", "--filter", "box", "--alpha-mode", "straight")
        self.assertEqual(read_png(self.path("straight.png"))[0, 0].tolist(), [5, 5, 5, 128])

    def test_col_05_associated_and_unassociated_alpha(self):
        for kind, pixel in ((1, (128, 0, 0, 128)), (2, (255, 0, 0, 128))):
            array = np.tile(np.array(pixel, np.uint8), (2, 4, 1))
            self.path("in.tif").write_bytes(tiff_bytes(array, tags={EXTRA_SAMPLES: [kind]}))
            for size in ("2x1", "4x2"):
                self.succeed("resize", "in.tif", "-o", "out.png", "--overwrite", "--size", size)
                out = read_png(self.path("out.png"))
                self.assertEqual(set(map(tuple, out.reshape(-1, 4).tolist())), {(255, 0, 0, 128)}, (kind, size))

    def test_col_06_a_tiff_with_alpha_keeps_its_form(self):
        for kind in (1, 2):
            array = np.tile(np.array([100, 50, 25, 128], np.uint8), (4, 4, 1))
            self.path("in.tif").write_bytes(tiff_bytes(array, tags={EXTRA_SAMPLES: [kind]}))
            self.succeed("resize", "in.tif", "-o", "out.tif", "--overwrite", "--down", "2")
            out, tags = read_tiff(self.path("out.tif"))
            self.assertEqual((out.dtype, out.shape), (np.uint8, (2, 2, 4)))
            self.assertEqual(tags[EXTRA_SAMPLES], [kind])
            self.assertLessEqual(int(np.abs(out.astype(int) - array[:2, :2]).max()), 1)

    def test_col_07_palettes_are_expanded_before_filtering(self):
        palette = [(0, 255, 0)] * 256
        palette[0], palette[255] = (255, 0, 0), (0, 0, 255)
        entries = bytes(value for colour in palette for value in colour)
        self.path("in.png").write_bytes(png_bytes(np.array([[0, 255]], np.uint8), PALETTE, chunks=[(b"PLTE", entries)]))
        self.succeed("resize", "in.png", "-o", "out.png", "--size", "1x1", "--filter", "box")
        self.assertEqual(read_png(self.path("out.png"))[0, 0].tolist(), [128, 0, 128])

    def test_col_09_six_channels_never_mix(self):
        array = np.tile((np.arange(6) * 1000).astype(np.uint16), (4, 4, 1))
        self.path("in.tif").write_bytes(tiff_bytes(array, tags={EXTRA_SAMPLES: [0, 0, 0]}))
        result = self.run_program("resize", "in.tif", "-o", "out.tif", "--down", "2")
        if result.code == 0:
            np.testing.assert_array_equal(read_tiff(self.path("out.tif"))[0], array[:2, :2])
        else:
            self.assertEqual((result.code, len(result.err.splitlines())), (1, 1), str(result))
        np.testing.assert_array_equal(self.process("resize", array, "--down", "2"), array[:2, :2])

    def test_col_10_a_cmyk_jpeg_becomes_rgb(self):
        ramp = np.arange(64) * 4  # from red to white
        inks = np.stack([np.full(64, 255), ramp, ramp, np.full(64, 255)], -1)  # what is left of the light, as Adobe stores it
        adobe = (support.DATA / "cmyk.jpg").read_bytes()
        mark = adobe.index(b"Adobe")
        luma, blue, red = inks[:, 0], inks[:, 1] - 128, inks[:, 2] - 128
        ycck = 255 - np.clip(np.stack([luma + 1.402 * red, luma - 0.344136 * blue - 0.714136 * red, luma + 1.772 * blue], -1), 0, 255)
        cases = {"cmyk": (adobe, inks[:, :3]),
                 "ycck": (adobe[:mark + 11] + b"\2" + adobe[mark + 12:], ycck),
                 "plain": (adobe[:mark - 4] + adobe[mark + 12:], (255 - inks[:, :3]) * 0)}  # black ink everywhere
        for name, (data, wanted) in cases.items():
            self.path("in.jpg").write_bytes(data)
            result = self.succeed("resize", "in.jpg", "-o", "out.png", "--overwrite", "--scale", "1")
            self.assertLess(float(np.abs(read_png(self.path("out.png")).astype(float) - wanted).mean()), 3, name)
            self.assertIn("CMYK", result.err)

    def test_col_12_every_file_of_a_folder_keeps_its_channel_count(self):
        random = np.random.default_rng(12)
        self.path("in").mkdir()
        for channels in (1, 2, 3, 4):
            array = random.integers(0, 256, (8, 8, channels)).astype(np.uint8)
            self.path(f"in/{channels}.png").write_bytes(png_bytes(array))
        self.succeed("resize", "in", "-o", "out/", "--size", "4x4")
        for channels in (1, 2, 3, 4):
            out = read_png(self.path(f"out/{channels}.png"))
            self.assertEqual(out.shape, (4, 4) if channels == 1 else (4, 4, channels))

    def test_col_13_gray_with_a_transparent_colour(self):
        for dtype, key in ((np.uint8, b"\0\x07"), (np.uint16, b"\x12\x34")):
            value = int.from_bytes(key, "big")
            array = np.array([[value, 200], [50, value]], dtype)
            self.path("in.png").write_bytes(png_bytes(array, GRAY, chunks=[(b"tRNS", key)]))
            self.succeed("resize", "in.png", "-o", "out.png", "--overwrite", "--scale", "1")
            out = read_png(self.path("out.png"))
            if out.ndim == 3:  # the transparent colour became alpha
                top = np.iinfo(dtype).max
                np.testing.assert_array_equal(out[..., 1], np.where(array == value, 0, top))
                out = out[..., 0]
            np.testing.assert_array_equal(out, array)
            self.assertEqual(png_chunks(self.path("out.png").read_bytes())[0][0], b"IHDR")

    def test_col_13_other_transparency_becomes_alpha_before_filtering(self):
        palette = bytes([255, 0, 0, 0, 255, 0])
        self.path("in.png").write_bytes(png_bytes(np.array([[0, 1]], np.uint8), PALETTE,
                                                  chunks=[(b"PLTE", palette), (b"tRNS", b"\xff\x00")]))
        self.succeed("resize", "in.png", "-o", "out.png", "--size", "1x1", "--filter", "box")
        self.assertEqual(read_png(self.path("out.png"))[0, 0].tolist(), [255, 0, 0, 128])


if __name__ == "__main__":
    unittest.main()
