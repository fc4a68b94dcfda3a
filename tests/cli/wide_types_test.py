"""u32, s32 and f64: samples that float32 does not hold come through npy, TIFF and DICOM and are filtered in double."""

import struct
import unittest
import zlib

import numpy as np

import dicom_file as d
import tiff_file as tiff
from support import ProgramTest, read_npy, write_npy
from tiff_file import read_tiff, tiff_bytes

RANDOM = np.random.default_rng(64)
TYPES = (np.uint32, np.int32, np.float64)


def samples(dtype, *shape):
    if dtype == np.float64:
        return RANDOM.normal(size=shape) * 1e9 + 1 / 3
    limits = np.iinfo(dtype)
    return RANDOM.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def halved(array):
    """The mean of each 2x2 samples, of integers exactly: half to even."""
    blocks = [array[y::2, x::2] for y in (0, 1) for x in (0, 1)]
    if array.dtype == np.float64:
        return (((blocks[0] + blocks[2]) / 2) + ((blocks[1] + blocks[3]) / 2)) / 2  # vertical first
    total = sum(block.astype(np.int64) for block in blocks)
    whole, rest = total // 4, total % 4
    return (whole + ((rest > 2) | ((rest == 2) & (whole % 2 == 1)))).astype(array.dtype)


def split_predictor(array, order):
    """A strip with the floating-point predictor: bytes of a row by their weight, as differences."""
    height, width = array.shape
    planes = array.astype(array.dtype.newbyteorder(">")).view(np.uint8).reshape(height, width, 8).transpose(0, 2, 1).reshape(height, -1)
    return np.diff(planes, axis=1, prepend=np.zeros((height, 1), np.uint8)).astype(np.uint8).tobytes()


class Wide(ProgramTest):
    def test_arrays_of_either_byte_order_and_any_layout(self):
        for dtype in TYPES:
            array = samples(dtype, 7, 9, 3)
            for stored in (array.astype(np.dtype(dtype).newbyteorder(">")), np.asfortranarray(array)):
                out = self.process("resize", stored, "--scale", "1")
                np.testing.assert_array_equal(out, array)
                self.assertEqual(out.dtype, dtype)
            planes = self.process("resize", array.transpose(2, 0, 1).copy(), "--scale", "1", "--layout", "chw")
            np.testing.assert_array_equal(planes, array.transpose(2, 0, 1))

    def test_half_the_size_is_the_exact_mean(self):
        for dtype in TYPES:
            array = samples(dtype, 12, 20)
            out = self.process("resize", array, "--scale", "1/2", "--filter", "box", "--verify")
            np.testing.assert_array_equal(out, halved(array))

    def test_tif_06_constants_beyond_float32_stay(self):
        for value in (4294967295, 4294967294, 70000, 16777217):
            for arguments in (("--size", "17x5"), ("--scale", "3,7/2"), ("--scale", "1/3", "--border", "wrap"), ("--scale", "0.4", "--filter", "lanczos3")):
                out = self.process("resize", np.full((20, 33), value, np.uint32), *arguments)
                self.assertEqual(set(out.flat), {value})
        self.assertEqual(set(self.process("resize", np.full((9, 9), -2**31, np.int32), "--scale", "2/3").flat), {-2**31})

    def test_verify_and_every_part_of_the_operator(self):
        for dtype in TYPES:
            array = samples(dtype, 23, 31)
            for arguments in (("resize", "--size", "47x11", "--filter", "lanczos3"), ("resize", "--scale", "5/3", "--border", "constant:5"),
                              ("resize", "--scale", "1/2", "--border", "zero", "--nodata", "7"), ("resize", "--size", "5x40", "--filter", "nearest"),
                              ("filter", "--taps", "1,3,3,1", "--up", "2", "--gain", "0.3"),
                              ("filter", "--taps", ",".join("1" * 150), "--pad", "75", "--bias", "-3", "--act", "lrelu", "--clamp", "1e8"),
                              ("resize", "--scale", "1/2", "--depth", "f32"), ("resize", "--scale", "1/2", "--depth", "f16"), ("resize", "--scale", "1/2", "--depth", "16")):
                self.process(arguments[0], array, *arguments[1:], "--verify")

    def test_full_scale_maps_to_full_scale(self):
        whole = np.array([[0, 2**31, 2**32 - 1]], np.uint32)
        for depth, wanted in (("16", [0, 32768, 65535]), ("8", [0, 128, 255]), ("f32", [0, 0.5, 1])):
            np.testing.assert_array_equal(self.process("resize", whole, "--scale", "1", "--depth", depth), [np.float32(wanted)])
        signed = np.array([[-2**31 + 1, 0, 2**31 - 1]], np.int32)
        np.testing.assert_array_equal(self.process("resize", signed, "--scale", "1", "--depth", "16"), [[-32767, 0, 32767]])
        self.assertEqual(self.process("resize", np.array([[1 / 3]]), "--scale", "1", "--depth", "f32")[0, 0], np.float32(1 / 3))
        write_npy(self.path("a.npy"), signed)
        self.fail_with(1, "resize", "a.npy", "-o", "b.npy", "--scale", "1", "--depth", "8", naming=["a.npy", "signed"])

    def test_infinity_and_nan_spread_as_far_as_the_taps_and_minus_zero_stays(self):
        array = np.zeros((1, 12))
        array[0, :4], array[0, 8] = -0.0, np.inf
        out = self.process("filter", array, "--taps-x", "0,1,1", "--no-normalize", "--pad", "1,1,0,0")
        self.assertTrue(np.isnan(out[0, 7]))  # 0 times Inf
        self.assertEqual(list(out[0, 8:10]), [np.inf, np.inf])
        self.assertTrue(np.all(np.isfinite(np.delete(out[0], (7, 8, 9)))))
        array[0, 8] = np.nan
        copied = self.process("resize", array, "--scale", "1")
        np.testing.assert_array_equal(copied.view(np.uint64), array.view(np.uint64))

    def test_nodata_is_a_value_of_the_type(self):
        array = np.full((4, 4), 4294967295, np.uint32)
        array[0, 0] = 4294967294
        out = self.process("resize", array, "--scale", "1/2", "--filter", "box", "--nodata", "4294967294")
        self.assertEqual(set(out.flat), {4294967295})
        write_npy(self.path("a.npy"), array)
        for value in ("4294967296", "-1", "0.5"):
            self.fail_with(1, "resize", "a.npy", "-o", "b.npy", "--scale", "1/2", f"--nodata={value}", naming=["a.npy", "4294967295"])

    def test_alpha_multiplies_in_double(self):
        array = np.array([[[4000000001, 4294967295], [5, 0]], [[4000000001, 4294967295], [5, 0]]], np.uint32)
        out = self.process("resize", array, "--size", "1x1", "--filter", "box", "--alpha-channel", "last", "--verify")
        self.assertEqual(list(out.ravel()), [4000000001, 2147483648])

    def test_formats_that_cannot_hold_them_say_which_can(self):
        for dtype, words in ((np.uint32, "32-bit"), (np.int32, "signed 32-bit"), (np.float64, "double")):
            write_npy(self.path("a.npy"), samples(dtype, 5, 5))
            for name in ("a.png", "a.pgm", "a.jpg", "a.pfm"):
                self.fail_with(1, "resize", "a.npy", "-o", name, "--scale", "1", naming=[name, words, "TIFF", "NPY"])
                self.assertFalse(self.path(name).exists())
        self.fail_with(1, "resize", "a.npy", "-o", "b.npy", "--scale", "1/2", "--linear", naming=["a.npy", "f64"])

    def test_compare_counts_in_double(self):
        write_npy(self.path("a.npy"), np.full((3, 3), 4294967295, np.uint32))
        write_npy(self.path("b.npy"), np.full((3, 3), 4294967294, np.uint32))
        self.assertIn("largest difference: 1 at", self.run_program("compare", "a.npy", "b.npy").out.decode())
        self.assertIn("u32, maxval 4294967295 (32 bit)", self.succeed("info", "a.npy").out.decode())


class WideTiff(ProgramTest):
    def read_as(self, data, array):
        self.path("a.tif").write_bytes(data)
        self.succeed("resize", "a.tif", "-o", "a.npy", "--scale", "1", "--overwrite")
        out = read_npy(self.path("a.npy"))
        np.testing.assert_array_equal(out, array)
        self.assertEqual(out.dtype, array.dtype)

    def test_byte_orders_planes_and_predictors(self):
        for dtype in TYPES:
            array = samples(dtype, 9, 7, 3)
            for order in "<>":
                for planar in (False, True):
                    self.read_as(tiff_bytes(array, order, planar=planar, rows_per_strip=4), array)
                    if dtype != np.float64:
                        self.read_as(tiff_bytes(array, order, planar=planar, predictor=True, deflate=True), array)
        array = samples(np.float64, 6, 5)
        fields = {tiff.WIDTH: [5], tiff.HEIGHT: [6], tiff.BITS: [64], tiff.COMPRESSION: [tiff.DEFLATE], tiff.SAMPLES: [1], tiff.ROWS: [6],
                  tiff.PHOTOMETRIC: [tiff.BLACK_IS_ZERO], tiff.SAMPLE_FORMAT: [3], tiff.PREDICTOR: [3]}
        for order in "<>":
            self.read_as(tiff.assemble(order, fields, [zlib.compress(split_predictor(array, order))]), array)

    def test_written_with_each_compression(self):
        for dtype in TYPES:
            array = samples(dtype, 40, 33)
            write_npy(self.path("a.npy"), array)
            for compression in ("none", "deflate", "lzw", "zstd"):
                self.succeed("resize", "a.npy", "-o", "b.tif", "--scale", "1", "--compression", compression, "--overwrite")
                self.read_as(self.path("b.tif").read_bytes(), array)
                if compression in ("none", "deflate"):
                    out, tags = read_tiff(self.path("b.tif"))
                    np.testing.assert_array_equal(out, array)
                    self.assertEqual(tags.get(tiff.PREDICTOR, [1]), [1 if compression == "none" else 3 if dtype == np.float64 else 2])

    def test_white_at_zero(self):
        array = samples(np.uint32, 4, 5)
        self.read_as(tiff_bytes(array, tags={tiff.PHOTOMETRIC: [tiff.WHITE_IS_ZERO]}), 4294967295 - array)
        self.path("a.tif").write_bytes(tiff_bytes(array, tags={tiff.PHOTOMETRIC: [tiff.WHITE_IS_ZERO]}))
        self.succeed("resize", "a.tif", "-o", "b.tif", "--scale", "1")
        np.testing.assert_array_equal(read_tiff(self.path("b.tif"))[0], array)


class WideDicom(ProgramTest):
    def test_values_of_either_sign_and_byte_order(self):
        for dtype in (np.uint32, np.int32):
            array = samples(dtype, 6, 7)
            for syntax in (d.EXPLICIT, d.IMPLICIT, d.BIG):
                self.path("a.dcm").write_bytes(d.dicom_bytes(array, syntax=syntax))
                self.succeed("resize", "a.dcm", "-o", "a.npy", "--scale", "1", "--overwrite")
                np.testing.assert_array_equal(read_npy(self.path("a.npy")), array)

    def test_derived_files_keep_32_bits(self):
        for dtype in (np.uint32, np.int32):
            array = samples(dtype, 8, 10)
            self.path("a.dcm").write_bytes(d.dicom_bytes(array, changes={d.SMALLEST: ("US", 0), d.LARGEST: ("US", 9)}))
            self.succeed("resize", "a.dcm", "-o", "b.dcm", "--scale", "1/2", "--filter", "box", "--overwrite")
            made = d.Dicom(self.path("b.dcm").read_bytes())
            np.testing.assert_array_equal(made.array()[0], halved(array))
            self.assertEqual([made.number(tag) for tag in (d.ALLOCATED, d.STORED, d.HIGH_BIT, d.SIGN)], [32, 32, 31, int(dtype == np.int32)])
            self.assertNotIn(d.SMALLEST, made)  # it holds 16 bits
            self.succeed("resize", "a.dcm", "-o", "c.dcm", "--scale", "1", "--transfer-syntax", "rle", "--overwrite")
            self.succeed("resize", "c.dcm", "-o", "c.npy", "--scale", "1", "--overwrite")
            np.testing.assert_array_equal(read_npy(self.path("c.npy")), array)
            self.fail_with(1, "resize", "a.dcm", "-o", "d.dcm", "--scale", "1", "--transfer-syntax", "jpeg2000", naming=["d.dcm", "rle"])

    def test_fewer_bits_stored_and_colours_in_planes(self):
        array = RANDOM.integers(0, 2**20, (5, 6)).astype(np.uint32)
        self.path("a.dcm").write_bytes(d.dicom_bytes(array, bits=20))
        self.succeed("resize", "a.dcm", "-o", "b.dcm", "--scale", "1")
        made = d.Dicom(self.path("b.dcm").read_bytes())
        np.testing.assert_array_equal(made.array()[0], array)
        self.assertEqual(made.number(d.STORED), 20)
        colours = samples(np.uint32, 4, 5, 3)
        fields = d.image_fields(colours, changes={d.PLANAR: ("US", 1)})
        self.path("c.dcm").write_bytes(d.file_bytes(fields, colours.transpose(2, 0, 1).tobytes()))
        self.succeed("resize", "c.dcm", "-o", "c.npy", "--scale", "1")
        np.testing.assert_array_equal(read_npy(self.path("c.npy")), colours)

    def test_windows_and_rescaled_numbers(self):
        array = np.array([[0, 1000000, 2000000, 4294967295]], np.uint32)
        self.path("a.dcm").write_bytes(d.dicom_bytes(array, changes={d.SLOPE: ("DS", 0.5), d.INTERCEPT: ("DS", -10)}))
        self.succeed("resize", "a.dcm", "-o", "a.npy", "--scale", "1", "--rescale")
        np.testing.assert_array_equal(read_npy(self.path("a.npy")), np.float32(array * 0.5 - 10))
        self.succeed("resize", "a.dcm", "-o", "b.npy", "--scale", "1", "--window", "auto", "--depth", "16")
        np.testing.assert_array_equal(read_npy(self.path("b.npy")), np.rint(array / 4294967295 * 65535).astype(np.uint16))
        self.succeed("resize", "a.dcm", "-o", "c.npy", "--scale", "1", "--window", "percentile:0,67")
        np.testing.assert_array_equal(read_npy(self.path("c.npy")), np.uint32([[0, 2147483648, 4294967295, 4294967295]]))

    def test_pixels_of_double_precision(self):
        array = samples(np.float64, 3, 4)
        fields = d.image_fields(array, changes={d.STORED: None, d.HIGH_BIT: None, d.SIGN: None})
        tail = struct.pack("<HH2sHI", 0x7FE0, 0x0009, b"OD", 0, array.nbytes) + array.tobytes()
        self.path("a.dcm").write_bytes(d.meta(d.EXPLICIT, fields) + d.elements(fields) + tail)
        self.succeed("resize", "a.dcm", "-o", "a.npy", "--scale", "1")
        np.testing.assert_array_equal(read_npy(self.path("a.npy")), array)


if __name__ == "__main__":
    unittest.main()
