"""A radiograph of 12 bits in 16, MONOCHROME1, 0.143 mm a pixel, with padding, reduced to a third and to half a millimetre: every
element before and after, and what other programs say of the results. `--table` prints the elements side by side."""

import importlib.util
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import dicom_file as d
import support
from dicom_phantom import phantom
from support import ProgramTest

REDUCTIONS = {"third": ("--scale", "1/3"), "half_mm": ("--spacing", "0.5")}
COLUMNS, ROWS, SPACING = 120, 150, 0.143
GONE = {0x00080012, 0x00080013, 0x60000010, 0x60000011, 0x60000040, 0x60000050, 0x60000100, 0x60000102, 0x60003000}
NEW = {d.INSTANCE_UID, d.SERIES_UID, d.DERIVATION, d.SOURCE_IMAGES, d.DERIVATION_CODES, d.SMALLEST, d.LARGEST, d.PIXELS}
EDGES_X, EDGES_Y = (0x00181602, 0x00181604, 0x00181702, 0x00181704), (0x00181606, 0x00181608, 0x00181706, 0x00181708)


def changed(before, pitch, spacing):
    """Elements that a reduction changes, with their new values; an edge keeps its place within the field of view."""
    def moved(tags):
        return {tag: [np.floor((before.number(tag) - 0.5) / pitch + 0.5 + 0.5)] for tag in tags}
    return {d.IMAGE_TYPE: "DERIVED\\PRIMARY\\", d.IMAGER_SPACING: f"{spacing}\\{spacing}",
            d.COLUMNS: [round(COLUMNS / pitch)], d.ROWS: [round(ROWS / pitch)], **moved(EDGES_X), **moved(EDGES_Y)}


def faults(path):
    """The errors that dciodvfy finds."""
    told = subprocess.run(["dciodvfy", path], capture_output=True, check=False)
    return {line for line in (told.stdout + told.stderr).decode("latin-1").splitlines() if line.startswith("Error")}


def installed(*names):
    return all(shutil.which(name) for name in names)


class Phantom(ProgramTest):
    def setUp(self):
        super().setUp()
        data, self.samples = phantom(ROWS, COLUMNS)
        self.before = d.Dicom(data)
        self.path("phantom.dcm").write_bytes(data)
        self.after = {}
        for name, size in REDUCTIONS.items():
            result = self.succeed("resize", "phantom.dcm", "-o", f"{name}.dcm", *size)
            self.assertIn("overlays", result.err)
            self.after[name] = d.Dicom(self.path(f"{name}.dcm").read_bytes())

    def check_elements(self, after, expected):
        for tag in sorted(set(self.before.fields) | set(after.fields)):
            with self.subTest(tag=f"{tag:08x}"):
                if tag in GONE:
                    self.assertNotIn(tag, after)
                elif tag in expected:
                    value = expected[tag]
                    self.assertEqual(after.numbers(tag) if isinstance(value, list) else after.text(tag), value)
                elif tag not in NEW:
                    self.assertEqual(self.before.fields.get(tag), after.fields.get(tag))

    def test_every_element_is_kept_or_changed_as_it_should(self):
        self.check_elements(self.after["third"], changed(self.before, 3, "0.429"))
        self.check_elements(self.after["half_mm"], changed(self.before, 0.5 / SPACING, "0.5"))
        self.assertEqual([self.after["third"].numbers(tag) for tag in EDGES_X[:2] + EDGES_Y[:2]], [[3], [38], [3], [48]])

    def test_new_elements_tell_of_the_derivation(self):
        for name, size in (("third", "40x50"), ("half_mm", "34x43")):
            after = self.after[name]
            self.assertIn(f"resampled from 120x150 to {size}", after.text(d.DERIVATION))
            self.assertEqual(after.text(0x00080100, after.raw(d.DERIVATION_CODES)[0]), "113085")
            self.assertEqual(after.text(0x00081155, after.raw(d.SOURCE_IMAGES)[0]), self.before.text(d.INSTANCE_UID))
            self.assertEqual(after.text(0x00020003, after.meta), after.text(d.INSTANCE_UID))
            pixels = after.array()[0]
            self.assertEqual((after.vr(d.SMALLEST), after.number(d.SMALLEST), after.number(d.LARGEST)), ("US", pixels.min(), pixels.max()))
        uids = {f.text(tag) for f in (self.before, *self.after.values()) for tag in (d.INSTANCE_UID, d.SERIES_UID)}
        self.assertEqual(len(uids), 6)

    def test_padding_stays_padding_and_does_not_leak(self):
        pixels, inner = self.after["third"].array()[0], self.samples[6:-6, 6:-6]
        self.assertTrue((pixels[:2] == 4095).all() and (pixels[:, -2:] == 4095).all())
        self.assertTrue((pixels[2:-2, 2:-2] <= inner.max()).all() and (pixels[2:-2, 2:-2] >= inner.min()).all())

    @unittest.skipUnless(installed("dciodvfy"), "dciodvfy is not installed")
    def test_dciodvfy_finds_no_errors(self):
        for name in ("phantom", *REDUCTIONS):
            self.assertEqual(faults(self.path(f"{name}.dcm")), set(), name)

    @unittest.skipUnless(installed("dcm2pnm"), "dcm2pnm is not installed")
    def test_dcmtk_opens_the_results(self):
        for name, after in self.after.items():
            subprocess.run(["dcm2pnm", f"{name}.dcm", "x.pgm"], cwd=self.folder, check=True, capture_output=True)
            self.assertIn(f"{int(after.number(d.COLUMNS))} {int(after.number(d.ROWS))}", self.path("x.pgm").read_bytes()[:40].decode("latin-1"))

    @unittest.skipUnless(installed("gdcminfo", "gdcmconv"), "GDCM's tools are not installed")
    def test_gdcm_opens_the_results(self):
        for name, after in self.after.items():
            told = subprocess.run(["gdcminfo", f"{name}.dcm"], cwd=self.folder, check=True, capture_output=True).stdout.decode()
            self.assertIn(f"({int(after.number(d.COLUMNS))},{int(after.number(d.ROWS))},1)", told)
            subprocess.run(["gdcmconv", "--raw", f"{name}.dcm", "raw.dcm"], cwd=self.folder, check=True, capture_output=True)
            self.assertEqual(d.Dicom(self.path("raw.dcm").read_bytes()).raw(d.PIXELS), after.raw(d.PIXELS))

    @unittest.skipUnless(installed("dciodvfy", "gdcmconv"), "dciodvfy or GDCM's tools are not installed")
    def test_other_transfer_syntaxes_are_as_valid_and_hold_the_same_samples(self):
        for syntax in ("jpeg-ls", "jpeg2000", "rle"):
            self.succeed("resize", "phantom.dcm", "-o", "packed.dcm", "--scale", "1/3", "--overwrite", "--transfer-syntax", syntax)
            self.assertEqual(faults(self.path("packed.dcm")), set(), syntax)
            subprocess.run(["gdcmconv", "--raw", "packed.dcm", "raw.dcm"], cwd=self.folder, check=True, capture_output=True)
            self.assertEqual(d.Dicom(self.path("raw.dcm").read_bytes()).raw(d.PIXELS), self.after["third"].raw(d.PIXELS), syntax)

    @unittest.skipUnless(importlib.util.find_spec("pydicom"), "pydicom is not installed")
    def test_pydicom_opens_the_results(self):
        import pydicom
        for name, after in self.after.items():
            np.testing.assert_array_equal(pydicom.dcmread(self.path(f"{name}.dcm")).pixel_array, after.array()[0])


def shown(file, tag):
    """A value for the table."""
    if tag not in file:
        return "-"
    vr, value = file.fields[tag]
    if vr == "SQ":
        return f"{len(value)} item" + ("s" if len(value) != 1 else "")
    if vr in ("OB", "OW", "UN"):
        return f"{len(value)} bytes"
    text = "\\".join(f"{v:g}" for v in file.numbers(tag)) if vr in d.NUMBERS else file.text(tag)
    return text if len(text) <= 44 else text[:41] + "..."


def print_table():
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "phantom.dcm"
        source.write_bytes(phantom(ROWS, COLUMNS)[0])
        files = [source]
        for name, size in REDUCTIONS.items():
            files.append(source.with_name(f"{name}.dcm"))
            support.run("resize", source, "-o", files[-1], *size)
        columns = [d.Dicom(file.read_bytes()) for file in files]
    print(f"{'element':13}{'':4}{'before':46}{'--scale 1/3':46}--spacing 0.5")
    for tag in sorted(set().union(*(file.fields for file in columns))):
        vr = next(file.vr(tag) for file in columns if tag in file)
        print(f"({tag >> 16:04x},{tag & 0xffff:04x})  {vr:4}{shown(columns[0], tag):46}{shown(columns[1], tag):46}{shown(columns[2], tag)}")


if __name__ == "__main__":
    if "--table" in sys.argv:
        print_table()
    else:
        unittest.main()
