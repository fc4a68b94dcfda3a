"""`resize --scale 1` gives back what was stored: samples, depth, channels, photometric meaning, profile, resolution."""

import itertools
import struct
import unittest
import zlib
from fractions import Fraction

import numpy as np

import metadata_file as m
import tiff_file as tiff
from exr_file import attribute, exr_bytes, named, read_exr, read_header, window_of
from png_file import png_bytes, png_chunks, read_png
from pnm_file import pam_bytes, pfm_bytes, pnm_bytes, read_pnm
from support import ProgramTest
from tiff_file import read_tiff, tiff_bytes

RANDOM = np.random.default_rng(21)


def samples(dtype, *shape):
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return RANDOM.normal(size=shape).astype(dtype)
    limits = np.iinfo(dtype)
    return RANDOM.integers(limits.min, limits.max + 1, shape).astype(dtype)


class Identity(ProgramTest):
    def same(self, name, data, out=None):
        """What the file becomes, and nothing is said about it."""
        self.path(name).write_bytes(data)
        out = out or "out." + name.split(".")[1]
        result = self.succeed("resize", name, "-o", out, "--overwrite", "--scale", "1")
        self.assertEqual(result.err, "")
        return self.path(out).read_bytes()

    def test_png(self):
        for dtype, channels, interlace in itertools.product((np.uint8, np.uint16), (1, 2, 3, 4), (False, True)):
            array = samples(dtype, 9, 7, channels)
            profile = m.profile(b"RGB " if channels > 2 else b"GRAY")
            size = struct.pack(">IIB", 11811, 5905, 1)
            out = self.same("a.png", png_bytes(array, interlace=interlace, chunks=[
                (b"iCCP", b"any\0\0" + zlib.compress(profile)), (b"pHYs", size)]))
            chunks = dict(png_chunks(out))
            np.testing.assert_array_equal(read_png(out).reshape(array.shape), array)
            self.assertEqual(read_png(out).dtype, dtype)
            self.assertEqual(chunks[b"pHYs"], size)
            self.assertEqual(zlib.decompress(chunks[b"iCCP"].split(b"\0", 1)[1][1:]), profile)

    def test_tiff(self):
        types = (np.uint8, np.uint16, np.uint32, np.int16, np.int32, np.float16, np.float32, np.float64)
        for dtype, channels, order, deflate in itertools.product(types, (1, 3), "<>", (False, True)):
            array = samples(dtype, 9, 7, channels)
            profile = m.profile(b"RGB " if channels > 2 else b"GRAY")
            out, tags = read_tiff(self.same("a.tif", tiff_bytes(array, order, deflate=deflate, tags={
                tiff.PROFILE: profile, tiff.X_RESOLUTION: [Fraction(601, 2)], tiff.Y_RESOLUTION: [Fraction(1200)],
                tiff.RESOLUTION_UNIT: [3]})))
            np.testing.assert_array_equal(out.reshape(array.shape), array)
            self.assertEqual(out.dtype, dtype)
            self.assertEqual(tags[tiff.PHOTOMETRIC], [tiff.RGB if channels > 2 else tiff.BLACK_IS_ZERO])
            self.assertEqual(tags[tiff.COMPRESSION], [tiff.DEFLATE if deflate else 1])
            self.assertEqual(bytes(tags[tiff.PROFILE]), profile)
            resolution = [Fraction(*tags[tag]) for tag in (tiff.X_RESOLUTION, tiff.Y_RESOLUTION)]
            self.assertEqual((resolution, tags[tiff.RESOLUTION_UNIT]), ([Fraction(601, 2), 1200], [3]))

    def test_tiff_with_alpha_planes_and_white_at_zero(self):
        for dtype, channels, kind, planar in itertools.product((np.uint8, np.uint16), (2, 4), (0, 1, 2), (False, True)):
            array = samples(dtype, 9, 7, channels)
            white = channels == 2
            tags = {tiff.EXTRA_SAMPLES: [kind]}
            if white:
                tags[tiff.PHOTOMETRIC] = [tiff.WHITE_IS_ZERO]
            out, found = read_tiff(self.same("a.tif", tiff_bytes(array, planar=planar, rows_per_strip=4, tags=tags)))
            np.testing.assert_array_equal(out, array)
            self.assertEqual(found[tiff.EXTRA_SAMPLES], [kind])
            self.assertEqual(found[tiff.PHOTOMETRIC], [tiff.WHITE_IS_ZERO if white else tiff.RGB])

    def test_tiff_of_12_bits(self):
        """Two samples in three bytes; to other formats they are rescaled, with a warning."""
        array = RANDOM.integers(0, 4096, (9, 8)).astype(np.uint16)
        body = b"".join(int("".join(f"{value:012b}" for value in row), 2).to_bytes(12, "big") for row in array)
        fields = {tiff.WIDTH: [8], tiff.HEIGHT: [9], tiff.BITS: [12], tiff.COMPRESSION: [1], tiff.SAMPLES: [1], tiff.ROWS: [9],
                  tiff.PHOTOMETRIC: [tiff.BLACK_IS_ZERO]}
        out = self.same("a.tif", tiff.assemble("<", fields, [body]))
        tags, _ = tiff.read_tags(out)
        self.assertEqual(tags[tiff.BITS], [12])
        self.assertEqual(out[tags[tiff.STRIPS][0]:][:len(body)], body)
        self.assertIn("4095", self.succeed("resize", "a.tif", "-o", "b.png", "--scale", "1").err)
        np.testing.assert_array_equal(read_png(self.path("b.png")), np.rint(array * 65535.0 / 4095))

    def test_exr(self):
        extra = (attribute("owner", "string", b"somebody"), attribute("xDensity", "float", struct.pack("<f", 72.3)),
                 attribute("chromaticities", "chromaticities", struct.pack("<8f", .7, .3, .2, .7, .15, .05, .3127, .329)),
                 attribute("worldToCamera", "m44f", RANDOM.bytes(64)), attribute("mine", "ownType", b"any bytes"))
        aspect = {"pixelAspectRatio": attribute("pixelAspectRatio", "float", struct.pack("<f", 1.0666667))}
        for dtype, channels, tile in itertools.product((np.float16, np.float32), (1, 2, 3, 4), (None, (4, 3))):
            array = samples(dtype, 9, 7, channels) if channels > 1 else samples(dtype, 9, 7)
            data = exr_bytes(array, data=(-3, 2, 3, 10), display=(0, 0, 5, 5), tile=tile, extra=extra, replace=aspect)
            out, attributes = read_exr(self.same("a.exr", data))
            self.assertEqual(sorted(out), sorted(named(array)))
            for name, plane in named(array).items():
                self.assertEqual(out[name].dtype, dtype)
                np.testing.assert_array_equal(out[name], plane)
            told, _ = read_header(data)
            for name in ("owner", "xDensity", "chromaticities", "worldToCamera", "mine", "pixelAspectRatio", "compression"):
                self.assertEqual(attributes[name], told[name], name)
            self.assertEqual(window_of(attributes, "dataWindow"), (-3, 2, 3, 10))
            self.assertEqual(window_of(attributes, "displayWindow"), (0, 0, 5, 5))

    def test_pnm(self):
        for maxval, channels in itertools.product((1, 7, 255, 1023, 4095, 65535), (1, 3)):
            array = RANDOM.integers(0, maxval + 1, (9, 7, channels)).astype(np.uint8 if maxval < 256 else np.uint16)
            array = array[..., 0] if channels == 1 else array
            name = "a.pgm" if channels == 1 else "a.ppm"
            out, found = read_pnm(self.same(name, pnm_bytes(array, maxval)) and self.path("out." + name[2:]))
            np.testing.assert_array_equal(out, array)
            self.assertEqual(found, maxval)

    def test_pam_pfm_and_arrays_are_the_same_bytes(self):
        data = pam_bytes(samples(np.uint8, 9, 7, 4), "RGB_ALPHA")
        self.assertEqual(self.same("a.pam", data).split(b"ENDHDR\n")[1], data.split(b"ENDHDR\n")[1])
        data = pfm_bytes(samples(np.float32, 9, 7), False)
        self.assertEqual(self.same("a.pfm", data)[-9 * 7 * 4:], data[-9 * 7 * 4:])
        for dtype in (np.uint8, np.uint16, np.uint32, np.int16, np.int32, np.float16, np.float32, np.float64):
            array = samples(dtype, 9, 7, 5)
            np.save(self.path("source.npy"), array)
            self.same("a.npy", self.path("source.npy").read_bytes())
            out = np.load(self.path("out.npy"))
            np.testing.assert_array_equal(out, array)
            self.assertEqual(out.dtype, dtype)


if __name__ == "__main__":
    unittest.main()
