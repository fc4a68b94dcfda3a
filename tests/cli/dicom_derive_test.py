"""What a derived DICOM image keeps, changes and leaves out: a phantom of a digital radiograph, tag by tag."""

import unittest

import numpy as np

import dicom_file as d
from support import ProgramTest

# Elements that a reduction to a third changes, with their new values; None: gone.
REDUCED = {
    d.IMAGE_TYPE: "DERIVED\\PRIMARY\\", 0x00080012: None, 0x00080013: None, d.IMAGER_SPACING: "0.429\\0.429",
    0x00181602: [3], 0x00181604: [38], 0x00181606: [3], 0x00181608: [48],
    0x00181702: [3], 0x00181704: [38], 0x00181706: [3], 0x00181708: [48],
    d.ROWS: [50], d.COLUMNS: [40],
    **dict.fromkeys((0x60000010, 0x60000011, 0x60000040, 0x60000050, 0x60000100, 0x60000102, 0x60003000))}
NEW = {d.INSTANCE_UID, d.SERIES_UID, d.DERIVATION, d.SOURCE_IMAGES, d.DERIVATION_CODES, d.SMALLEST, d.LARGEST, d.PIXELS}


class Derived(ProgramTest):
    def derive(self, data, *arguments):
        self.path("in.dcm").write_bytes(data)
        result = self.succeed("resize", "in.dcm", "-o", "out.dcm", "--overwrite", *arguments)
        return d.Dicom(self.path("out.dcm").read_bytes()), result

    def test_a_phantom_reduced_to_a_third_tag_by_tag(self):
        data, array = d.phantom()
        before = d.Dicom(data)
        after, result = self.derive(data, "--scale", "1/3")
        self.assertIn("overlays", result.err)
        for tag in sorted(set(before.fields) | set(after.fields)):
            with self.subTest(tag=f"{tag:08x}"):
                if tag in NEW:
                    continue
                if tag not in REDUCED:
                    self.assertEqual(before.fields.get(tag), after.fields.get(tag))
                elif REDUCED[tag] is None:
                    self.assertNotIn(tag, after)
                else:
                    value = REDUCED[tag]
                    self.assertEqual(after.numbers(tag) if isinstance(value, list) else after.text(tag), value)
        pixels = after.array()[0]
        self.assertEqual((after.number(d.SMALLEST), after.number(d.LARGEST)), (pixels.min(), pixels.max()))
        self.assertIn("resampled from 120x150 to 40x50", after.text(d.DERIVATION))
        self.assertEqual(after.text(0x00080100, after.raw(d.DERIVATION_CODES)[0]), "113085")
        # The rim of padding stays padding, and nothing beside it is darkened or lightened by it.
        self.assertTrue((pixels[:2] == 4095).all() and (pixels[:, -2:] == 4095).all())
        inner = array[6:-6, 6:-6]
        self.assertTrue((pixels[2:-2, 2:-2] <= inner.max()).all() and (pixels[2:-2, 2:-2] >= inner.min()).all())

    def test_a_phantom_to_a_spacing(self):
        after, _ = self.derive(d.phantom()[0], "--spacing", "0.5")
        self.assertEqual(after.text(d.IMAGER_SPACING), "0.5\\0.5")
        self.assertEqual((after.number(d.COLUMNS), after.number(d.ROWS)), (34, 43))

    def test_padding_can_be_turned_off_and_has_a_range(self):
        row = np.array([[100, 100, 100, 4000, 4050, 4095, 4000, 4000]], np.uint16)
        limits = {d.PADDING: ("US", 4000), d.PADDING_LIMIT: ("US", 4095)}
        data = d.dicom_bytes(np.tile(row, (8, 1)), changes=limits)
        after, _ = self.derive(data, "--scale", "1/2,1")
        np.testing.assert_array_equal(after.array()[0][0], [100, 100, 4000, 4000])
        plain, _ = self.derive(data, "--scale", "1/2,1", "--nodata", "none")
        self.assertGreater(plain.array()[0][0, 1], 100)
        same, _ = self.derive(data, "--scale", "1")
        np.testing.assert_array_equal(same.array()[0][0], row[0])

    def test_row_and_column_spacing_and_the_position_of_the_first_pixel(self):
        place = {d.SPACING: ("DS", "0.5\\0.25"), d.POSITION: ("DS", "10\\20\\30"), d.ORIENTATION: ("DS", "0\\1\\0\\0\\0\\-1")}
        data = d.dicom_bytes(np.zeros((8, 12), np.uint16), changes=place)
        self.assertIn("0.25 x 0.5 mm", self._info(data))
        after, _ = self.derive(data, "--scale", "1/3,1/2")
        self.assertEqual(after.text(d.SPACING), "1\\0.75")
        # Along a row (y of the patient) by 1 pixel of 0.25 mm, along a column (-z) by half a pixel of 0.5 mm.
        self.assertEqual(after.numbers(d.POSITION), [10, 20.25, 29.75])
        cropped, _ = self.derive(data, "--scale", "1", "--crop", "4,2,8,6")
        self.assertEqual(cropped.numbers(d.POSITION), [10, 21, 29])
        operator = self.path("in.dcm")
        self.succeed("filter", operator.name, "-o", "taps.dcm", "--taps", "1,1", "--down", "2")
        self.assertEqual(d.Dicom(self.path("taps.dcm").read_bytes()).numbers(d.POSITION), [10, 20.125, 29.75])

    def _info(self, data):
        self.path("info.dcm").write_bytes(data)
        return self.succeed("info", "info.dcm").out.decode()

    def test_the_aspect_is_kept_where_there_is_no_spacing(self):
        image = np.zeros((8, 12), np.uint16)
        after, _ = self.derive(d.dicom_bytes(image), "--scale", "1/3,1/2")
        self.assertEqual(after.numbers(d.ASPECT), [2, 3])
        after, _ = self.derive(d.dicom_bytes(image, changes={d.ASPECT: ("IS", "3\\2")}), "--scale", "1/3,1/2")
        self.assertEqual(after.numbers(d.ASPECT), [1, 1])
        after, _ = self.derive(d.dicom_bytes(image), "--scale", "1/2")
        self.assertNotIn(d.ASPECT, after)

    def test_ultrasound_regions_and_functional_groups_follow(self):
        region = {0x00186018: ("UL", 2), 0x0018601A: ("UL", 4), 0x0018601C: ("UL", 9), 0x0018601E: ("UL", 7),
                  0x0018602C: ("FD", 0.01), 0x0018602E: ("FD", 0.02)}
        measures = {d.SPACING: ("DS", "0.5\\0.5")}
        plane = {0x00209113: ("SQ", [{d.POSITION: ("DS", "0\\0\\5")}])}
        groups = {0x52009229: ("SQ", [{0x00289110: ("SQ", [measures]),
                                       0x00209116: ("SQ", [{d.ORIENTATION: ("DS", "1\\0\\0\\0\\1\\0")}])}]),
                  0x52009230: ("SQ", [plane, plane]), 0x00186011: ("SQ", [region])}
        data = d.dicom_bytes(np.zeros((2, 8, 12), np.uint16), frames=True, changes=groups)
        after, _ = self.derive(data, "--scale", "1/2")
        moved = after.raw(0x00186011)[0]
        self.assertEqual([int.from_bytes(moved[tag][1], "little") for tag in (0x00186018, 0x0018601C)], [1, 4])
        shared = after.raw(0x52009229)[0]
        self.assertEqual(after.text(d.SPACING, shared[0x00289110][1][0]), "1\\1")
        for frame in after.raw(0x52009230):
            self.assertEqual(after.text(d.POSITION, frame[0x00209113][1][0]), "0.25\\0.25\\5")
        one, _ = self.derive(data, "--scale", "1/2", "--page", "2")
        self.assertEqual(len(one.raw(0x52009230)), 1)
        self.assertEqual(one.number(d.FRAMES), 1)
        self.assertEqual(one.text(0x00081160, one.raw(d.SOURCE_IMAGES)[0]), "2")

    def test_other_transfer_syntaxes_hold_the_same_samples(self):
        random = np.random.default_rng(5)
        smooth = (np.add.outer(np.arange(40), np.arange(48)) * 20 + random.integers(0, 9, (40, 48))).astype(np.uint16)
        colour = np.stack([smooth // 16, smooth // 20, 255 - smooth // 16], axis=-1).astype(np.uint8)
        signed = (smooth.astype(np.int16) - 900)
        for array, bits in ((smooth, 12), (colour, None), (signed, None)):
            for syntax in ("jpeg-ls", "jpeg2000", "rle"):
                after, _ = self.derive(d.dicom_bytes(array, bits=bits), "--scale", "1", "--transfer-syntax", syntax)
                self.assertIsInstance(after.raw(d.PIXELS), list)
                self.succeed("resize", "out.dcm", "-o", "back.npy", "--scale", "1", "--overwrite")
                np.testing.assert_array_equal(np.load(self.path("back.npy")), array)

    def test_palettes_become_rgb_before_filtering(self):
        table = {0x00281101: ("US", [3, 0, 8]), 0x00281102: ("US", [3, 0, 8]), 0x00281103: ("US", [3, 0, 8]),
                 0x00281201: ("OW", bytes([200, 0, 0, 0])), 0x00281202: ("OW", bytes([0, 100, 0, 0])),
                 0x00281203: ("OW", bytes([0, 0, 50, 0]))}
        data = d.dicom_bytes(np.array([[0, 2], [0, 2]], np.uint8), photometric="PALETTE COLOR", changes=table)
        after, _ = self.derive(data, "--down", "2", "--filter", "box")
        np.testing.assert_array_equal(after.array()[0], [[[100, 0, 25]]])
        self.assertEqual(after.text(d.PHOTOMETRIC), "RGB")
        self.assertNotIn(0x00281201, after)

    def test_single_bits_stay_single_bits(self):
        bits = np.random.default_rng(2).integers(0, 2, (2, 5, 9)).astype(np.uint8)
        changes = {d.ALLOCATED: ("US", 1), d.STORED: ("US", 1), d.HIGH_BIT: ("US", 0)}
        fields = d.image_fields(bits, frames=True, changes=changes)
        packed = np.packbits(bits.ravel(), bitorder="little").tobytes()
        data = d.file_bytes(fields, packed, vr="OB")
        after, _ = self.derive(data, "--scale", "1")
        self.assertEqual(after.number(d.ALLOCATED), 1)
        self.assertEqual(after.raw(d.PIXELS)[:len(packed)], packed)
        self.succeed("resize", "in.dcm", "-o", "bits.npy", "--scale", "1", "--page", "2")
        np.testing.assert_array_equal(np.load(self.path("bits.npy")), bits[1])

    def test_dicom_is_written_from_dicom_only_and_keeps_its_values(self):
        np.save(self.path("a.npy"), np.zeros((4, 4), np.uint16))
        self.fail_with(1, "resize", "a.npy", "-o", "a.dcm", "--scale", "1", naming=["a.dcm", "DICOM", "PNG"])
        self.path("in.dcm").write_bytes(d.dicom_bytes(np.zeros((4, 4), np.uint16)))
        self.fail_with(1, "resize", "in.dcm", "-o", "b.dcm", "--scale", "1", "--depth", "8", naming="--depth")
        self.fail_with(1, "resize", "in.dcm", "-o", "b.dcm", "--scale", "1", "--window", "auto", naming="--window")
        self.fail_with(2, "resize", "in.dcm", "-o", "b.dcm", "--scale", "1", "--transfer-syntax", "mpeg", naming="--transfer-syntax")
        self.assertFalse(self.path("b.dcm").exists())

    def test_geo_12_the_field_of_view_stays(self):
        image = np.zeros((512, 512), np.uint16)
        image[236:276, 236:276] = 3
        after, _ = self.derive(d.dicom_bytes(image, changes={d.SPACING: ("DS", "0.4\\0.4")}), "--size", "460x460")
        self.assertTrue((after.array()[0][213:247, 213:247] == 3).all())
        self.assertAlmostEqual(after.numbers(d.SPACING)[0] * 460, 0.4 * 512, places=9)


if __name__ == "__main__":
    unittest.main()
