"""Metadata: kept, brought to the new size, carried over to other formats, left out with a note or on request."""

import json
import struct
import unittest
import zlib
from fractions import Fraction

import numpy as np

import metadata_file as m
import support
import tiff_file as tiff
from dicom_phantom import phantom
from png_file import chunk, png_bytes, png_chunks, read_png
from support import ProgramTest
from tiff_file import read_tags, read_tiff, tiff_bytes

XMP = (b"<?xpacket begin='' id='W5M0MpCehiHzreSzNTczkc9d'?><x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF><rdf:Description "
       b"tiff:Orientation=\"%d\" exif:PixelXDimension='96'><exif:PixelYDimension>64</exif:PixelYDimension>"
       b"<xmp:Thumbnails><rdf:Alt/></xmp:Thumbnails><dc:title>Hand</dc:title></rdf:Description></rdf:RDF></x:xmpmeta>")
RANDOM = np.random.default_rng(3)
PHOTO = RANDOM.integers(0, 256, (64, 96, 3)).astype(np.uint8)
GRAY = RANDOM.integers(0, 65536, (6, 10)).astype(np.uint16)


class Metadata(ProgramTest):
    def resize(self, source, out, *arguments, scale="1"):
        result = self.succeed("resize", source, "-o", out, "--overwrite", "--scale", scale, *arguments)
        self.told = result.err
        return self.path(out).read_bytes()

    def write(self, name, *, exif=None, profile=None, xmp=None, array=PHOTO, comment=None, dpi=None):
        """A file of the format that the name says, with what is given."""
        if name.endswith(".png"):
            parts = [(b"iCCP", b"p\0\0" + zlib.compress(profile))] if profile else []
            parts += [(b"eXIf", exif)] if exif else []
            parts += [(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + xmp)] if xmp else []
            parts += [(b"tEXt", b"Comment\0" + comment)] if comment else []
            parts += [(b"pHYs", struct.pack(">IIB", round(dpi / 0.0254), round(dpi / 0.0254), 1))] if dpi else []
            data = png_bytes(array, chunks=parts)
        elif name.endswith(".jpg"):
            self.path("plain.png").write_bytes(png_bytes(array))
            parts = [(m.APP1, m.EXIF_MARK + exif)] if exif else []
            parts += [(m.APP1, m.XMP_MARK + xmp)] if xmp else []
            parts += m.profile_markers(profile) if profile else []
            parts += [(m.COMMENT, comment)] if comment else []
            data = self.resize("plain.png", "plain.jpg")
            data = data[:13] + struct.pack(">BHH", 1, dpi, dpi) + data[18:] if dpi else data
            data = m.with_markers(data, *parts)
        else:
            tags = {tiff.PROFILE: profile, tiff.XMP: xmp, tiff.DESCRIPTION: comment.decode() if comment else None}
            if dpi:
                tags.update({tiff.X_RESOLUTION: [Fraction(dpi)], tiff.Y_RESOLUTION: [Fraction(dpi)], tiff.RESOLUTION_UNIT: [2]})
            data = self.tiff_with_exif(array, tags) if exif else tiff_bytes(array, tags=tags)
        self.path(name).write_bytes(data)

    @staticmethod
    def tiff_with_exif(array, tags, order="<"):
        tags = {**tags, 271: "Maker", tiff.SOFTWARE: "program 1", tiff.EXIF: [tiff.Long(0)], tiff.GPS: [tiff.Long(0)]}
        end = len(tiff_bytes(array, order, tags=tags))
        photo, at = tiff.directory(order, {m.EXPOSURE: [Fraction(1, 250)], m.X_DIMENSION: [tiff.Long(96)]}, end)
        gps, gps_at = tiff.directory(order, m.GPS_FIELDS, end + len(photo))
        tags.update({tiff.EXIF: [tiff.Long(at)], tiff.GPS: [tiff.Long(gps_at)]})
        return tiff_bytes(array, order, tags=tags) + photo + gps

    @staticmethod
    def found(name, data):
        """{profile, exif, xmp, text, dpi} of a written file."""
        if name.endswith(".png"):
            chunks = dict(png_chunks(data))
            across, _, unit = struct.unpack(">IIB", chunks.get(b"pHYs", bytes(9)))
            packed = chunks.get(b"iCCP")
            return {"profile": zlib.decompress(packed[packed.index(b"\0") + 2:]) if packed else None,
                    "exif": m.read_exif(chunks[b"eXIf"]) if b"eXIf" in chunks else None,
                    "xmp": chunks[b"iTXt"][22:] if b"iTXt" in chunks else None,
                    "text": chunks[b"tEXt"].split(b"\0", 1)[1] if b"tEXt" in chunks else None,
                    "dpi": across * 0.0254 if unit == 1 else None}
        if name.endswith(".jpg"):
            markers = m.markers_of(data)
            exif = [body[6:] for code, body in markers if code == m.APP1 and body.startswith(m.EXIF_MARK)]
            xmp = [body[29:] for code, body in markers if code == m.APP1 and body.startswith(m.XMP_MARK)]
            parts = [body[14:] for code, body in markers if code == m.APP2]
            text = [body for code, body in markers if code == m.COMMENT]
            unit, across, _ = m.density(data)
            return {"profile": b"".join(parts) or None, "exif": m.read_exif(exif[0]) if exif else None,
                    "xmp": xmp[0] if xmp else None, "text": text[0] if text else None, "dpi": across if unit == 1 else None}
        tags = read_tags(data)[0]
        exif = m.read_exif(data)
        dpi = tags[tiff.X_RESOLUTION][0] / tags[tiff.X_RESOLUTION][1] if tiff.X_RESOLUTION in tags else None
        return {"profile": bytes(tags[tiff.PROFILE]) if tiff.PROFILE in tags else None,
                "exif": exif if tiff.EXIF in tags else None, "xmp": bytes(tags[tiff.XMP]) if tiff.XMP in tags else None,
                "text": bytes(tags[tiff.DESCRIPTION])[:-1] if tiff.DESCRIPTION in tags else None,
                "dpi": dpi * 2.54 if dpi and tags[tiff.RESOLUTION_UNIT] == [3] else dpi}

    def test_everything_goes_from_each_format_to_each(self):
        profile = m.profile(size=150000)
        for source in ("a.png", "a.jpg", "a.tif"):
            self.write(source, exif=m.exif(width=96, height=64), profile=profile, xmp=XMP % 1, comment=b"a hand", dpi=300)
            for out in ("b.png", "b.jpg", "b.tif"):
                told = self.found(out, self.resize(source, out, scale="1/2"))
                where = f"{source} -> {out}"
                self.assertEqual(told["profile"], profile, where)
                exif = told["exif"]
                self.assertEqual((exif[m.EXPOSURE], exif["gps"]), ([1, 250], {m.GPS_VERSION: [2, 3, 0, 0], m.LATITUDE: [52, 1, 30, 1, 0, 1]}), where)
                self.assertEqual((bytes(exif[271]), bytes(exif[tiff.SOFTWARE])), (b"Maker\0", b"program 1\0"), where)
                self.assertEqual(exif[m.X_DIMENSION], [48], where)
                self.assertIn(b"<dc:title>Hand</dc:title>", told["xmp"], where)
                self.assertIn(b"exif:PixelXDimension='48'><exif:PixelYDimension>32<", told["xmp"], where)
                self.assertNotIn(b"Thumbnails", told["xmp"], where)
                self.assertTrue(told["text"].endswith(b"a hand"), where)
                self.assertAlmostEqual(told["dpi"], 150, 1, where)
                self.assertEqual(self.told, "", where)

    def test_strip_removes_it_all(self):
        for source in ("a.png", "a.jpg", "a.tif"):
            self.write(source, exif=m.exif(orientation=1), profile=m.profile(), xmp=XMP % 1, comment=b"a hand", dpi=300)
            for out in ("b.png", "b.jpg", "b.tif"):
                self.assertEqual(set(self.found(out, self.resize(source, out, "--strip")).values()), {None}, (source, out))
        self.assertEqual([kind for kind, _ in png_chunks(self.path("b.png").read_bytes())], [b"IHDR", b"IDAT", b"IEND"])

    def test_the_resolution_follows_the_size_or_is_kept(self):
        for source in ("a.png", "a.jpg", "a.tif"):
            self.write(source, dpi=600, exif=m.exif(resolution=(Fraction(600), Fraction(600))) if source != "a.tif" else None)
            scaled, kept = (self.found(source, self.resize(source, "b" + source[1:], *option, scale="1/4"))
                            for option in ((), ("--dpi", "keep")))
            self.assertAlmostEqual(scaled["dpi"], 150, 1)
            self.assertAlmostEqual(kept["dpi"], 600, 1)
            if source != "a.tif":
                self.assertEqual(scaled["exif"][tiff.X_RESOLUTION], [150, 1])
                self.assertEqual(kept["exif"][tiff.X_RESOLUTION], [600, 1])
        self.path("r.png").write_bytes(png_bytes(GRAY, chunks=[(b"pHYs", struct.pack(">IIB", 2, 1, 0))]))
        self.assertEqual(dict(png_chunks(self.resize("r.png", "s.png", scale="1,1/2")))[b"pHYs"], struct.pack(">IIB", 2, 1, 0))

    def test_all_orientations_in_all_formats(self):
        """The first row and column of the stored rows lie where the tag says."""
        stored = np.arange(35, dtype=np.uint16).reshape(5, 7)
        turned = {1: stored, 2: stored[:, ::-1], 3: stored[::-1, ::-1], 4: stored[::-1], 5: stored.T, 6: stored[::-1].T,
                  7: stored[::-1, ::-1].T, 8: stored[:, ::-1].T}
        for number, wanted in turned.items():
            for order in "<>":
                self.path("a.tif").write_bytes(tiff_bytes(stored, order, tags={
                    tiff.ORIENTATION: [number], tiff.X_RESOLUTION: [Fraction(300)], tiff.Y_RESOLUTION: [Fraction(100)]}))
                out, tags = read_tiff(self.resize("a.tif", "b.tif"))
                np.testing.assert_array_equal(out, wanted, f"TIFF {number}")
                self.assertIn(tags.get(tiff.ORIENTATION, [1]), ([1],))
                self.assertEqual(tags[tiff.X_RESOLUTION], [300, 1] if number < 5 else [100, 1])
                self.path("a.png").write_bytes(png_bytes(stored, chunks=[(b"eXIf", m.exif(order, number if order == "<" else tiff.Long(number), 7, 5))]))
                data = self.resize("a.png", "b.png")
                np.testing.assert_array_equal(read_png(data), wanted, f"PNG {number}")
                exif = self.found("b.png", data)["exif"]
                self.assertEqual((exif[tiff.ORIENTATION], exif[m.X_DIMENSION]), ([1], [wanted.shape[1]]))
            self.write("a.jpg", exif=m.exif(orientation=number), xmp=XMP % number)
            self.write("plain.jpg")
            plain = read_png(self.resize("plain.jpg", "plain.png"))
            self.assertEqual(plain.shape, PHOTO.shape)
            moved = {1: plain, 2: plain[:, ::-1], 3: plain[::-1, ::-1], 4: plain[::-1], 5: plain.transpose(1, 0, 2),
                     6: plain[::-1].transpose(1, 0, 2), 7: plain[::-1, ::-1].transpose(1, 0, 2),
                     8: plain[:, ::-1].transpose(1, 0, 2)}[number]
            data = self.resize("a.jpg", "b.png")
            np.testing.assert_array_equal(read_png(data), moved, f"JPEG {number}")
            told = self.found("b.png", data)
            self.assertEqual(told["exif"][tiff.ORIENTATION], [1])
            self.assertIn(b'tiff:Orientation="1"', told["xmp"])

    def test_met_01_the_box_is_for_the_picture_as_it_is_seen(self):
        self.write("a.jpg", exif=m.exif(orientation=6))
        self.assertEqual(json.loads(self.succeed("info", "a.jpg", "--json").out)["width"], 64)
        self.succeed("resize", "a.jpg", "-o", "b.jpg", "--fit", "32x32")
        self.assertEqual(self.found("b.jpg", self.path("b.jpg").read_bytes())["exif"][tiff.ORIENTATION], [1])
        seen = json.loads(self.succeed("info", "b.jpg", "--json").out)
        self.assertEqual((seen["width"], seen["height"]), (21, 32))

    def test_met_03_mirrored_orientations(self):
        stored = np.arange(64, dtype=np.uint16).reshape(8, 8)
        for number, first in ((4, range(56, 64)), (2, range(7, -1, -1)), (5, range(0, 64, 8)), (7, range(63, -1, -8))):
            self.path("a.tif").write_bytes(tiff_bytes(stored, tags={tiff.ORIENTATION: [number]}))
            out, _ = read_tiff(self.resize("a.tif", "b.tif"))
            self.assertEqual(out[0].tolist(), list(first), number)

    def test_met_04_a_stale_thumbnail_is_dropped(self):
        for order in "<>":
            exif = m.exif(order, thumbnail=b"\xff\xd8thumbnail\xff\xd9")
            self.assertTrue(m.read_exif(exif)["thumbnail"])
            for source in ("a.jpg", "a.png"):
                self.write(source, exif=exif)
                data = self.resize(source, "b.jpg", scale="1/2")
                self.assertFalse(self.found("b.jpg", data)["exif"]["thumbnail"])
                self.assertNotIn(b"thumbnail", data)

    def test_met_06_a_profile_is_kept_or_dropped_with_a_note(self):
        gray, colour = m.profile(b"GRAY"), m.profile(b"RGB ")
        self.write("gray.png", array=GRAY, profile=gray)
        for out in ("b.png", "b.tif"):
            self.assertEqual(self.found(out, self.resize("gray.png", out, scale="1/2"))["profile"], gray)
            self.assertEqual(self.told, "")
        for array, unfit in ((GRAY, colour), (PHOTO, gray)):
            self.write("unfit.png", array=array, profile=unfit)
            for out in ("b.png", "b.tif"):
                self.assertIsNone(self.found(out, self.resize("unfit.png", out))["profile"])
                self.assertIn("profile", self.told)
        cmyk = m.with_markers((support.DATA / "cmyk.jpg").read_bytes(), *m.profile_markers(m.profile(b"CMYK")))
        self.path("cmyk.jpg").write_bytes(cmyk)
        self.assertIsNone(self.found("b.png", self.resize("cmyk.jpg", "b.png"))["profile"])
        self.assertIn("profile", self.told)

    def test_colours_and_texts_of_png_stay_wherever_they_are(self):
        parts = [(b"gAMA", struct.pack(">I", 45455)), (b"sRGB", b"\0"),
                 (b"cHRM", struct.pack(">8I", 31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000)),
                 (b"zTXt", b"Source\0\0" + zlib.compress(b"a scanner")), (b"iTXt", "Author\0\0\0\0\0Яна".encode())]
        data = png_bytes(GRAY, chunks=parts)
        late = chunk(b"tEXt", b"Title\0M\xfcnchen") + chunk(b"IEND", b"")
        self.path("a.png").write_bytes(data[:-12] + late)
        chunks = png_chunks(self.resize("a.png", "b.png"))
        for kind, body in parts[:3] + [(b"tEXt", b"Source\0a scanner"), parts[4], (b"tEXt", b"Title\0M\xfcnchen")]:
            self.assertIn((kind, body), chunks)
        tags, _ = read_tags(self.resize("a.png", "b.tif"))
        self.assertEqual(bytes(tags[269]), "München\0".encode())
        self.assertIn("Author: Яна".encode(), bytes(tags[tiff.DESCRIPTION]))
        self.assertEqual(len(tags[318]), 4)

    def test_raw_profiles_of_imagemagick_are_read(self):
        exif = b"Exif\0\0" + m.exif(orientation=6)
        body = b"Raw profile type exif\0\0" + zlib.compress(b"\nexif\n    %d\n%s\n" % (len(exif), exif.hex().encode()))
        self.path("a.png").write_bytes(png_bytes(GRAY, chunks=[(b"zTXt", body)]))
        data = self.resize("a.png", "b.png")
        np.testing.assert_array_equal(read_png(data), GRAY[::-1].T)
        self.assertEqual(self.found("b.png", data)["exif"][tiff.ORIENTATION], [1])

    def test_damaged_metadata_never_costs_the_picture(self):
        bomb = zlib.compress(bytes(1 << 26), 9)
        for parts in ([(b"iCCP", b"p\0\0not deflate")], [(b"iCCP", b"")], [(b"eXIf", b"II*\0\xff\xff\xff\xff")], [(b"eXIf", b"")],
                      [(b"zTXt", b"k\0\0" + bomb)], [(b"iTXt", b"k")], [(b"pHYs", b"1")], [(b"tEXt", b"")], [(b"cHRM", bytes(3))],
                      [(b"zTXt", b"Raw profile type exif\0\0" + zlib.compress(b"\nexif\n 4\nzz"))]):
            self.path("a.png").write_bytes(png_bytes(GRAY, chunks=parts))
            np.testing.assert_array_equal(read_png(self.resize("a.png", "b.png")), GRAY, parts[0][0].decode())
        whole = m.exif(orientation=1, width=3, height=4)
        for cut in range(0, len(whole), 7):
            self.write("a.jpg", exif=whole[:cut] + b"\0")
            self.resize("a.jpg", "b.jpg", scale="1/8")
        for pointer in (4, 5000000, 1):
            tags = {tiff.EXIF: [tiff.Long(pointer)], tiff.PROFILE: b"x"}
            self.path("a.tif").write_bytes(tiff_bytes(GRAY, tags=tags))
            np.testing.assert_array_equal(read_tiff(self.resize("a.tif", "b.tif"))[0], GRAY)

    def test_formats_without_metadata_say_so_once(self):
        self.write("a.png", profile=m.profile(b"GRAY"), comment=b"x", array=GRAY)
        self.resize("a.png", "b.pgm")
        self.assertEqual(len(self.told.splitlines()), 1)
        for word in ("PGM", "ICC profile (GRAY)", "text"):
            self.assertIn(word, self.told)
        self.resize("a.png", "b.pgm", "--strip")
        self.assertEqual(self.told, "")
        self.assertIn("ICC profile (GRAY)", self.succeed("info", "a.png").out.decode())
        self.assertEqual(json.loads(self.succeed("info", "a.png", "--json").out)["metadata"], ["ICC profile (GRAY)", "text"])

    def test_each_page_keeps_its_own_texts(self):
        first = tiff_bytes(GRAY, tags={tiff.DESCRIPTION: "one"})
        second = tiff_bytes(GRAY, tags={tiff.DESCRIPTION: "number two"}, base=len(first))
        place = struct.unpack("<I", second[4:8])[0]
        self.path("a.tif").write_bytes(tiff_bytes(GRAY, tags={tiff.DESCRIPTION: "one"}, next_page=place) + second)
        data = self.resize("a.tif", "b.tif")
        tags, place = read_tags(data)
        self.assertEqual((bytes(tags[tiff.DESCRIPTION]), bytes(read_tags(data, place)[0][tiff.DESCRIPTION])), (b"one\0", b"number two\0"))

    def test_maker_notes_and_unknown_tags_survive(self):
        note = b"Somebody\0" + bytes(range(200))
        for order in "<>":
            exif = m.exif(order, orientation=3, photo={0x927C: note, 0xFDE8: "unknown"})
            self.write("a.jpg", exif=exif)
            for out in ("b.jpg", "b.png", "b.tif"):
                told = self.found(out, self.resize("a.jpg", out, scale="1/2"))["exif"]
                self.assertEqual((bytes(told[0x927C]), bytes(told[0xFDE8])), (note, b"unknown\0"), out)

    def test_what_a_jpeg_cannot_hold_is_left_out_with_a_note(self):
        self.write("a.tif", comment=b"x" * 70000, xmp=XMP % 1 + b" " * 70000, dpi=300)
        told = self.found("b.jpg", self.resize("a.tif", "b.jpg"))
        self.assertEqual((told["text"], told["xmp"], told["dpi"]), (None, None, 300))
        self.assertEqual(len(self.told.splitlines()), 2)
        self.assertEqual(self.found("b.tif", self.resize("a.tif", "b.tif"))["text"], b"x" * 70000)
        self.assertEqual(len(self.found("b.png", self.resize("a.tif", "b.png"))["text"]), 70000)

    def test_the_spacing_of_dicom_becomes_a_resolution(self):
        self.path("a.dcm").write_bytes(phantom()[0])  # 0.143 mm a pixel
        for out, option, wanted in (("b.png", (), 25.4 / 0.143 / 2), ("b.tif", (), 25.4 / 0.143 / 2), ("b.png", ("--strip",), None)):
            dpi = self.found(out, self.resize("a.dcm", out, *option, scale="1/2"))["dpi"]
            self.assertAlmostEqual(dpi, wanted, 1) if wanted else self.assertIsNone(dpi)
        self.fail_with(1, "resize", "a.dcm", "-o", "c.dcm", "--scale", "1", "--strip", naming=["c.dcm", "--strip"])

    def test_further_pictures_and_resources_are_left_out_with_a_note(self):
        self.write("a.jpg")
        data = m.with_markers(self.path("a.jpg").read_bytes(), (m.APP2, b"MPF\0II*\0"), (0xED, b"Photoshop 3.0\0" + b"8BIM"))
        self.path("a.jpg").write_bytes(data)
        self.resize("a.jpg", "b.jpg")
        self.assertEqual(len(self.told.splitlines()), 2)
        self.path("a.png").write_bytes(png_bytes(GRAY, chunks=[(b"acTL", bytes(8))]))
        self.resize("a.png", "b.png")
        self.assertIn("animated", self.told)

    def test_bad_values(self):
        self.write("a.png")
        self.fail_with(2, "resize", "a.png", "-o", "x.png", "--scale", "1", "--dpi", "300", naming="--dpi")


if __name__ == "__main__":
    unittest.main()
