"""Cases TIF: what TIFF files say about themselves."""

import json
import struct
import time
import unittest
import zlib

import numpy as np

import tiff_file as tiff
from png_file import png_bytes, read_png
from support import ProgramTest
from tiff_file import read_tags, read_tiff, tiff_bytes, two_pages


class Tiff(ProgramTest):
    def to_png(self, data, name="in.tif"):
        self.path(name).write_bytes(data)
        self.succeed("resize", name, "-o", "out.png", "--overwrite", "--scale", "1")
        return read_png(self.path("out.png"))

    def fails(self, data, *words):
        """The file is refused with one line, soon, without output."""
        self.path("bad.tif").write_bytes(data)
        begin = time.monotonic()
        self.fail_with(1, "resize", "bad.tif", "-o", "out.png", "--scale", "1", naming=["bad.tif", *words])
        self.assertLess(time.monotonic() - begin, 10)
        self.assertFalse(self.path("out.png").exists())

    def test_tif_01_white_is_zero(self):
        row = np.array([[0, 1000, 65535]], np.uint16)
        out = self.to_png(tiff_bytes(row, tags={tiff.PHOTOMETRIC: [tiff.WHITE_IS_ZERO]}))
        self.assertEqual(out.tolist(), [[65535, 64535, 0]])
        bits = np.packbits(np.array([[1, 0, 0, 0, 0, 0, 0, 1]], np.uint8), axis=1)
        data = tiff_bytes(bits, tags={tiff.WIDTH: [8], tiff.BITS: [1], tiff.PHOTOMETRIC: [tiff.WHITE_IS_ZERO]})
        self.assertEqual(self.to_png(data).tolist(), [[0, 255, 255, 255, 255, 255, 255, 0]])

    def test_tif_01_a_fax_is_mostly_white(self):
        """Three rows of 3 white, 2 black and 11 white pixels: a horizontal code with both runs, then as the row above."""
        code = "001" "1000" "11" "1" + 2 * "111" + 2 * "000000000001"
        strip = int(code.ljust(48, "0"), 2).to_bytes(6, "big")
        fields = {tiff.WIDTH: [16], tiff.HEIGHT: [3], tiff.BITS: [1], tiff.COMPRESSION: [tiff.FAX4], tiff.SAMPLES: [1],
                  tiff.PHOTOMETRIC: [tiff.WHITE_IS_ZERO], tiff.ROWS: [3]}
        row = [255] * 3 + [0] * 2 + [255] * 11
        self.assertEqual(self.to_png(tiff.assemble("<", fields, [strip])).tolist(), [row] * 3)
        self.succeed("resize", "in.tif", "-o", "out.tif", "--scale", "1")
        out, tags = read_tiff(self.path("out.tif"))
        self.assertEqual((tags[tiff.PHOTOMETRIC], tags[tiff.COMPRESSION]), ([tiff.WHITE_IS_ZERO], [tiff.DEFLATE]))
        np.testing.assert_array_equal(255 - out, [row] * 3)

    def test_tif_01_white_is_zero_stays_so(self):
        for dtype in (np.uint8, np.uint16):
            array = np.random.default_rng(1).integers(0, np.iinfo(dtype).max + 1, (6, 8)).astype(dtype)
            self.path("in.tif").write_bytes(tiff_bytes(array, tags={tiff.PHOTOMETRIC: [tiff.WHITE_IS_ZERO]}))
            self.succeed("resize", "in.tif", "-o", "out.tif", "--overwrite", "--scale", "1")
            out, tags = read_tiff(self.path("out.tif"))
            self.assertEqual(tags[tiff.PHOTOMETRIC], [tiff.WHITE_IS_ZERO])
            np.testing.assert_array_equal(out, array)

    def test_tif_03_predictor_2_in_both_byte_orders(self):
        row = np.array([[123, 3123, 65000, 1]], np.uint16)
        for order in "<>":
            out = self.to_png(tiff_bytes(row, order, predictor=True, deflate=True))
            np.testing.assert_array_equal(out, row)

    def test_tif_05_planar_colour_with_one_row_a_strip(self):
        for dtype in (np.uint8, np.uint16):
            array = np.tile(np.array([10, 20, 30], dtype), (4, 4, 1))
            array[..., 0] += np.arange(4, dtype=dtype)[:, None]
            np.testing.assert_array_equal(self.to_png(tiff_bytes(array, planar=True, rows_per_strip=1)), array)

    def test_tif_06_wide_integers_are_read(self):
        self.path("in.tif").write_bytes(tiff_bytes(np.array([[1, 70000]], np.uint32)))
        self.succeed("resize", "in.tif", "-o", "out.tif", "--scale", "1")
        np.testing.assert_array_equal(read_tiff(self.path("out.tif"))[0], [[1, 70000]])

    def test_tif_06_each_page_by_its_own_tags(self):
        self.path("in.tif").write_bytes(two_pages(np.full((6, 8), 200, np.uint8), np.full((6, 8), 2000, np.uint16)))
        for page, wanted in ((1, np.uint8(200)), (2, np.uint16(2000))):
            self.succeed("resize", "in.tif", "-o", "out.tif", "--overwrite", "--scale", "1/2", "--page", page)
            out, _ = read_tiff(self.path("out.tif"))
            self.assertEqual((out.dtype, out.shape, set(out.flat)), (wanted.dtype, (3, 4), {wanted}))
        self.fail_with(1, "resize", "in.tif", "-o", "both.tif", "--scale", "1/2", naming=["in.tif", "image 2", "--page"])
        self.assertFalse(self.path("both.tif").exists())

    def test_tif_07_all_pages_or_one_with_a_warning(self):
        pages = [np.full((10, 10), value, np.uint8) for value in (10, 20, 30)]
        self.path("in.tif").write_bytes(tiff.joined_pages(pages))
        self.assertEqual(json.loads(self.succeed("info", "in.tif", "--json").out)["images"], 3)
        for arguments in ((), ("--page", "all")):
            self.succeed("resize", "in.tif", "-o", "out.tif", "--overwrite", "--scale", "1/2", *arguments)
            self.assertEqual([(page.shape, set(page.flat)) for page in tiff.read_pages(self.path("out.tif"))],
                             [((5, 5), {10}), ((5, 5), {20}), ((5, 5), {30})])
        self.assertEqual(set(self.to_png(self.path("in.tif").read_bytes()).flat), {10})
        warned = self.succeed("resize", "in.tif", "-o", "out.png", "--overwrite", "--scale", "1").err
        self.assertIn("first of 3 images", warned)
        self.assertEqual(self.succeed("resize", "in.tif", "-o", "out.png", "--overwrite", "--scale", "1", "--page", "3").err, "")
        self.assertEqual(set(read_png(self.path("out.png")).flat), {30})
        self.fail_with(1, "resize", "in.tif", "-o", "x.png", "--scale", "1", "--page", "all", naming=["x.png", "--page"])
        self.fail_with(1, "resize", "in.tif", "-o", "x.png", "--scale", "1", "--page", "4", naming=["in.tif", "only 3"])

    def test_pages_of_one_shape_go_to_an_array(self):
        first, same = np.full((6, 8), 1000, np.uint16), np.full((6, 8), 2000, np.uint16)
        self.path("in.tif").write_bytes(two_pages(first, same))
        self.succeed("resize", "in.tif", "-o", "out.npy", "--scale", "1/2", "--layout", "nhwc")

    def test_the_compression_is_kept_unless_another_is_asked_for(self):
        array = np.random.default_rng(2).integers(0, 9, (30, 40)).astype(np.uint16)
        np.save(self.path("in.npy"), array)
        schemes = {"none": 1, "lzw": 5, "deflate": 8, "packbits": 32773, "zstd": 50000}
        for name, number in schemes.items():
            self.succeed("resize", "in.npy", "-o", "a.tif", "--overwrite", "--scale", "1", "--compression", name)
            self.succeed("resize", "a.tif", "-o", "b.tif", "--overwrite", "--scale", "1")
            self.assertEqual(read_tags(self.path("b.tif").read_bytes())[0][tiff.COMPRESSION], [number], name)
            self.assertEqual(self.path("a.tif").read_bytes(), self.path("b.tif").read_bytes())
            self.succeed("resize", "a.tif", "-o", "c.tif", "--overwrite", "--scale", "1", "--compression", "none")
            np.testing.assert_array_equal(read_tiff(self.path("c.tif"))[0], array)

    def test_tif_08_more_than_4_gib_is_bigtiff_or_refused_at_the_start(self):
        side, rows = 70000, 1000
        strip = zlib.compress(bytes(side * rows), 9)
        strip += bytes(len(strip) % 2)
        count = side // rows
        directory_at = 8 + count * len(strip)
        offsets_at = directory_at + 2 + 10 * 12 + 4
        entries = [(tiff.WIDTH, 4, 1, side), (tiff.HEIGHT, 4, 1, side), (tiff.BITS, 3, 1, 8),
                   (tiff.COMPRESSION, 3, 1, 8), (tiff.PHOTOMETRIC, 3, 1, 1), (tiff.STRIPS, 4, count, offsets_at),
                   (tiff.SAMPLES, 3, 1, 1), (tiff.ROWS, 4, 1, rows),
                   (tiff.STRIP_BYTES, 4, count, offsets_at + 4 * count), (tiff.PLANAR, 3, 1, 1)]
        data = b"II*\0" + struct.pack("<I", directory_at) + strip * count
        data += struct.pack("<H", 10) + b"".join(struct.pack("<HHII", *entry) for entry in entries) + bytes(4)
        data += struct.pack(f"<{count}I", *range(8, directory_at, len(strip))) + struct.pack("<I", len(strip)) * count
        self.path("big.tif").write_bytes(data)
        begin = time.monotonic()
        self.fail_with(1, "resize", "big.tif", "-o", "out.tif", "--scale", "1", "--compression", "none",
                       naming=["big.tif", "--max-pixels"])
        self.assertLess(time.monotonic() - begin, 10)
        self.assertEqual(self.names(), ["big.tif"])

    def test_tif_10_a_loop_of_directories_ends(self):
        data = tiff_bytes(np.array([[10, 20]], np.uint8))
        start = struct.unpack("<I", data[4:8])[0]
        data = data[:-4] + struct.pack("<I", start)
        self.assertEqual(read_tags(data)[1], start)
        self.path("loop.tif").write_bytes(data)
        begin = time.monotonic()
        result = self.run_program("resize", "loop.tif", "-o", "out.png", "--scale", "1", timeout=10)
        self.assertLess(time.monotonic() - begin, 10)
        self.assertIn(result.code, (0, 1), str(result))
        if result.code == 0:
            self.assertEqual(read_png(self.path("out.png")).tolist(), [[10, 20]])

    def test_tif_10_directories_below_a_page_are_no_pages(self):
        main = np.array([[10, 20]], np.uint8)
        length = len(tiff_bytes(main, tags={tiff.SUB_DIRECTORIES: [tiff.Long(0)]}))
        below = tiff_bytes(np.array([[30, 40]], np.uint8), base=length)
        place = struct.unpack("<I", below[4:8])[0]
        for next_page in (0, place):  # a chain of them, and one that comes back to itself
            below = tiff_bytes(np.array([[30, 40]], np.uint8), base=length, next_page=next_page)
            data = tiff_bytes(main, tags={tiff.SUB_DIRECTORIES: [tiff.Long(place)]}) + below
            self.assertEqual(self.to_png(data).tolist(), [[10, 20]])
            self.assertEqual(json.loads(self.succeed("info", "in.tif", "--json").out)["images"], 1)

    def test_tif_11_a_colour_map_of_8_bit_values(self):
        palette = np.zeros((3, 256), int)
        palette[:, 1] = (255, 128, 0)
        pixels = np.array([[0, 1]], np.uint8)
        for scale in (1, 257):
            tags = {tiff.PHOTOMETRIC: [tiff.PALETTE], tiff.COLOUR_MAP: (palette * scale).reshape(-1).tolist()}
            out = self.to_png(tiff_bytes(pixels, tags=tags))
            self.assertEqual(out.astype(int).tolist() if out.dtype == np.uint8 else (out // 257).astype(int).tolist(),
                             [[[0, 0, 0], [255, 128, 0]]])

    def test_tif_12_floats_are_read_exactly(self):
        row = np.array([[0.5, -1, 2, 1e6]], np.float32)
        for order in "<>":
            self.path("in.tif").write_bytes(tiff_bytes(row, order))
            self.succeed("resize", "in.tif", "-o", "out.npy", "--overwrite", "--scale", "1")
            out = np.load(self.path("out.npy"))
            self.assertEqual(out.dtype, np.float32)
            np.testing.assert_array_equal(out, row)

    def test_signed_16_bit_and_half_floats_round_trip(self):
        for array in (np.array([[-32768, -1, 32767]], np.int16), np.array([[-2, 0.5, 65504]], np.float16)):
            np.save(self.path("in.npy"), array)
            self.succeed("resize", "in.npy", "-o", "out.tif", "--overwrite", "--scale", "1")
            self.succeed("resize", "out.tif", "-o", "back.npy", "--overwrite", "--scale", "1")
            back = np.load(self.path("back.npy"))
            self.assertEqual(back.dtype, array.dtype)
            np.testing.assert_array_equal(back, array)

    def test_damaged_directories_are_refused(self):
        good = tiff_bytes(np.arange(64, dtype=np.uint16).reshape(8, 8))
        start = struct.unpack("<I", good[4:8])[0]
        self.fails(good[:4] + struct.pack("<I", len(good) + 100) + good[8:])
        self.fails(good[:start + 40])
        self.fails(tiff_bytes(np.zeros((4, 4), np.uint8), tags={tiff.WIDTH: [0]}))
        self.fails(tiff_bytes(np.zeros((4, 4), np.uint8), tags={tiff.ROWS: None, tiff.TILE_WIDTH: [0],
                                                                tiff.TILE_HEIGHT: [0]}))

    def test_strips_that_end_early_are_refused(self):
        array = np.random.default_rng(1).integers(0, 65536, (40, 40)).astype(np.uint16)
        for deflate in (False, True):
            whole = tiff_bytes(array, deflate=deflate, rows_per_strip=8)
            self.fails(whole.replace(struct.pack("<HHI", tiff.HEIGHT, 3, 1) + struct.pack("<H", 40),
                                     struct.pack("<HHI", tiff.HEIGHT, 3, 1) + struct.pack("<H", 400)))

    def test_the_name_does_not_matter(self):
        self.path("picture.png").write_bytes(tiff_bytes(np.array([[1, 2]], np.uint8)))
        self.path("picture.tif").write_bytes(png_bytes(np.array([[3, 4]], np.uint8)))
        for name, wanted in (("picture.png", [[1, 2]]), ("picture.tif", [[3, 4]])):
            self.succeed("resize", name, "-o", "out.npy", "--overwrite", "--scale", "1")
            self.assertEqual(np.load(self.path("out.npy")).tolist(), wanted)


if __name__ == "__main__":
    unittest.main()
