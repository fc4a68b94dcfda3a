"""What a derived DICOM image keeps, changes and leaves out."""

import unittest

import numpy as np

import dicom_file as d
from support import ProgramTest


class Derived(ProgramTest):
    def derive(self, data, *arguments):
        self.path("in.dcm").write_bytes(data)
        result = self.succeed("resize", "in.dcm", "-o", "out.dcm", "--overwrite", *arguments)
        return d.Dicom(self.path("out.dcm").read_bytes()), result

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

    def test_what_is_left_out_is_said(self):
        for tag, field, word in ((0x60003000, ("OW", b"\0" * 16), "overlays"), (0x50003000, ("OW", b"\0" * 4), "curves"),
                                 (0x00880200, ("SQ", [{}]), "icon"), (0xFFFAFFFA, ("SQ", [{}]), "signatures"),
                                 (0x00280108, ("US", 0), "ranges"), (0x00700001, ("SQ", []), "drawings")):
            after, result = self.derive(d.dicom_bytes(np.zeros((4, 4), np.uint16), changes={tag: field}), "--scale", "1/2")
            self.assertNotIn(tag, after)
            self.assertEqual(len(result.err.splitlines()), 1)
            self.assertIn(word, result.err)

    def test_private_elements_and_sequences_are_kept(self):
        inner = {0x00190010: ("LO", "MAKER"), 0x00191001: ("UN", b"\1\2\3\4"), 0x00191002: ("SQ", [{d.SPACING: ("DS", "0.1\\0.1")}])}
        other = {0x00081140: ("SQ", [{0x00081155: ("UI", "1.2.3"), d.POSITION: ("DS", "1\\2\\3")}])}
        data = d.dicom_bytes(np.zeros((4, 4), np.uint16), changes={**inner, **other})
        after, _ = self.derive(data, "--scale", "1/2")
        for tag in (*inner, *other):
            self.assertEqual(after.fields[tag], d.Dicom(data).fields[tag])

    def test_frames_become_pages_where_there_are_pages(self):
        frames = np.arange(3 * 16, dtype=np.uint16).reshape(3, 4, 4)
        self.path("in.dcm").write_bytes(d.dicom_bytes(frames, frames=True))
        self.succeed("resize", "in.dcm", "-o", "all.tif", "--scale", "1")
        self.assertIn("3 images", self.succeed("info", "all.tif").out.decode())
        self.assertIn("first of 3", self.succeed("resize", "in.dcm", "-o", "first.png", "--scale", "1").err)
        self.fail_with(1, "resize", "in.dcm", "-o", "x.png", "--scale", "1", "--page", "all", naming="--page")
        for page in (1, 2, 3):
            self.succeed("resize", "all.tif", "-o", f"{page}.npy", "--scale", "1", "--page", page)
            np.testing.assert_array_equal(np.load(self.path(f"{page}.npy")), frames[page - 1])

    def test_dicom_is_written_from_dicom_only_and_keeps_its_values(self):
        np.save(self.path("a.npy"), np.zeros((4, 4), np.uint16))
        self.fail_with(1, "resize", "a.npy", "-o", "a.dcm", "--scale", "1", naming=["a.dcm", "DICOM", "PNG"])
        self.path("in.dcm").write_bytes(d.dicom_bytes(np.zeros((4, 4), np.uint16)))
        self.fail_with(1, "resize", "in.dcm", "-o", "b.dcm", "--scale", "1", "--depth", "8", naming="--depth")
        self.fail_with(1, "resize", "in.dcm", "-o", "b.dcm", "--scale", "1", "--window", "auto", naming="--window")
        self.fail_with(2, "resize", "in.dcm", "-o", "b.dcm", "--scale", "1", "--transfer-syntax", "mpeg", naming="--transfer-syntax")
        self.assertFalse(self.path("b.dcm").exists())


if __name__ == "__main__":
    unittest.main()
