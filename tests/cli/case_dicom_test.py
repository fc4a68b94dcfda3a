"""Cases DCM: how other tools misread or damaged DICOM files."""

import struct
import unittest

import numpy as np

import dicom_file as d
from case_taps_test import comma_locale
from png_file import read_png
from support import ProgramTest

RAMP = np.arange(24, dtype=np.uint16).reshape(4, 6) * 100


class DicomCases(ProgramTest):
    def decode(self, data, *arguments):
        """The samples of a file, as .npy holds them."""
        self.path("in.dcm").write_bytes(data)
        self.succeed("resize", "in.dcm", "-o", "out.npy", "--scale", "1", "--overwrite", *arguments)
        return np.load(self.path("out.npy"))

    def derive(self, data, *arguments):
        """The DICOM file that `resize` makes of one."""
        self.path("in.dcm").write_bytes(data)
        self.succeed("resize", "in.dcm", "-o", "out.dcm", "--overwrite", *arguments)
        return d.Dicom(self.path("out.dcm").read_bytes())

    def test_dcm_01_bits_above_the_sample_are_masked(self):
        words = np.array([[0xF123, 0x0FFF]], np.uint16)
        np.testing.assert_array_equal(self.decode(d.dicom_bytes(words, bits=12)), [[291, 4095]])
        signed = np.array([[0x0800, 0x17FF]], np.uint16).view(np.int16)
        np.testing.assert_array_equal(self.decode(d.dicom_bytes(signed, bits=12)), [[-2048, 2047]])

    def test_dcm_03_the_high_bit_says_where_the_sample_is(self):
        data = d.dicom_bytes(np.array([[0x1230, 0xFFF5]], np.uint16), bits=12, changes={d.HIGH_BIT: ("US", 15)})
        np.testing.assert_array_equal(self.decode(data), [[0x123, 0xFFF]])

    def test_dcm_05_monochrome1_stays_as_stored_unless_asked(self):
        data = d.dicom_bytes(np.array([[0, 1000, 4095]], np.uint16), bits=12, photometric="MONOCHROME1")
        derived = self.derive(data, "--scale", "1")
        self.assertEqual(derived.text(d.PHOTOMETRIC), "MONOCHROME1")
        np.testing.assert_array_equal(derived.array()[0], [[0, 1000, 4095]])
        note = self.succeed("resize", "in.dcm", "-o", "out.png", "--scale", "1")
        self.assertIn("--invert-monochrome1", note.err)
        np.testing.assert_array_equal(read_png(self.path("out.png").read_bytes()).ravel(), [0, 1000, 4095])
        quiet = self.succeed("resize", "in.dcm", "-o", "inverted.png", "--scale", "1", "--invert-monochrome1")
        self.assertEqual(quiet.err, "")
        np.testing.assert_array_equal(read_png(self.path("inverted.png").read_bytes()).ravel(), [4095, 3095, 0])

    def test_dcm_06_size_and_pixels_change_together(self):
        derived = self.derive(d.dicom_bytes(RAMP), "--down", "2")
        self.assertEqual((derived.number(d.ROWS), derived.number(d.COLUMNS), len(derived.raw(d.PIXELS))), (2, 3, 12))

    def test_dcm_08_decimal_strings_have_16_characters_at_most(self):
        image = np.zeros((9, 9), np.uint16)
        for own, change, wanted in (("0.143", ("--up", "3"), "0.04766666666667"), ("0.1", ("--down", "3"), "0.3"),
                                    ("4.56412597e-4", ("--up", "3"), "0.00015213753233")):
            derived = self.derive(d.dicom_bytes(image, changes={d.SPACING: ("DS", f"{own}\\{own}")}), *change)
            self.assertEqual(derived.text(d.SPACING), f"{wanted}\\{wanted}")

    def test_dcm_09_a_derived_image_is_a_new_instance_that_names_its_source(self):
        derived = self.derive(d.dicom_bytes(RAMP), "--down", "2")
        uid = derived.text(d.INSTANCE_UID)
        self.assertRegex(uid, r"^2\.25\.[1-9][0-9]{1,38}$")
        self.assertEqual(derived.text(0x00020003, derived.meta), uid)
        self.assertEqual(derived.text(d.IMAGE_TYPE), "DERIVED\\PRIMARY")
        (source,) = derived.raw(d.SOURCE_IMAGES)
        self.assertEqual(derived.text(0x00081155, source), "1.2.3.4.5.6")
        self.assertEqual(derived.text(d.STUDY_UID), "1.2.3.4.5.7")
        self.assertNotIn(derived.text(d.SERIES_UID), ("1.2.3.4.5.8", uid))
        first = self.path("out.dcm").read_bytes()
        self.derive(d.dicom_bytes(RAMP), "--down", "2")
        self.assertEqual(self.path("out.dcm").read_bytes(), first)
        sibling = self.derive(d.dicom_bytes(RAMP, changes={d.INSTANCE_UID: ("UI", "1.2.3.4.5.66")}), "--down", "2")
        self.assertEqual(sibling.text(d.SERIES_UID), derived.text(d.SERIES_UID))
        self.assertNotEqual(sibling.text(d.INSTANCE_UID), uid)
        other = self.derive(d.dicom_bytes(RAMP), "--down", "2", "--filter", "box")
        self.assertFalse({other.text(d.SERIES_UID), other.text(d.INSTANCE_UID)} & {derived.text(d.SERIES_UID), uid})

    def test_dcm_10_a_fractional_slope_is_kept_or_applied(self):
        stored = np.arange(101, dtype=np.uint16)[None, :]
        data = d.dicom_bytes(stored, changes={d.SLOPE: ("DS", "0.25"), d.INTERCEPT: ("DS", "-10")})
        derived = self.derive(data, "--scale", "1")
        self.assertEqual((derived.text(d.SLOPE), derived.text(d.INTERCEPT)), ("0.25", "-10"))
        np.testing.assert_array_equal(derived.array()[0], stored)
        np.testing.assert_array_equal(self.decode(data, "--rescale"), (0.25 * stored - 10).astype(np.float32))

    def test_dcm_12_an_odd_number_of_bytes(self):
        image = np.arange(9, dtype=np.uint8).reshape(3, 3)
        for pad in (True, False):
            np.testing.assert_array_equal(self.decode(d.dicom_bytes(image, pad=pad)), image)
        derived = self.derive(d.dicom_bytes(image), "--scale", "1")
        self.assertEqual(len(derived.raw(d.PIXELS)), 10)
        self.assertEqual(derived.raw(d.PIXELS)[:9], image.tobytes())

    def test_dcm_13_frames_of_an_odd_length_do_not_drift(self):
        frames = np.repeat(np.array([10, 20, 30], np.uint8), 9).reshape(3, 3, 3)
        self.path("in.dcm").write_bytes(d.dicom_bytes(frames, frames=True))
        for page in (1, 2, 3):
            self.succeed("resize", "in.dcm", "-o", f"{page}.npy", "--scale", "1", "--page", page)
            np.testing.assert_array_equal(np.load(self.path(f"{page}.npy")), frames[page - 1])
        derived = self.derive(d.dicom_bytes(frames, frames=True), "--scale", "1")
        np.testing.assert_array_equal(derived.array(), frames)
        self.fail_with(1, "resize", "in.dcm", "-o", "4.npy", "--scale", "1", "--page", "4", naming=["in.dcm", "--page"])

    def test_dcm_15_no_preamble_no_meta_header(self):
        fields = d.image_fields(RAMP)
        raw = RAMP.tobytes()
        for syntax in (d.IMPLICIT, d.EXPLICIT):
            np.testing.assert_array_equal(self.decode(d.file_bytes(fields, raw, syntax, with_meta=False)), RAMP)
            no_meta = b"\0" * 128 + b"DICM" + d.file_bytes(fields, raw, syntax, with_meta=False)
            np.testing.assert_array_equal(self.decode(no_meta), RAMP)
        big = d.file_bytes(fields, RAMP.astype(">u2").tobytes(), d.BIG, with_meta=False)
        np.testing.assert_array_equal(self.decode(big), RAMP)

    def test_big_endian_pixels_of_every_width(self):
        bytes_image = np.arange(15, dtype=np.uint8).reshape(3, 5)
        words = (bytes_image.tobytes() + b"\0")
        swapped = np.frombuffer(words, np.uint16).byteswap().tobytes()
        np.testing.assert_array_equal(self.decode(d.file_bytes(d.image_fields(bytes_image), swapped, d.BIG)), bytes_image)
        np.testing.assert_array_equal(self.decode(d.file_bytes(d.image_fields(bytes_image), words, d.BIG, vr="OB")), bytes_image)
        bits = np.random.default_rng(6).integers(0, 2, (5, 9)).astype(np.uint8)
        one = {d.ALLOCATED: ("US", 1), d.STORED: ("US", 1), d.HIGH_BIT: ("US", 0)}
        packed = np.packbits(bits.ravel(), bitorder="little").tobytes()
        swapped = np.frombuffer(packed, np.uint16).byteswap().tobytes()
        np.testing.assert_array_equal(self.decode(d.file_bytes(d.image_fields(bits, changes=one), swapped, d.BIG)), bits)
        signed = np.array([[-300, 300], [-1, 2]], np.int16)
        np.testing.assert_array_equal(self.decode(d.dicom_bytes(signed, d.BIG)), signed)

    def test_the_syntax_of_ge_has_big_endian_pixels_after_little_endian_elements(self):
        fields = d.image_fields(RAMP)
        plain = d.file_bytes(fields, RAMP.astype(">u2").tobytes(), d.IMPLICIT)
        inner = plain[len(d.meta(d.IMPLICIT, fields)):]
        np.testing.assert_array_equal(self.decode(d.meta("1.2.840.113619.5.2", fields) + inner), RAMP)

    def test_overlay_bits_above_the_pixel_do_not_count(self):
        overlay = {0x60000010: ("US", 4), 0x60000011: ("US", 6), 0x60000100: ("US", 16), 0x60000102: ("US", 12)}
        image = RAMP | np.where(RAMP % 200 == 0, 0x1000, 0).astype(np.uint16)
        self.path("in.dcm").write_bytes(d.dicom_bytes(image, bits=12, changes=overlay))
        note = self.succeed("resize", "in.dcm", "-o", "out.dcm", "--scale", "1").err
        self.assertIn("overlays", note)
        derived = d.Dicom(self.path("out.dcm").read_bytes())
        np.testing.assert_array_equal(derived.array()[0], RAMP)
        self.assertNotIn(0x60000102, derived)

    def test_dcm_16_colours_by_plane(self):
        data = d.file_bytes(d.image_fields(np.zeros((1, 2, 3), np.uint8), changes={d.PLANAR: ("US", 1)}), bytes([1, 2, 3, 4, 5, 6]))
        np.testing.assert_array_equal(self.decode(data), [[[1, 3, 5], [2, 4, 6]]])
        derived = self.derive(data, "--scale", "1")
        self.assertEqual(derived.number(d.PLANAR), 0)
        self.assertEqual(derived.raw(d.PIXELS), bytes([1, 3, 5, 2, 4, 6]))

    def test_dcm_19_chroma_of_half_the_width(self):
        fields = d.image_fields(np.zeros((1, 4, 3), np.uint8), photometric="YBR_FULL_422")
        data = d.file_bytes(fields, bytes([76, 76, 85, 255, 255, 0, 128, 128]), vr="OB")
        np.testing.assert_array_equal(self.decode(data), [[[254, 0, 0], [254, 0, 0], [255, 255, 255], [0, 0, 0]]])

    def test_dcm_20_smallest_and_largest_are_of_the_pixels_sign(self):
        image = np.full((4, 4), 58829, np.uint16)
        found = {d.SMALLEST: ("US", 1), d.LARGEST: ("US", 58829)}
        fields = d.image_fields(image, changes=found)
        derived = self.derive(d.file_bytes(fields, image.tobytes(), d.IMPLICIT), "--down", "2")
        self.assertEqual((derived.vr(d.LARGEST), derived.numbers(d.LARGEST)), ("US", [58829]))
        self.assertEqual(derived.numbers(d.SMALLEST), [58829])
        signed = np.array([[-5, -5], [7, 7]], np.int16)
        fields = d.image_fields(signed, changes={d.SMALLEST: ("SS", 0), d.LARGEST: ("SS", 0)})
        derived = self.derive(d.file_bytes(fields, signed.tobytes(), d.IMPLICIT), "--scale", "1")
        self.assertEqual([(derived.vr(t), derived.number(t)) for t in (d.SMALLEST, d.LARGEST)], [("SS", -5), ("SS", 7)])

    def test_bat_12_content_decides_for_dicom_too(self):
        self.path("scan.png").write_bytes(d.dicom_bytes(RAMP))
        self.path("scan").write_bytes(d.dicom_bytes(RAMP))
        for name in ("scan.png", "scan"):
            self.assertIn("DICOM 6x4", self.succeed("info", name).out.decode())

    def test_siz_05_a_tiny_dicom_file_that_declares_a_giant(self):
        giant = {d.ROWS: ("US", 65535), d.COLUMNS: ("US", 65535)}
        self.path("plain.dcm").write_bytes(d.file_bytes(d.image_fields(RAMP, changes=giant), b"\1\2\3\4"))
        # A JPEG that tells the same.
        head = b"\xff\xd8\xff\xc3" + struct.pack(">HBHHB3s", 11, 16, 65535, 65535, 1, b"\1\x11\0") + b"\xff\xd9\0"
        packed = d.file_bytes(d.image_fields(RAMP, changes=giant), [head], "1.2.840.10008.1.2.4.70")
        self.path("packed.dcm").write_bytes(packed)
        for name in ("plain.dcm", "packed.dcm"):
            self.fail_with(1, "resize", name, "-o", "x.npy", "--scale", "1/100", naming=name)

    def test_tru_01_a_dicom_file_cut_short_is_an_error(self):
        image = np.random.default_rng(3).integers(0, 4096, (40, 40)).astype(np.uint16)
        whole = d.dicom_bytes(image, bits=12)
        for part in (0.25, 0.5, 0.9, 0.99):
            self.path("cut.dcm").write_bytes(whole[:int(len(whole) * part)])
            self.fail_with(1, "resize", "cut.dcm", "-o", "x.npy", "--scale", "1", naming="cut.dcm")
        self.assertFalse(self.path("x.npy").exists())

    def test_dcm_18_the_sign_of_a_codestream_does_not_shift_values(self):
        values = np.repeat(np.array([[-4096, -1, 0, 1], [4095, 7, -2000, 2048]], np.int16), 16, axis=1)
        self.path("unsigned.dcm").write_bytes(d.dicom_bytes((values & 0x1FFF).astype(np.uint16), bits=13))
        self.succeed("resize", "unsigned.dcm", "-o", "packed.dcm", "--scale", "1", "--transfer-syntax", "jpeg2000")
        codestream = d.Dicom(self.path("packed.dcm").read_bytes()).raw(d.PIXELS)[1]
        data = d.file_bytes(d.image_fields(values, bits=13), [codestream], "1.2.840.10008.1.2.4.90")
        np.testing.assert_array_equal(self.decode(data), values)

    def test_loc_01_a_decimal_comma_changes_nothing_in_dicom(self):
        window = {d.SPACING: ("DS", "0.143\\0.143"), d.CENTRE: ("DS", "40.5"), d.WIDTH: ("DS", "400.25"), d.SLOPE: ("DS", "0.5")}
        data = d.dicom_bytes(RAMP, changes=window)
        plain = self.derive(data, "--up", "3")
        self.assertEqual(plain.text(d.SPACING), "0.04766666666667\\0.04766666666667")
        self.succeed("resize", "in.dcm", "-o", "plain.png", "--spacing", "0.2", "--window", "dicom")
        checked = [name for name in ("de_DE", "pl_PL") if comma_locale(self.folder, name)]
        for name in checked:
            comma = {"LC_ALL": f"{name}.UTF-8", "LOCPATH": str(self.folder)}
            self.succeed("resize", "in.dcm", "-o", "comma.dcm", "--overwrite", "--up", "3", env=comma)
            self.assertEqual(self.path("comma.dcm").read_bytes(), self.path("out.dcm").read_bytes())
            self.succeed("resize", "in.dcm", "-o", "comma.png", "--overwrite", "--spacing", "0.2", "--window", "dicom", env=comma)
            self.assertEqual(self.path("comma.png").read_bytes(), self.path("plain.png").read_bytes())
        if not checked:
            self.skipTest("no locale sources here: install the package locales")


if __name__ == "__main__":
    unittest.main()
