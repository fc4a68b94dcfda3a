"""DICOM files of other projects, from Debian packages: decoded as other readers decode them, derived without new faults.

`tests/data/dicom_samples.tsv` says what becomes of each file. A file that leaves `right` fails the test."""

import shutil
import subprocess
import sys
import unittest
import warnings

import numpy as np

import debian_samples
import dicom_file as d
from debian_samples import FOLDER, path_of
from support import ProgramTest

PACKAGES = ("python3-pydicom", "octave-dicom", "python3-nibabel")
TABLE = "dicom_samples.tsv"
PYDICOM = FOLDER / "python3-pydicom/usr/lib/python3/dist-packages"
# Programs that decode compressed pixels, tried in turn; each leaves a file of plain ones.
DECODERS = (("dcmdjpeg", "+cn"), ("dcmdrle",), ("dcmdjpls",), ("gdcmconv", "--raw"))

BAD_FRAMES = ("badVR.dcm",)  # pydicom reads its number of frames as text
SIGN_LOST = ("J2K_pixelrep_mismatch.dcm",)  # by gdcmconv, which believes the codestream: 6192 for -2000


def faults(path):
    """The errors that dciodvfy finds. That a source has a bad UID is not the fault of who names it."""
    told = subprocess.run(["dciodvfy", path], capture_output=True, check=False)
    lines = (told.stdout + told.stderr).decode("latin-1").splitlines()
    return {line for line in lines if line.startswith("Error") and "Illegal root for UID" not in line}


class Samples(ProgramTest):
    @classmethod
    def setUpClass(cls):
        debian_samples.fetch(PACKAGES)
        cls.rows = debian_samples.rows(TABLE)
        sys.path.insert(0, str(PYDICOM))
        global pydicom, util
        import pydicom
        from pydicom.pixel_data_handlers import numpy_handler, pillow_handler, rle_handler, util
        pydicom.config.pixel_data_handlers = [numpy_handler, rle_handler, pillow_handler]  # whatever else is installed
        warnings.simplefilter("ignore")

    def reference(self, path):
        """Samples by other readers, None where none of them can."""
        data = pydicom.dcmread(path, force=True)
        try:
            samples = data.pixel_array
        except Exception:  # pydicom itself unpacks RLE only
            if path.name in BAD_FRAMES:
                return self.raw_frame(data, path)
            data = self.unpacked(path)
            if data is None:
                return None
            samples = data.pixel_array
        if data.PhotometricInterpretation == "PALETTE COLOR":
            return util.apply_color_lut(samples, data) >> 8
        if data.PhotometricInterpretation.startswith("YBR_FULL"):
            return util.convert_color_space(samples, data.PhotometricInterpretation, "RGB")
        return samples

    def raw_frame(self, data, path):
        """A frame as gdcmraw finds it."""
        if shutil.which("gdcmraw") is None:
            return None
        subprocess.run(["gdcmraw", "-i", path, "-o", self.path("frame.raw")], check=True)
        cells = np.fromfile(self.path("frame.raw"), f"<u{data.BitsAllocated // 8}")
        return cells[:data.Rows * data.Columns].reshape(data.Rows, data.Columns)

    def unpacked(self, path):
        for decoder in DECODERS:
            if decoder[0] == "gdcmconv" and path.name in SIGN_LOST:
                continue
            out = self.path("unpacked.dcm")
            out.unlink(missing_ok=True)
            if shutil.which(decoder[0]) is not None:
                subprocess.run([*decoder, path, out], capture_output=True, check=False)
            if out.exists():
                data = pydicom.dcmread(out, force=True)
                if not data.file_meta.TransferSyntaxUID.is_compressed:
                    return data
        return None

    def test_every_file_is_right_or_refused_with_its_reason(self):
        right = 0
        for row in self.rows:
            path = path_of(row)
            with self.subTest(file=row["path"]):
                if row["result"] != "right":
                    self.fail_with(1, "resize", path, "-o", "refused.npy", "--scale", "1", naming=[path.name, row["result"]])
                    continue
                self.succeed("resize", path, "-o", "x.npy", "--scale", "1", "--overwrite")
                wanted = self.reference(path)
                if wanted is None:
                    continue
                np.testing.assert_array_equal(np.load(self.path("x.npy")).squeeze(), np.squeeze(wanted))
                right += 1
        print(f"{right} of {len(self.rows)} files equal what other readers decode")

    def test_derived_files_have_no_new_faults(self):
        if shutil.which("dciodvfy") is None:
            self.skipTest("dciodvfy is not installed")
        for row in self.rows:
            path = path_of(row)
            source = pydicom.dcmread(path, force=True, stop_before_pixels=True)
            syntax = getattr(getattr(source, "file_meta", None), "TransferSyntaxUID", "")
            if row["result"] != "right" or "SOPClassUID" not in source or syntax == d.DEFLATED:
                continue  # dciodvfy can't check the source
            before = faults(path)
            for arguments in (("--scale", "1/3"), ("--scale", "2,3", "--page", "1", "--transfer-syntax", "jpeg2000")):
                if source.BitsAllocated in (1, 32) and "jpeg2000" in arguments:
                    continue
                with self.subTest(file=row["path"], arguments=arguments):
                    self.succeed("resize", path, "-o", "x.dcm", "--overwrite", *arguments)
                    self.assertEqual(faults(self.path("x.dcm")) - before, set())

    def test_lossless_syntaxes_read_back_by_other_readers(self):
        for name in ("MR_small.dcm", "SC_rgb_rle_2frame.dcm", "SC_rgb_rle_16bit.dcm", "JPGExtended.dcm"):
            path = next(PYDICOM.rglob(name))
            self.succeed("resize", path, "-o", "plain.npy", "--scale", "1", "--overwrite")
            for syntax in ("jpeg-ls", "jpeg2000", "rle"):
                self.succeed("resize", path, "-o", "x.dcm", "--scale", "1", "--overwrite", "--transfer-syntax", syntax)
                data = self.unpacked(self.path("x.dcm"))
                if data is not None:
                    np.testing.assert_array_equal(np.squeeze(data.pixel_array), np.load(self.path("plain.npy")).squeeze())

    def test_losses_of_a_codestream_are_not_forgotten(self):
        for name in ("JPEG-lossy.dcm", "SC_rgb_jpeg_dcmtk.dcm"):
            source = pydicom.dcmread(next(PYDICOM.rglob(name)))
            del source.LossyImageCompression
            source.save_as(self.path("in.dcm"))
            self.succeed("resize", "in.dcm", "-o", "x.dcm", "--scale", "1/2", "--overwrite")
            self.assertEqual(pydicom.dcmread(self.path("x.dcm")).LossyImageCompression, "01")

    def test_dcm_18_the_sign_of_a_codestream_does_not_shift_values(self):
        self.succeed("resize", next(PYDICOM.rglob("J2K_pixelrep_mismatch.dcm")), "-o", "x.npy", "--scale", "1")
        samples = np.load(self.path("x.npy"))
        self.assertGreaterEqual(samples.min(), -4096)
        self.assertLessEqual(samples.max(), 4095)
        self.assertLess(np.abs(np.diff(samples.astype(int), axis=1)).max(), 4096)


if __name__ == "__main__":
    unittest.main()
