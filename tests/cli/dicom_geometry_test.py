"""What a derived DICOM image says of places: spacings, positions, shutters, regions and frames follow the new grid."""

import unittest

import numpy as np

import dicom_file as d
from support import ProgramTest

MULTI_FRAME = "1.2.840.10008.5.1.4.1.1.7.3"
PLAIN = np.zeros((8, 12), np.uint16)
FRAMES = np.zeros((3, 8, 12), np.uint16)


class Geometry(ProgramTest):
    def derive(self, data, *arguments):
        self.path("in.dcm").write_bytes(data)
        result = self.succeed("resize", "in.dcm", "-o", "out.dcm", "--overwrite", *arguments)
        return d.Dicom(self.path("out.dcm").read_bytes()), result

    def derive_plain(self, changes, *arguments):
        return self.derive(d.dicom_bytes(PLAIN, changes=changes), *arguments)

    def test_row_and_column_spacing_and_the_position_of_the_first_pixel(self):
        place = {d.SPACING: ("DS", "0.5\\0.25"), d.POSITION: ("DS", "10\\20\\30"), d.ORIENTATION: ("DS", "0\\1\\0\\0\\0\\-1")}
        data = d.dicom_bytes(PLAIN, changes=place)
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
        after, _ = self.derive(d.dicom_bytes(PLAIN), "--scale", "1/3,1/2")
        self.assertEqual(after.numbers(d.ASPECT), [2, 3])
        after, _ = self.derive(d.dicom_bytes(PLAIN, changes={d.ASPECT: ("IS", "3\\2")}), "--scale", "1/3,1/2")
        self.assertEqual(after.numbers(d.ASPECT), [1, 1])
        after, _ = self.derive(d.dicom_bytes(PLAIN), "--scale", "1/2")
        self.assertNotIn(d.ASPECT, after)

    def test_ultrasound_regions_and_functional_groups_follow(self):
        region = {0x00186018: ("UL", 2), 0x0018601A: ("UL", 4), 0x0018601C: ("UL", 9), 0x0018601E: ("UL", 7),
                  0x0018602C: ("FD", 0.01), 0x0018602E: ("FD", 0.02)}
        measures = {d.SPACING: ("DS", "0.5\\0.5")}
        plane = {0x00209113: ("SQ", [{d.POSITION: ("DS", "0\\0\\5")}])}
        groups = {0x52009229: ("SQ", [{0x00289110: ("SQ", [measures]),
                                       0x00209116: ("SQ", [{d.ORIENTATION: ("DS", "1\\0\\0\\0\\1\\0")}])}]),
                  0x52009230: ("SQ", [plane, plane]), 0x00186011: ("SQ", [region]), d.CLASS_UID: ("UI", MULTI_FRAME)}
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
        single, _ = self.derive(d.dicom_bytes(FRAMES, frames=True), "--scale", "1/2", "--page", "2")
        self.assertNotIn(0x00081160, single.raw(d.SOURCE_IMAGES)[0])  # its class has no frames

    def test_spacings_of_projections_and_of_rt_images(self):
        changes = {0x30020011: ("DS", "0.5\\0.25"), 0x30020012: ("DS", "-10\\20"),
                   0x52009229: ("SQ", [{0x00189401: ("SQ", [{0x00189404: ("FL", [0.5, 0.25])}]),
                                        0x00289443: ("SQ", [{d.IMAGER_SPACING: ("DS", "0.5\\0.25")}])}])}
        after, _ = self.derive_plain(changes, "--scale", "1/3,1/2")
        self.assertEqual(after.text(0x30020011), "1\\0.75")
        self.assertEqual(after.numbers(0x30020012), [-9.75, 19.75])  # one column further right, half a row further down
        (group,) = after.raw(0x52009229)
        self.assertEqual(np.frombuffer(group[0x00189401][1][0][0x00189404][1], "<f4").tolist(), [1, 0.75])
        self.assertEqual(after.text(d.IMAGER_SPACING, group[0x00289443][1][0]), "1\\0.75")
        self.succeed("resize", "in.dcm", "-o", "x.npy", "--spacing", "1")
        self.assertEqual(np.load(self.path("x.npy")).shape, (4, 3))

    def test_positions_in_volumes(self):
        frame = {0x0020930E: ("SQ", [{0x00209301: ("FD", [1, 2, 3])}]), 0x0020930F: ("SQ", [{0x00209302: ("FD", [0, 1, 0, 0, 0, 1])}]),
                 0x00289110: ("SQ", [{d.SPACING: ("DS", "0.5\\0.25")}])}
        after, _ = self.derive_plain({0x52009230: ("SQ", [frame])}, "--scale", "1/3,1/2")
        moved = after.raw(0x52009230)[0][0x0020930E][1][0][0x00209301][1]
        self.assertEqual(np.frombuffer(moved, "<f8").tolist(), [1, 2.25, 3.25])

    def test_positions_of_detectors(self):
        camera = {d.SPACING: ("DS", "2\\2"), 0x00540022: ("SQ", [{d.POSITION: ("DS", "1\\2\\3"), d.ORIENTATION: ("DS", "1\\0\\0\\0\\0\\-1")}])}
        after, _ = self.derive_plain(camera, "--scale", "1/2")
        self.assertEqual(after.text(d.POSITION, after.raw(0x00540022)[0]), "2\\2\\2")

    def test_spacings_that_no_fraction_holds(self):
        after, _ = self.derive_plain({d.SPACING: ("DS", "1.2345678901e-9\\1.2345678901e-9")}, "--scale", "1/2")
        self.assertEqual(after.text(d.SPACING), "2.4691357802e-09\\2.4691357802e-09")

    def test_tiles_of_slides(self):
        place = {0x0048021E: ("SL", 13), 0x0048021F: ("SL", 9), 0x0040072A: ("DS", "5"), 0x0040073A: ("DS", "7"), 0x0040074A: ("DS", "0")}
        changes = {0x00480006: ("UL", 24), 0x00480007: ("UL", 16), 0x00480008: ("SQ", [{0x0040072A: ("DS", "5"), 0x0040073A: ("DS", "7")}]),
                   0x00480102: ("DS", "0\\-1\\0\\-1\\0\\0"), 0x52009230: ("SQ", [{0x0048021A: ("SQ", [place])}]),
                   0x52009229: ("SQ", [{0x00289110: ("SQ", [{d.SPACING: ("DS", "0.5\\0.25")}])}])}
        after, _ = self.derive_plain(changes, "--scale", "1/3,1/2")
        self.assertEqual((after.number(0x00480006), after.number(0x00480007)), (8, 8))
        for tile in (after.raw(0x52009230)[0][0x0048021A][1][0], after.raw(0x00480008)[0]):
            self.assertEqual((after.text(0x0040072A, tile), after.text(0x0040073A, tile)), ("4.75", "6.75"))
        tile = after.raw(0x52009230)[0][0x0048021A][1][0]
        self.assertEqual([int.from_bytes(tile[tag][1], "little") for tag in (0x0048021E, 0x0048021F)], [5, 5])

    def test_round_shutters_follow_or_are_left_out(self):
        shutter = {0x00181600: ("CS", "CIRCULAR"), 0x00181610: ("IS", "5\\7"), 0x00181612: ("IS", 4), 0x00181622: ("US", 0)}
        after, result = self.derive_plain(shutter, "--scale", "1/2")
        self.assertEqual((after.numbers(0x00181610), after.number(0x00181612)), ([3, 4], 2))
        self.assertEqual(result.err, "")
        for arguments, changes in ((("--scale", "1/2,1"), shutter), (("--scale", "1/2"), {**shutter, 0x00181600: ("CS", "CIRCULAR\\BITMAP")})):
            after, result = self.derive_plain(changes, *arguments)
            self.assertIn("display shutter", result.err)
            self.assertFalse([tag for tag in after.fields if 0x00181600 <= tag <= 0x00181624])

    def test_polygons_are_rows_and_columns(self):
        after, _ = self.derive_plain({0x00181700: ("CS", "POLYGONAL"), 0x00181720: ("IS", "1\\1\\1\\12\\8\\12")}, "--scale", "1/3,1/2")
        self.assertEqual(after.numbers(0x00181720), [1, 1, 1, 4, 4, 4])

    def test_shutters_of_frames(self):
        shutter = {0x00189472: ("SQ", [{0x00181600: ("CS", "CIRCULAR"), 0x00181610: ("IS", "5\\7"), 0x00181612: ("IS", 4)}])}
        data = d.dicom_bytes(FRAMES, frames=True, changes={0x52009230: ("SQ", [shutter] * 3)})
        after, _ = self.derive(data, "--scale", "1/2")
        self.assertEqual(after.text(0x00181610, after.raw(0x52009230)[2][0x00189472][1][0]), "3\\4")
        after, result = self.derive(data, "--scale", "1/2,1")
        self.assertEqual(after.raw(0x52009230), [{}] * 3)
        self.assertEqual(len(result.err.splitlines()), 1)

    def test_regions_of_a_part(self):
        def region(x0, x1):
            return {0x00186018: ("UL", x0), 0x0018601A: ("UL", 1), 0x0018601C: ("UL", x1), 0x0018601E: ("UL", 6), 0x00186020: ("SL", 2),
                    0x00186022: ("SL", -1), 0x0018602C: ("FD", 0.5), 0x0018602E: ("FD", 0.25), 0x0018603D: ("SL", 6), 0x00186043: ("SL", 6)}
        after, result = self.derive_plain({0x00186011: ("SQ", [region(0, 3), region(2, 11)])}, "--scale", "1", "--crop", "4,2,6,5")
        self.assertIn("regions", result.err)
        (kept,) = after.raw(0x00186011)
        found = {tag: int.from_bytes(value, "little", signed=True) for tag, (_, value) in kept.items() if tag not in (0x0018602C, 0x0018602E)}
        self.assertEqual(found, {0x00186018: 0, 0x0018601A: 0, 0x0018601C: 5, 0x0018601E: 4, 0x00186020: 0, 0x00186022: -2,
                                 0x0018603D: 6, 0x00186043: 6})  # from the reference pixel
        after, _ = self.derive_plain({0x00186011: ("SQ", [region(2, 11)])}, "--scale", "1/2,1/4")
        self.assertEqual([int.from_bytes(after.raw(0x00186011)[0][tag][1], "little") for tag in (0x0018603D, 0x00186043)], [3, 2])
        self.assertEqual([np.frombuffer(after.raw(0x00186011)[0][tag][1], "<f8")[0] for tag in (0x0018602C, 0x0018602E)], [1, 1])

    def test_what_does_not_move_keeps_its_bytes(self):
        told = {d.SPACING: ("DS", "0.5000\\0.2500"), d.POSITION: ("DS", "10.0\\20.0\\3e1"), d.ORIENTATION: ("DS", "1\\0\\0\\0\\1\\0"),
                0x00181600: ("CS", "RECTANGULAR"), 0x00181602: ("IS", "+2"), 0x00181608: ("IS", "07")}
        after, _ = self.derive_plain(told, "--scale", "1")
        for tag in told:
            self.assertEqual(after.raw(tag), d.value_bytes(*told[tag]))

    def test_shifts_between_frames_are_in_pixels(self):
        mask = {0x00286101: ("CS", "AVG_SUB"), 0x00286110: ("US", 1), 0x00286114: ("FL", [2, 3])}
        data = d.dicom_bytes(FRAMES, frames=True, changes={0x00286100: ("SQ", [mask])})
        after, _ = self.derive(data, "--scale", "1/3,1/2")
        self.assertEqual(np.frombuffer(after.raw(0x00286100)[0][0x00286114][1], "<f4").tolist(), [1, 1])
        after, _ = self.derive(data, "--scale", "1/3", "--page", "2")
        self.assertNotIn(0x00286100, after)

    def test_one_frame_keeps_what_is_told_of_it(self):
        told = {0x00181063: ("DS", "40"), 0x00181065: ("DS", "0\\40\\60"), 0x00182002: ("SH", "a\\b\\c"), 0x00280009: ("AT", b"\x54\0\x10\0"),
                0x00540010: ("US", [5, 6, 7]), 0x00286010: ("US", 3), 0x00082142: ("IS", 1)}
        after, _ = self.derive(d.dicom_bytes(FRAMES, frames=True, changes=told), "--scale", "1", "--page", "2")
        self.assertEqual((after.text(0x00181063), after.text(0x00181065), after.text(0x00182002)), ("40", "40", "b"))
        self.assertEqual((after.number(d.FRAMES), after.numbers(0x00540010)), (1, [6]))
        self.assertNotIn(0x00286010, after)
        self.assertNotIn(0x00082142, after)

    def test_types_of_frames_are_derived(self):
        group = {0x00189226: ("SQ", [{0x00089007: ("CS", "ORIGINAL\\PRIMARY\\X\\NONE")}])}
        after, _ = self.derive(d.dicom_bytes(FRAMES, frames=True, changes={0x52009230: ("SQ", [group] * 3)}), "--scale", "1/2")
        self.assertEqual([after.text(0x00089007, g[0x00189226][1][0]) for g in after.raw(0x52009230)], ["DERIVED\\PRIMARY\\X\\NONE"] * 3)

    def test_geo_12_the_field_of_view_stays(self):
        image = np.zeros((512, 512), np.uint16)
        image[236:276, 236:276] = 3
        after, _ = self.derive(d.dicom_bytes(image, changes={d.SPACING: ("DS", "0.4\\0.4")}), "--size", "460x460")
        self.assertTrue((after.array()[0][213:247, 213:247] == 3).all())
        self.assertAlmostEqual(after.numbers(d.SPACING)[0] * 460, 0.4 * 512, places=9)


if __name__ == "__main__":
    unittest.main()
