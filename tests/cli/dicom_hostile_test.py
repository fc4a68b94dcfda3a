"""DICOM files that are cut short or lie: one line, exit code 1, no output, and no memory for what they announce."""

import resource
import struct
import unittest
import zlib

import numpy as np

import dicom_file as d
import support
from support import ProgramTest

BASELINE, JPEG, JPEG_LS, JPEG_2000 = "1.2.840.10008.1.2.4.50", "1.2.840.10008.1.2.4.70", "1.2.840.10008.1.2.4.80", "1.2.840.10008.1.2.4.90"
IMAGE = np.random.default_rng(3).integers(0, 4096, (40, 44)).astype(np.uint16)
GIANT = {d.ROWS: ("US", 65535), d.COLUMNS: ("US", 65535)}
MEMORY = 1 << 30


def little_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def deflated(data_set):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = packer.compress(data_set) + packer.flush()
    return d.meta(d.DEFLATED, d.image_fields(IMAGE)) + body


def jpeg_of(rows, columns, bits=16):
    """Codestream of a lossless JPEG that ends after its header."""
    return b"\xff\xd8\xff\xc3" + struct.pack(">HBHHB3s", 11, bits, rows, columns, 1, b"\1\x11\0") + b"\xff\xd9\0"


def jpeg2000_of(rows, columns):
    size = struct.pack(">HHIIIIIIIIHBBB", 41, 0, columns, rows, 0, 0, columns, rows, 0, 0, 1, 15, 1, 1)
    return b"\xff\x4f\xff\x51" + size + b"\xff\xd9\0"


class Hostile(ProgramTest):
    def refused(self, data, naming="bad.dcm"):
        self.path("bad.dcm").write_bytes(data)
        limit = little_memory if support.MEASURES_MEMORY else None
        self.fail_with(1, "resize", "bad.dcm", "-o", "x.npy", "--scale", "1", "--threads", "1", naming=naming, limit=limit)
        self.assertFalse(self.path("x.npy").exists())

    def packed(self, syntax):
        """IMAGE as two frames, written by the program itself."""
        self.path("in.dcm").write_bytes(d.dicom_bytes(np.stack([IMAGE, IMAGE[::-1]]), frames=True, bits=12))
        self.succeed("resize", "in.dcm", "-o", "packed.dcm", "--scale", "1", "--overwrite", "--transfer-syntax", syntax)
        return self.path("packed.dcm").read_bytes()

    def test_files_cut_short(self):
        fields = d.image_fields(IMAGE)
        whole = {"explicit": d.dicom_bytes(IMAGE), "implicit": d.dicom_bytes(IMAGE, d.IMPLICIT), "big": d.dicom_bytes(IMAGE, d.BIG),
                 "bare": d.file_bytes(fields, IMAGE.tobytes(), with_meta=False),
                 "deflated": deflated(d.file_bytes(fields, IMAGE.tobytes(), with_meta=False)),
                 **{syntax: self.packed(syntax) for syntax in ("rle", "jpeg-ls", "jpeg2000")}}
        for name, data in whole.items():
            self.path("good.dcm").write_bytes(data)
            self.succeed("resize", "good.dcm", "-o", "good.npy", "--scale", "1", "--overwrite")
            for part in (0.25, 0.5, 0.9, 0.99):
                with self.subTest(file=name, part=part):
                    self.refused(data[:int(len(data) * part)])

    def test_codestreams_cut_short_in_fragments_that_are_whole(self):
        for name, syntax in (("rle", d.RLE), ("jpeg-ls", JPEG_LS), ("jpeg2000", JPEG_2000)):
            stream = d.Dicom(self.packed(name)).raw(d.PIXELS)[1]
            for part in (0.25, 0.5, 0.9):
                with self.subTest(syntax=name, part=part):
                    cut = stream[:int(len(stream) * part) // 2 * 2]
                    self.refused(d.file_bytes(d.image_fields(IMAGE, bits=12), [cut], syntax))

    def test_codestreams_cut_short_with_an_end_that_they_never_had(self):
        np.save(self.path("gray.npy"), (IMAGE >> 4).astype(np.uint8))
        self.succeed("resize", "gray.npy", "-o", "gray.jpg", "--scale", "1")
        streams = {BASELINE: ((IMAGE >> 4).astype(np.uint8), 8, self.path("gray.jpg").read_bytes()),
                   **{syntax: (IMAGE, 12, d.Dicom(self.packed(name)).raw(d.PIXELS)[1])
                      for name, syntax in (("jpeg-ls", JPEG_LS), ("jpeg2000", JPEG_2000))}}
        for syntax, (image, bits, stream) in streams.items():
            fields = d.image_fields(image, bits=bits)
            self.path("good.dcm").write_bytes(d.file_bytes(fields, [stream + b"\0" * (len(stream) % 2)], syntax))
            self.succeed("resize", "good.dcm", "-o", "good.npy", "--scale", "1", "--overwrite")
            for part in (0.25, 0.5, 0.9):
                with self.subTest(syntax=syntax, part=part):
                    self.refused(d.file_bytes(fields, [stream[:int(len(stream) * part) // 2 * 2] + b"\xff\xd9"], syntax))

    def test_codestreams_with_bytes_changed_give_an_image_or_an_error(self):
        random = np.random.default_rng(4)
        for name, syntax in (("jpeg-ls", JPEG_LS), ("jpeg2000", JPEG_2000), ("rle", d.RLE)):
            whole = d.Dicom(self.packed(name)).raw(d.PIXELS)[1]
            for _ in range(20):
                changed = np.frombuffer(whole, np.uint8).copy()
                changed[random.integers(0, changed.size, 3)] = random.integers(0, 256, 3)
                self.path("changed.dcm").write_bytes(d.file_bytes(d.image_fields(IMAGE, bits=12), [changed.tobytes()], syntax))
                result = self.run_program("resize", "changed.dcm", "-o", "y.npy", "--scale", "1", "--overwrite", timeout=20)
                self.assertIn(result.code, (0, 1), str(result))
                self.assertEqual(len(result.err.splitlines()), result.code, str(result))

    def test_a_frame_that_differs_from_the_first(self):
        first = d.Dicom(self.packed("jpeg-ls")).raw(d.PIXELS)[1]
        self.path("in.dcm").write_bytes(d.dicom_bytes(IMAGE[:20], bits=12))
        self.succeed("resize", "in.dcm", "-o", "small.dcm", "--scale", "1", "--transfer-syntax", "jpeg-ls")
        small = d.Dicom(self.path("small.dcm").read_bytes()).raw(d.PIXELS)[1]
        fields = d.image_fields(np.stack([IMAGE, IMAGE]), frames=True, bits=12)
        self.path("two.dcm").write_bytes(d.file_bytes(fields, [first, small], JPEG_LS))
        self.fail_with(1, "resize", "two.dcm", "-o", "x.npy", "--scale", "1", "--page", "2", naming=["two.dcm", "frame 2"])

    def test_lengths_beyond_the_end(self):
        good = d.dicom_bytes(IMAGE)
        place = good.index(struct.pack("<HH2sH", 0x28, 0x10, b"US", 2))
        self.refused(good[:place + 6] + b"\xf0\xff" + good[place + 8:])
        for vr, size in ((b"OB", 0xFFFFFFFE), (b"UN", 0xFFFFFFFF), (b"SQ", 0x7FFFFFFF), (b"SQ", 0xFFFFFFFF), (b"UT", 0x80000000)):
            with self.subTest(vr=vr, size=size):
                element = struct.pack("<HH2sHI", 0x18, 0x9999, vr, 0, size) + b"\0" * 8
                self.refused(good[:place] + element + good[place:])
        item = struct.pack("<HH2sHIHHI", 0x18, 0x9999, b"SQ", 0, 16, 0xFFFE, 0xE000, 0x10000) + b"\0" * 8
        self.refused(good[:place] + item + good[place:])

    def test_sequences_nested_without_end(self):
        deeper = struct.pack("<HH2sHIHHI", 0x18, 0x9999, b"SQ", 0, 0xFFFFFFFF, 0xFFFE, 0xE000, 0xFFFFFFFF)
        self.refused(d.meta(d.EXPLICIT, d.image_fields(IMAGE)) + deeper * 100000, naming="nested")

    def test_fragments_that_lie(self):
        fields = d.image_fields(IMAGE, changes=None)
        start = struct.pack("<HH2sHI", 0x7FE0, 0x10, b"OB", 0, 0xFFFFFFFF)
        head = d.meta(JPEG_LS, fields) + d.elements(fields) + start
        empty = struct.pack("<HHI", 0xFFFE, 0xE000, 0)
        end = struct.pack("<HHI", 0xFFFE, 0xE0DD, 0)
        for name, items in {"no items": b"", "no fragment": empty + end, "no end": empty + empty, "an empty one": empty * 2 + end,
                            "many empty ones": empty * 200000 + end, "too long": empty + struct.pack("<HHI", 0xFFFE, 0xE000, 0xFFFFFFF0),
                            "of undefined length": empty + struct.pack("<HHI", 0xFFFE, 0xE000, 0xFFFFFFFF) + b"\0" * 64,
                            "something else": empty + struct.pack("<HHI", 0x10, 0x10, 8) + b"\0" * 8}.items():
            with self.subTest(items=name):
                self.refused(head + items)

    def test_offset_tables_that_lie(self):
        stream = d.Dicom(self.packed("jpeg-ls")).raw(d.PIXELS)[1]
        fields = d.image_fields(np.stack([IMAGE] * 2), frames=True, bits=12)
        parts = [stream[:100], stream[100:], stream]
        for table in ((0, 7), (8, 16), (0xFFFFFFFF, 0xFFFFFFFE), (0, 0)):
            with self.subTest(table=table):
                data = d.file_bytes(fields, parts, JPEG_LS)
                place = data.index(struct.pack("<HHI", 0xFFFE, 0xE000, 0))
                listed = struct.pack("<HHIII", 0xFFFE, 0xE000, 8, *table)
                self.refused(data[:place] + listed + data[place + 8:])

    def test_giants_of_a_few_bytes(self):
        fields = d.image_fields(IMAGE, changes=GIANT)
        self.refused(d.file_bytes(fields, b"\1\2\3\4"))
        bits = {d.ALLOCATED: ("US", 1), d.STORED: ("US", 1), d.HIGH_BIT: ("US", 0)}
        self.refused(d.file_bytes({**fields, **bits}, b"\1\2\3\4", vr="OB"))
        for syntax, stream in ((d.RLE, struct.pack("<16I", 2, 64, 66, *[0] * 13) + b"\x81\0" * 2), (JPEG, jpeg_of(65535, 65535)),
                               (JPEG_LS, jpeg_of(65535, 65535).replace(b"\xff\xc3", b"\xff\xf7")), (JPEG_2000, jpeg2000_of(65535, 65535))):
            with self.subTest(syntax=syntax):
                self.refused(d.file_bytes(fields, [stream], syntax))
        for side in (65535, 20000):
            large = d.image_fields(IMAGE, changes={d.ROWS: ("US", side), d.COLUMNS: ("US", side)})
            for syntax, stream in ((JPEG_LS, jpeg_of(side, side).replace(b"\xff\xc3", b"\xff\xf7")), (JPEG_2000, jpeg2000_of(side, side))):
                with self.subTest(syntax=syntax, side=side):
                    self.refused(d.file_bytes(large, [stream[:-3] + bytes(9000) + b"\xff\xd9\0"], syntax))
        many = {d.FRAMES: ("IS", 2147483647)}
        self.refused(d.dicom_bytes(IMAGE, changes=many))
        self.refused(d.file_bytes(d.image_fields(IMAGE, changes=many), [jpeg_of(40, 44)], JPEG))
        self.path("in.dcm").write_bytes(d.dicom_bytes(IMAGE))
        self.fail_with(1, "resize", "in.dcm", "-o", "x.npy", "--scale", "1", "--max-pixels", "1000", naming="--max-pixels")

    def test_a_codestream_of_another_size(self):
        for rows, columns, bits in ((40, 45, 16), (65535, 44, 16), (0, 0, 16), (40, 44, 17), (40, 44, 0)):
            with self.subTest(rows=rows, columns=columns, bits=bits):
                self.refused(d.file_bytes(d.image_fields(IMAGE), [jpeg_of(rows, columns, bits)], JPEG))

    def test_a_deflated_data_set_that_explodes(self):
        fields = d.image_fields(IMAGE)
        blank = struct.pack("<HH2sHI", 0x09, 0x1001, b"OB", 0, 0x7FFFFFF0)
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        body = packer.compress(blank)
        zeros = bytes(1 << 24)
        for _ in range(32):
            body += packer.compress(zeros)
        self.refused(d.meta(d.DEFLATED, fields) + body + packer.flush(), naming="256 MiB")

    def test_compressed_pixels_that_are_not_in_fragments(self):
        fields = d.image_fields(IMAGE)
        self.refused(d.meta(JPEG, fields) + d.elements(fields) + d.element(d.PIXELS, "OB", jpeg_of(40, 44)), naming="fragments")

    def test_impossible_layouts(self):
        for changes in ({d.ROWS: ("US", 0)}, {d.ROWS: None}, {d.SAMPLES: ("US", 7)}, {d.STORED: ("US", 17)}, {d.HIGH_BIT: ("US", 3)},
                        {d.ALLOCATED: ("US", 12)}, {d.FRAMES: ("IS", -1)}, {d.PHOTOMETRIC: ("CS", "PALETTE COLOR")},
                        {d.ROWS: ("FD", float("nan"))}, {d.ALLOCATED: ("US", 0)}, {d.COLUMNS: ("US", [])}):
            with self.subTest(changes=changes):
                self.refused(d.dicom_bytes(IMAGE, changes=changes))


if __name__ == "__main__":
    unittest.main()
