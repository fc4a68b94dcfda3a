"""EXR: channels by name, windows, metadata, alpha, and files that are damaged or lie."""

import resource
import struct
import time
import unittest

import numpy as np

import support
from exr_file import (DEEP, PARTS, PIZ, ZIP, attribute, box, channel_list, exr_bytes, named, parts_bytes, read_exr, read_header,
                      window_of)
from png_file import png_bytes, png_chunks, read_png
from support import ProgramTest
from tiff_file import read_tiff

RANDOM = np.random.default_rng(31)
LOSSLESS = ("none", "rle", "zips", "zip", "piz")


def samples(*shape, dtype=np.float32):
    return RANDOM.normal(size=shape).astype(dtype)


def number(value):
    return struct.pack("<f", value)


class Exr(ProgramTest):
    def write(self, name, data):
        self.path(name).write_bytes(data)
        return name

    def converted(self, data, *arguments, out="out.exr"):
        """The result of `resize` (by default to the same size) and what it said."""
        self.write("in.exr", data)
        sized = arguments if any(a in arguments for a in ("--size", "--scale")) else ("--scale", "1", *arguments)
        result = self.succeed("resize", "in.exr", "-o", out, "--overwrite", *sized)
        return self.path(out), result.err

    def array(self, data, *arguments):
        return np.load(self.converted(data, *arguments, out="out.npy")[0])


class Channels(Exr):
    def test_channels_go_by_name_whatever_their_order(self):
        array = samples(7, 5, 4)
        np.testing.assert_array_equal(self.array(exr_bytes(array)), array)
        gray = samples(7, 5, 2, dtype=np.float16)
        np.testing.assert_array_equal(self.array(exr_bytes(gray)), gray)
        np.testing.assert_array_equal(self.array(exr_bytes({"depth.Z": array[..., 0]})), array[..., 0])

    def test_half_beside_float_becomes_float(self):
        array = samples(7, 5, 3)
        mixed = {"R": array[..., 0], "G": array[..., 1].astype(np.float16), "B": array[..., 2]}
        out = self.array(exr_bytes(mixed))
        self.assertEqual(out.dtype, np.float32)
        np.testing.assert_array_equal(out, np.stack([plane.astype(np.float32) for plane in mixed.values()], -1))

    def test_the_default_layer_is_taken_and_the_others_are_named(self):
        array = samples(7, 5, 3)
        layers = {**named(array), "diffuse.R": array[..., 0], "Z": np.zeros((7, 5), np.uint32)}
        out, said = self.converted(exr_bytes(layers))
        self.assertEqual(sorted(read_exr(out)[0]), ["B", "G", "R"])
        self.assertEqual(len(said.splitlines()), 1)
        self.assertIn("Z, diffuse.R", said)
        self.write("in.exr", exr_bytes({f"beauty.{c}": array[..., i] for i, c in enumerate("RGB")}))
        self.fail_with(1, "resize", "in.exr", "-o", "no.exr", "--scale", "1", naming=["in.exr", "beauty.B, beauty.G, beauty.R"])

    def test_what_is_not_supported_is_refused(self):
        plane = samples(8, 8)
        files = {"chroma": exr_bytes({"Y": plane, "RY": plane, "BY": plane}),
                 "integers": exr_bytes(np.zeros((8, 8), np.uint32)),
                 "subsampled": exr_bytes(plane, replace={
                     "channels": attribute("channels", "chlist", channel_list({"Y": plane}, 2))}),
                 "deep": exr_bytes(plane, flags=DEEP, extra=(attribute("type", "string", b"deepscanline"),))}
        for word, data in files.items():
            self.write("in.exr", data)
            self.fail_with(1, "info", "in.exr", naming=["in.exr", word])

    def test_info_tells_of_channels_and_windows(self):
        self.write("in.exr", exr_bytes({"depth.Z": samples(7, 5)}, data=(-2, 3, 2, 9), display=(0, 0, 19, 9)))
        text = self.succeed("info", "in.exr").out.decode()
        for word in ("EXR 5x7, 1 channel, f32", "channel depth.Z", "-2,3", "20x10", "0,0"):
            self.assertIn(word, text)
        self.write("rgba.exr", exr_bytes(samples(7, 5, 4, dtype=np.float16)))
        self.assertEqual(self.succeed("info", "rgba.exr").out.decode(), "rgba.exr: EXR 5x7, 4 channels, f16, associated alpha\n")


class Blocks(Exr):
    def test_every_compression_reads_back_and_is_kept_if_it_is_lossless(self):
        half = np.linspace(0, 4, 70 * 37 * 4).reshape(70, 37, 4).astype(np.float16)  # smooth: some compressions lose samples
        single = half[..., :3].astype(np.float32) / 3
        for array in (half, single):
            for kind in (*LOSSLESS, "pxr24", "b44", "b44a", "dwaa", "dwab"):
                first, _ = self.converted(exr_bytes(array), "--compression", kind, out="packed.exr")
                out = self.array(first.read_bytes())
                if kind in LOSSLESS or (kind == "pxr24" and array is half):
                    np.testing.assert_array_equal(out, array, kind)
                else:
                    self.assertLess(float(np.abs(out.astype(float) - array).max()), 0.3, kind)
                again, _ = self.converted(first.read_bytes())
                kept = read_header(first.read_bytes())[0]["compression"][1][0]
                self.assertEqual(read_header(again.read_bytes())[0]["compression"][1][0], kept if kind in LOSSLESS else ZIP)
        self.assertEqual(read_header(self.path("packed.exr").read_bytes())[0]["channels"][0], "chlist")
        self.write("in.exr", exr_bytes(half))
        self.fail_with(1, "resize", "in.exr", "-o", "no.exr", "--scale", "1", "--compression", "lzw", naming=["lzw", "piz"])

    def test_tiles_of_any_size_and_place(self):
        array = samples(50, 41, 3)
        for tile in ((16, 16), (64, 64), (41, 1), (1, 50), (7, 13)):
            np.testing.assert_array_equal(self.array(exr_bytes(array, tile=tile, data=(-9, 5, 31, 54), display=(-9, 5, 31, 54))), array)

    def test_parts_are_pages(self):
        first, second = samples(6, 5, 3), samples(4, 9)
        self.write("in.exr", parts_bytes([first, second], (0, 0, 9, 9)))
        self.assertIn("2 images", self.succeed("info", "in.exr").out.decode())
        for page, array in (("1", first), ("2", second)):
            self.succeed("resize", "in.exr", "-o", "out.exr", "--overwrite", "--scale", "1", "--page", page)
            channels, attributes = read_exr(self.path("out.exr"))
            for name, plane in named(array).items():
                np.testing.assert_array_equal(channels[name], plane)
            self.assertEqual(window_of(attributes, "displayWindow"), (0, 0, 9, 9))
        self.assertIn("2 images", self.succeed("resize", "in.exr", "-o", "one.exr", "--scale", "1").err)

    def test_the_same_bytes_for_any_number_of_threads_and_no_clock(self):
        self.write("in.exr", exr_bytes(samples(100, 90, 3)))
        outputs = []
        for threads in ("1", "2", "5"):
            self.succeed("resize", "in.exr", "-o", "out.exr", "--overwrite", "--scale", "0.7", "--threads", threads)
            outputs.append(self.path("out.exr").read_bytes())
        self.assertEqual(outputs[1:], outputs[:1] * 2)
        self.assertNotIn(b"capDate", outputs[0])

    def test_rows_are_read_and_written_a_few_at_a_time(self):
        if not support.MEASURES_MEMORY:
            self.skipTest("memory is measured on the plain CPU build only")
        self.write("in.exr", exr_bytes(samples(8, 512)))
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.succeed("resize", "in.exr", "-o", "tall.exr", "--size", "512x40000", "--threads", "1")  # 82 MB
        self.succeed("resize", "tall.exr", "-o", "out.exr", "--size", "512x30000", "--threads", "1")
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss - before, 60 * 1024)


class Windows(Exr):
    def windows(self, data, display, shape, *arguments):
        out, said = self.converted(exr_bytes(samples(*shape), data=data, display=display), *arguments)
        attributes = read_exr(out)[1]
        return window_of(attributes, "dataWindow"), window_of(attributes, "displayWindow"), said

    def test_one_window_stays_one(self):
        for arguments, expected in ((("--size", "33x25"), (0, 0, 32, 24)), (("--crop", "10,10,50,50"), (0, 0, 49, 49)),
                                    (("--scale", "2", "--shift", "0.3,0"), (0, 0, 199, 149))):
            data, display, said = self.windows((0, 0, 99, 74), (0, 0, 99, 74), (75, 100), *arguments)
            self.assertEqual((data, display, said), (expected, expected, ""))
        data, display, _ = self.windows((10, 20, 29, 39), (10, 20, 29, 39), (20, 20), "--scale", "1/2")
        self.assertEqual((data, display), ((5, 10, 14, 19), (5, 10, 14, 19)))

    def test_a_part_of_the_display_window_scales_and_crops_in_its_place(self):
        self.assertEqual(self.windows((8, 4, 15, 11), (0, 0, 31, 31), (8, 8), "--scale", "1/4"), ((2, 1, 3, 2), (0, 0, 7, 7), ""))
        self.assertEqual(self.windows((8, 4, 15, 11), (0, 0, 31, 31), (8, 8), "--scale", "3"), ((24, 12, 47, 35), (0, 0, 95, 95), ""))
        self.assertEqual(self.windows((8, 4, 15, 11), (0, 0, 31, 31), (8, 8), "--crop", "2,3,4,5"), ((10, 7, 13, 11), (0, 0, 31, 31), ""))

    def test_an_origin_between_pixels_is_rounded_and_said(self):
        data, display, said = self.windows((1, 0, 8, 7), (0, 0, 31, 31), (8, 8), "--scale", "1/2")
        self.assertEqual((data[1:], display), ((0, data[0] + 3, 3), (0, 0, 15, 15)))
        self.assertIn(data[0], (0, 1))
        self.assertEqual(len(said.splitlines()), 1)
        self.assertIn("half a pixel", said)

    def test_other_formats_say_that_the_place_is_lost(self):
        data = exr_bytes(samples(8, 8), data=(8, 4, 15, 11), display=(0, 0, 31, 31))
        for out in ("out.tif", "out.pfm", "out.npy"):
            said = self.converted(data, out=out)[1]
            self.assertEqual(len(said.splitlines()), 1, out)
            self.assertIn("8,4", said)
        self.assertEqual(self.converted(exr_bytes(samples(8, 8)), out="out.tif")[1], "")


class Meaning(Exr):
    def test_alpha_is_premultiplied_in_exr_and_straight_elsewhere(self):
        self.write("in.png", png_bytes(np.array([[[65535, 32768, 0, 32768], [100, 200, 300, 0]]], np.uint16)))
        self.succeed("resize", "in.png", "-o", "out.exr", "--scale", "1", "--depth", "f32")
        channels, _ = read_exr(self.path("out.exr"))
        alpha = 32768 / 65535
        for name, expected in (("R", [alpha, 0]), ("G", [alpha * alpha, 0]), ("B", [0, 0]), ("A", [alpha, 0])):
            np.testing.assert_allclose(channels[name][0], expected, rtol=1e-6)
        self.succeed("resize", "out.exr", "-o", "back.png", "--scale", "1", "--depth", "16")
        self.assertEqual(read_png(self.path("back.png")).tolist(), [[[65535, 32768, 0, 32768], [0, 0, 0, 0]]])

    def test_resizing_filters_premultiplied_colour_as_it_is(self):
        pixels = np.zeros((2, 2, 4), np.float32)
        pixels[0, 0] = (0.5, 0.25, 0, 0.5)
        channels, _ = read_exr(self.converted(exr_bytes(pixels), "--size", "1x1", "--filter", "box")[0])
        self.assertEqual([float(channels[name][0, 0]) for name in "RGBA"], [0.125, 0.0625, 0, 0.125])

    def test_depths_that_exr_does_not_hold(self):
        self.write("in.png", png_bytes(np.zeros((3, 3), np.uint16)))
        self.fail_with(1, "resize", "in.png", "-o", "out.exr", "--scale", "1", naming=["out.exr", "EXR", "16-bit", "--depth f"])
        self.assertFalse(self.path("out.exr").exists())

    def test_attributes_go_to_exr_and_what_they_mean_to_others(self):
        extra = (attribute("owner", "string", b"somebody"), attribute("comments", "string", "größer".encode()),
                 attribute("xDensity", "float", number(200)), attribute("worldToCamera", "m44f", bytes(64)))
        aspect = {"pixelAspectRatio": attribute("pixelAspectRatio", "float", number(2))}
        data = exr_bytes(samples(8, 8), extra=extra, replace=aspect)
        told = read_header(self.converted(data, "--size", "4x4")[0].read_bytes())[0]
        self.assertEqual((told["owner"][1], told["worldToCamera"]), (b"somebody", ("m44f", bytes(64))))
        self.assertEqual((told["xDensity"][1], told["pixelAspectRatio"][1]), (number(100), number(2)))
        told = read_header(self.converted(data, "--size", "4x8")[0].read_bytes())[0]
        self.assertEqual((told["xDensity"][1], told["pixelAspectRatio"][1]), (number(100), number(4)))
        told = read_header(self.converted(data, "--strip")[0].read_bytes())[0]
        self.assertEqual({"owner", "comments", "worldToCamera", "xDensity"} & set(told), set())
        out, said = self.converted(data, "--depth", "16", out="out.png")
        chunks = png_chunks(out.read_bytes())
        texts = [content for kind, content in chunks if kind in (b"tEXt", b"iTXt")]
        self.assertIn(b"Copyright\0somebody", texts)
        self.assertEqual(dict(chunks)[b"pHYs"], struct.pack(">IIB", 7874, 15748, 1))
        self.assertIn("worldToCamera", said)
        again = self.succeed("resize", "out.png", "-o", "again.exr", "--scale", "1", "--depth", "f16", "--overwrite")
        told = read_header(self.path("again.exr").read_bytes())[0]
        self.assertEqual((told["owner"][1], told["comments"][1]), (b"somebody", "größer".encode()))
        self.assertEqual(told["pixelAspectRatio"][1], number(2))
        self.assertEqual(again.err, "")

    def test_rounded_sides_leave_square_pixels_square(self):
        data = exr_bytes(samples(75, 100), extra=(attribute("xDensity", "float", number(300)),))
        told = read_header(self.converted(data, "--size", "33x")[0].read_bytes())[0]
        self.assertEqual(told["pixelAspectRatio"][1], number(1))


class Hostile(Exr):
    def refused(self, name, data, *naming):
        self.write("bad.exr", data)
        begin = time.monotonic()
        self.fail_with(1, "resize", "bad.exr", "-o", "out.exr", "--scale", "1", naming=["bad.exr", *naming], timeout=10)
        self.assertLess(time.monotonic() - begin, 5, name)
        self.assertFalse(self.path("out.exr").exists(), name)

    def test_headers_that_lie(self):
        image = samples(8, 8)
        def with_attribute(name, kind, value, **options):
            return exr_bytes(image, replace={name: attribute(name, kind, value)}, **options)
        def with_extra(kind, value):
            return exr_bytes(image, extra=(attribute("extra", kind, value),))
        tiles = exr_bytes(image, tile=(8, 8))
        giant = struct.pack("<IIB", 1 << 30, 1 << 30, 0)
        files = {"giant": with_attribute("dataWindow", "box2i", box((0, 0, 1 << 29, 1 << 29))),
                 "giant piz": with_attribute("dataWindow", "box2i", box((0, 0, 1 << 29, 7)), compression=PIZ),
                 "far": with_attribute("dataWindow", "box2i", box((-1 << 31, 0, (1 << 31) - 1, 7))),
                 "inverted": with_attribute("dataWindow", "box2i", box((7, 7, 0, 0))),
                 "inverted display": with_attribute("displayWindow", "box2i", box((7, 7, 0, 0))),
                 "giant tiles": tiles.replace(struct.pack("<IIB", 8, 8, 0), giant),
                 "compression": with_attribute("compression", "compression", b"\x63"),
                 "type": with_attribute("dataWindow", "box2f", box((0, 0, 7, 7))),
                 "size": with_attribute("dataWindow", "box2i", box((0, 0, 7, 7)) + bytes(40)),
                 "no window": exr_bytes(image, replace={"dataWindow": None}),
                 "no channels": with_attribute("channels", "chlist", b"\0"),
                 "channels without end": with_attribute("channels", "chlist", channel_list({"Y": image})[:-1]),
                 "channels twice": with_attribute("channels", "chlist", 2 * channel_list({"Y": image})[:-1] + b"\0"),
                 "sampling": with_attribute("channels", "chlist", channel_list({"Y": image}, 0)),
                 "twice": exr_bytes(image, extra=(attribute("dataWindow", "box2i", box((0, 0, 1 << 29, 1 << 29))),)),
                 "hidden attribute": with_extra("int", struct.pack("<i", 1) + attribute("dataWindow", "box2i", box((0, 0, 1 << 29, 1 << 29)))),
                 "preview": with_extra("preview", struct.pack("<II", 1 << 31, 1 << 31)),
                 "texts": with_extra("stringvector", struct.pack("<i", 1 << 30)),
                 "aspect": with_attribute("pixelAspectRatio", "float", number(float("nan"))),
                 "version": exr_bytes(image)[:4] + b"\x03" + exr_bytes(image)[5:],
                 "flags": exr_bytes(image, flags=0x8000),
                 "parts": exr_bytes(image, flags=PARTS),
                 "name": exr_bytes(image)[:8] + b"n" * 4000}
        for name, data in files.items():
            with self.subTest(name):
                self.refused(name, data)
        if support.MEASURES_MEMORY:
            self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 400 * 1024)

    def test_a_list_of_very_many_channels(self):
        names = {f"layer{i:06}.R": np.zeros((1, 1), np.float16) for i in range(50000)}
        self.refused("many", exr_bytes(names), "and 49988 more")

    def test_names_that_break_lines(self):
        self.refused("lines", exr_bytes({"a\nb": samples(2, 2), "c": samples(2, 2)}), "a?b")

    def test_blocks_that_lie(self):
        data = exr_bytes(samples(8, 8))
        table = len(data) - 8 * (8 + 8 + 32)
        for offset in (0, 1, table, len(data), len(data) + 100, (1 << 63) + 1, (1 << 64) - 1):
            self.refused(offset, data[:table + 24] + struct.pack("<Q", offset) + data[table + 32:])
        block = table + 64
        for y, size in ((99, 32), (-5, 32), (0, -1), (0, (1 << 31) - 1)):
            self.refused((y, size), data[:block] + struct.pack("<ii", y, size) + data[block + 8:])

    def test_random_damage_never_ends_the_program(self):
        for source in (exr_bytes(samples(20, 20, 4)), exr_bytes(samples(20, 20, 3, dtype=np.float16), tile=(8, 8)),
                       self.converted(exr_bytes(samples(40, 20, 3, dtype=np.float16)), "--compression", "dwaa")[0].read_bytes(),
                       self.converted(exr_bytes(samples(40, 20)), "--compression", "piz")[0].read_bytes()):
            for _ in range(25):
                data = bytearray(source)
                for at in RANDOM.integers(0, len(data), 3):
                    data[at] ^= int(RANDOM.integers(1, 256))
                self.write("bad.exr", bytes(data))
                result = self.run_program("resize", "bad.exr", "-o", "any.npy", "--overwrite", "--scale", "1", timeout=10)
                self.assertIn(result.code, (0, 1), str(result))
                self.assertLessEqual(len(result.err.splitlines()), 3, str(result))


if __name__ == "__main__":
    unittest.main()
