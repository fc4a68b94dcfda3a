"""--window, --rescale and --invert-monochrome1: from stored numbers to what is shown."""

import unittest

import numpy as np

import dicom_file as d
from png_file import read_png
from support import ProgramTest, write_npy
from tiff_file import PHOTOMETRIC, read_tags, read_tiff

STORED = np.array([[0, 1, 500, 1000, 2047, 2048, 4000, 4095]], np.uint16)


class Window(ProgramTest):
    def shown(self, changes, *arguments, array=STORED, photometric="MONOCHROME2", expect=None):
        self.path("in.dcm").write_bytes(d.dicom_bytes(array, bits=12 if array.dtype == np.uint16 else None, photometric=photometric,
                                                      changes=changes))
        self.succeed("resize", "in.dcm", "-o", "out.png", "--scale", "1", "--overwrite", *arguments)
        return read_png(self.path("out.png").read_bytes()).ravel()

    def check(self, actual, position, maxval=65535):
        wanted = np.clip(np.rint(np.clip(position, 0, 1) * maxval), 0, maxval)
        np.testing.assert_array_equal(actual, wanted)

    def test_stored_values_are_the_default(self):
        np.testing.assert_array_equal(self.shown({d.CENTRE: ("DS", 40), d.WIDTH: ("DS", 400)}), STORED.ravel())

    def test_the_shapes_of_the_files_window(self):
        v = STORED.ravel().astype(np.float64) * 2 - 1024
        units = {d.SLOPE: ("DS", 2), d.INTERCEPT: ("DS", -1024), d.CENTRE: ("DS", "40\\99"), d.WIDTH: ("DS", "4000\\99")}
        self.check(self.shown(units, "--window", "dicom"), (v - 39.5) / 3999 + 0.5)
        self.check(self.shown({**units, d.SHAPE: ("CS", "LINEAR_EXACT")}, "--window", "dicom"), (v - 40) / 4000 + 0.5)
        self.check(self.shown({**units, d.SHAPE: ("CS", "SIGMOID")}, "--window", "dicom"), 1 / (1 + np.exp(-4 * (v - 40) / 4000)))
        self.check(self.shown(units, "--window", "dicom", "--depth", "8"), (v - 39.5) / 3999 + 0.5, 255)
        self.check(self.shown(units, "--window", "0,100"), (v + 0.5) / 99 + 0.5)

    def test_signed_samples_are_shown_on_unsigned_ones(self):
        signed = np.array([[-1000, -500, 0, 500, 1000]], np.int16)
        self.check(self.shown({}, "--window", "0,1001", array=signed), (signed.ravel() + 0.5) / 1000 + 0.5)

    def test_tables_come_before_the_window(self):
        table = {0x00283002: ("US", [4, 10, 8]), 0x00283003: ("LO", "t"), 0x00283006: ("OW", np.array([0, 10, 100, 255], np.uint16).tobytes())}
        changes = {d.DISPLAY_TABLES: ("SQ", [table]), d.CENTRE: ("DS", 40), d.WIDTH: ("DS", 400)}
        array = np.array([[0, 10, 11, 12, 13, 99]], np.uint16)
        self.check(self.shown(changes, "--window", "dicom", array=array), np.array([0, 0, 10, 100, 255, 255]) / 255)
        changes = {d.MODALITY_TABLES: ("SQ", [table]), d.CENTRE: ("DS", 50), d.WIDTH: ("DS", 101)}
        self.check(self.shown(changes, "--window", "dicom", array=array), (np.array([0, 0, 10, 100, 255, 255]) - 49.5) / 100 + 0.5)

    def test_inversion_comes_last(self):
        straight = self.shown({}, "--window", "2048,4096")
        turned = self.shown({}, "--window", "2048,4096", "--invert-monochrome1", photometric="MONOCHROME1")
        np.testing.assert_array_equal(turned, 65535 - straight)
        np.testing.assert_array_equal(self.shown({}, "--window", "2048,4096", "--invert-monochrome1"), straight)

    def test_windows_of_signed_samples_and_of_floats(self):
        for kind in (np.int16, np.float32):
            write_npy(self.path("a.npy"), np.array([[-32768, -300, 0, 300, 32767]], kind))
            self.succeed("resize", "a.npy", "-o", "a.png", "--scale", "1", "--overwrite", "--depth", "16", "--window", "percentile:25,75")
            self.check(read_png(self.path("a.png").read_bytes()).ravel(), np.array([0, 0, 0.5, 1, 1]))

    def test_a_run_says_once_that_low_values_are_white(self):
        for name in ("a.dcm", "b.dcm"):
            self.path(name).write_bytes(d.dicom_bytes(STORED, bits=12, photometric="MONOCHROME1"))
        result = self.succeed("resize", "a.dcm", "b.dcm", "-o", "out/", "--format", "png", "--scale", "1")
        self.assertEqual(len(result.err.splitlines()), 1)
        self.assertIn("--invert-monochrome1", result.err)
        self.assertEqual(self.succeed("resize", "a.dcm", "b.dcm", "-o", "dicom/", "--scale", "1").err, "")

    def test_a_tiff_says_itself_that_low_values_are_white(self):
        array = np.array([[0, 1000, 4095, 5]], np.uint16)
        self.path("a.dcm").write_bytes(d.dicom_bytes(array, bits=12, photometric="MONOCHROME1"))
        self.assertEqual(self.succeed("resize", "a.dcm", "-o", "a.tif", "--scale", "1").err, "")
        data = self.path("a.tif").read_bytes()
        self.assertEqual(read_tags(data)[0][PHOTOMETRIC][0], 0)
        np.testing.assert_array_equal(read_tiff(data)[0].ravel(), array.ravel())
        self.succeed("resize", "a.tif", "-o", "a.png", "--scale", "1")  # PNG can't say it: readers deliver white as high
        np.testing.assert_array_equal(read_png(self.path("a.png").read_bytes()).ravel(), 65535 - array.ravel().astype(int))
        self.succeed("resize", "a.dcm", "-o", "b.tif", "--scale", "1", "--invert-monochrome1")
        self.assertEqual(read_tags(self.path("b.tif").read_bytes())[0][PHOTOMETRIC][0], 1)
        self.assertIn("--invert-monochrome1", self.succeed("resize", "a.dcm", "-o", "c.tif", "--scale", "1", "--rescale").err)

    def test_windows_of_the_samples_leave_padding_out(self):
        array = np.array([[100, 200, 300, 400, 500, 4095]], np.uint16)
        shown = self.shown({d.PADDING: ("US", 4095)}, "--window", "auto", array=array)
        self.check(shown[:5], (array.ravel()[:5] - 100.0) / 400)
        shown = self.shown({d.PADDING: ("US", 4095)}, "--window", "percentile:25,75", array=array)
        self.check(shown[:5], (array.ravel()[:5] - 200.0) / 200)

    def test_frames_have_values_of_their_own(self):
        def group(slope, centre):
            return {0x00289145: ("SQ", [{d.SLOPE: ("DS", slope), d.INTERCEPT: ("DS", 0)}]),
                    0x00289132: ("SQ", [{d.CENTRE: ("DS", centre), d.WIDTH: ("DS", 101)}])}
        groups = {0x52009230: ("SQ", [group(1, 50), group(3, 250)])}
        self.path("in.dcm").write_bytes(d.dicom_bytes(np.full((2, 1, 1), 80, np.uint16), frames=True, changes=groups))
        windows = [round((value - centre + 0.5) / 100 * 65535 + 32767.5) for value, centre in ((80, 50), (240, 250))]
        for option, wanted in (("--rescale", [80, 240]), ("--window=dicom", windows)):
            self.succeed("resize", "in.dcm", "-o", "all.tif", "--scale", "1", "--overwrite", option)
            for page, value in enumerate(wanted, 1):
                self.succeed("resize", "all.tif", "-o", "all.npy", "--scale", "1", "--page", page, "--overwrite")
                self.succeed("resize", "in.dcm", "-o", "one.npy", "--scale", "1", "--page", page, "--overwrite", option)
                for name in ("all.npy", "one.npy"):
                    np.testing.assert_array_equal(np.load(self.path(name)), [[value]])

    def test_a_window_of_the_samples_is_in_numbers_of_the_modality(self):
        def group(slope):
            return {0x00289145: ("SQ", [{d.SLOPE: ("DS", slope), d.INTERCEPT: ("DS", 0)}])}
        frames = np.array([[[0, 80]], [[100, 100]], [[20, 60]]], np.uint16)  # 0 80, 300 300, 20 60
        groups = {0x52009230: ("SQ", [group(1), group(3), group(1)])}
        self.path("in.dcm").write_bytes(d.dicom_bytes(frames, frames=True, changes=groups))
        for option, low, high in (("auto", 0, 300), ("percentile:20,80", 20, 300), ("percentile:0,60", 0, 80)):
            self.succeed("resize", "in.dcm", "-o", "all.tif", "--scale", "1", "--overwrite", "--window", option)
            for page, numbers in enumerate(([0, 80], [300, 300], [20, 60]), 1):
                self.succeed("resize", "all.tif", "-o", "one.npy", "--scale", "1", "--page", page, "--overwrite")
                self.check(np.load(self.path("one.npy")), np.clip((np.array([numbers]) - low) / (high - low), 0, 1))

    def test_one_rounding_after_resampling(self):
        array = np.array([[0, 1], [0, 1]], np.uint16)
        self.path("in.dcm").write_bytes(d.dicom_bytes(array))
        self.succeed("resize", "in.dcm", "-o", "out.png", "--size", "1x1", "--filter", "box", "--window", "0.5,2")
        self.check(read_png(self.path("out.png").read_bytes()).ravel(), np.array([1.0]))
        self.path("exact.dcm").write_bytes(d.dicom_bytes(array, changes={d.CENTRE: ("DS", 0.5), d.WIDTH: ("DS", 1), d.SHAPE: ("CS", "LINEAR_EXACT")}))
        self.succeed("resize", "exact.dcm", "-o", "exact.png", "--size", "1x1", "--filter", "box", "--window", "dicom")
        self.check(read_png(self.path("exact.png").read_bytes()).ravel(), np.array([0.5]))

    def test_letterbox_is_in_output_codes(self):
        self.path("in.dcm").write_bytes(d.dicom_bytes(np.full((2, 4), 7, np.uint16)))
        self.succeed("resize", "in.dcm", "-o", "out.png", "--letterbox", "4x4:9", "--window", "7,3")
        np.testing.assert_array_equal(read_png(self.path("out.png").read_bytes()).reshape(4, 4)[:, 0], [9, 49151, 49151, 9])

    def test_rescaled_values_are_floats(self):
        self.path("in.dcm").write_bytes(d.dicom_bytes(STORED, bits=12, changes={d.SLOPE: ("DS", "0.5"), d.INTERCEPT: ("DS", "-7")}))
        self.succeed("resize", "in.dcm", "-o", "out.npy", "--scale", "1", "--rescale")
        np.testing.assert_array_equal(np.load(self.path("out.npy")), STORED.astype(np.float32) * 0.5 - 7)
        self.fail_with(1, "resize", "in.dcm", "-o", "out.png", "--scale", "1", "--rescale", naming=["out.png", "TIFF"])
        self.fail_with(1, "resize", "in.dcm", "-o", "b.npy", "--scale", "1", "--rescale", "--depth", "8", naming="--rescale")

    def test_what_cannot_be(self):
        self.path("in.dcm").write_bytes(d.dicom_bytes(STORED))
        self.fail_with(1, "resize", "in.dcm", "-o", "out.png", "--scale", "1", "--window", "dicom", naming=["in.dcm", "--window auto"])
        self.path("rgb.dcm").write_bytes(d.dicom_bytes(np.zeros((2, 2, 3), np.uint8)))
        self.fail_with(1, "resize", "rgb.dcm", "-o", "out.png", "--scale", "1", "--window", "auto", naming=["rgb.dcm", "colours"])
        for bad in ("x", "1", "1,0", "percentile:50,20", "percentile:0,101"):
            self.fail_with(2, "resize", "in.dcm", "-o", "out.png", "--scale", "1", "--window", bad, naming="--window")
        self.assertFalse(self.path("out.png").exists())

    def test_gray_images_of_other_formats_have_windows_too(self):
        write_npy(self.path("a.npy"), np.array([[0, 50, 100]], np.uint8))
        self.succeed("resize", "a.npy", "-o", "a.png", "--scale", "1", "--window", "auto")
        self.check(read_png(self.path("a.png").read_bytes()).ravel(), np.array([0, 0.5, 1]), 255)


if __name__ == "__main__":
    unittest.main()
