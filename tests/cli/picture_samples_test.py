"""PNG, TIFF, JPEG, BMP, WebP and PNM files of other projects, from Debian packages: decoded as other readers decode them.

`tests/data/picture_samples.tsv` says what becomes of each file. A file that leaves `right` fails the test, and so does a
picture of the packages that is not in the table. Files count as valid if another reader opens them."""

import subprocess
import unittest
import warnings

import numpy as np
from PIL import Image, ImageOps

import debian_samples
import pnm_file
from debian_samples import FOLDER, path_of
from support import ProgramTest
from tiff_file import read_tiff

PACKAGES = ("golang-1.19-src", "golang-golang-x-image-dev", "golang-github-disintegration-imaging-dev",
            "python3-skimage", "gdk-pixbuf-tests", "libsdl2-image-tests", "librust-tiff-dev", "librust-jpeg-decoder-dev",
            "r-cran-png", "r-cran-tiff", "r-cran-jpeg")
TABLE = "picture_samples.tsv"
ENDINGS = {".png": "PNG", ".tif": "TIFF", ".tiff": "TIFF", ".jpg": "JPEG", ".jpeg": "JPEG", ".bmp": "BMP", ".webp": "WebP",
           ".pgm": "PNM", ".ppm": "PNM", ".pbm": "PNM"}
TOO_LARGE = ("large.jpg", "large.png")  # 749 million pixels
MOST_REFUSED = 0.03  # of the valid files of PNG, TIFF and JPEG together


def pictures():
    """Package and path of every picture."""
    for package in PACKAGES:
        for path in sorted((FOLDER / package).rglob("*")):
            if path.suffix.lower() in ENDINGS and path.name not in TOO_LARGE and path.is_file() and not path.is_symlink():
                yield package, str(path.relative_to(FOLDER / package))


def by_pillow(path):
    """Samples of the first image as Pillow decodes it, upright; None of gray or RGB with a transparent colour. Throws what Pillow throws."""
    with warnings.catch_warnings(), Image.open(path) as image:
        warnings.simplefilter("ignore")
        image.load()
        if image.mode != "P" and "transparency" in image.info:
            return None
        image = ImageOps.exif_transpose(image)
        if image.mode == "P":
            image = image.convert("RGBA" if "transparency" in image.info else "RGB")
        elif image.mode in ("1", "CMYK"):
            image = image.convert({"1": "L", "CMYK": "RGB"}[image.mode])
        return np.asarray(image)


def by_netpbm(path):
    """Samples of the first image as netpbm decodes it, scaled to 8 or 16 bits; None if it can't."""
    command = {"PNG": ["pngtopam", "-alphapam"], "TIFF": ["tifftopnm"], "PNM": ["pamtopnm"]}.get(ENDINGS[path.suffix.lower()])
    told = subprocess.run([*command, path], capture_output=True, check=False) if command else None
    if told is None or told.returncode != 0:
        return None
    first = subprocess.run(["pampick", "0"], input=told.stdout, capture_output=True, check=True).stdout
    if first.startswith(b"P4"):
        return bitmap(first)
    samples, maxval = (np.array(part) for part in pnm_file.read_pnm(first))
    key = colour_key(path)
    if key is not None:
        samples[..., 3] = np.where(np.all(samples[..., :3] == key, axis=2), 0, maxval)
    return samples * samples.dtype.type((255 if maxval < 256 else 65535) // maxval)


def colour_key(path):
    """The transparent colour of an RGB PNG, which netpbm passes over; None if there is none."""
    try:
        with Image.open(path) as image:
            key = image.info.get("transparency")
    except Exception:
        return None
    return key if isinstance(key, tuple) else None


def bitmap(data):
    """Samples of a PBM: 0 is white."""
    width, height = (int(number) for number in data.split(None, 3)[1:3])
    rows = np.frombuffer(data[-height * ((width + 7) // 8):], np.uint8).reshape(height, -1)
    return 255 * (1 - np.unpackbits(rows, axis=1)[:, :width])


def by_numpy(path):
    """Samples of a TIFF in strips as the tests' own reader takes them; None if it can't. Pillow and netpbm read no float64."""
    try:
        return read_tiff(path)[0] if ENDINGS[path.suffix.lower()] == "TIFF" else None
    except (KeyError, ValueError):
        return None


def reference(path, wanted):
    """Samples by another reader: the first that gives as many bits as `wanted` has, None if none of them opens the file."""
    try:
        samples = by_pillow(path)
    except Exception:  # Pillow throws of any kind for damaged files
        samples = None
    if samples is None or (wanted is not None and samples.dtype.itemsize < wanted.dtype.itemsize):
        samples = by_netpbm(path)
    if wanted is not None and (samples is None or samples.dtype.itemsize < wanted.dtype.itemsize):
        return by_numpy(path)
    return samples


def like(samples, wanted):
    """Gray as RGB and opaque alpha added or dropped, where `wanted` has it so."""
    planes = np.atleast_3d(samples)
    channels = np.atleast_3d(wanted).shape[2]
    full = 255 if planes.dtype == np.uint8 else 65535
    if planes.shape[2] in (2, 4) and channels in (1, 3) and np.all(planes[..., -1] == full):
        planes = planes[..., :-1]
    if planes.shape[2] < 3 <= channels:
        planes = np.concatenate([planes[..., :1]] * 3 + [planes[..., 1:]], axis=2)
    return planes


class PictureSamples(ProgramTest):
    @classmethod
    def setUpClass(cls):
        debian_samples.fetch(PACKAGES)
        cls.rows = debian_samples.rows(TABLE)

    def test_every_picture_of_the_packages_is_in_the_table(self):
        self.assertEqual(sorted(pictures()), sorted((row["package"], row["path"]) for row in self.rows))

    def test_every_file_is_right_or_refused_with_its_reason(self):
        counts = {kind: [0, 0] for kind in ENDINGS.values()}  # right, valid but refused
        for row in self.rows:
            path, kind = path_of(row), ENDINGS[path_of(row).suffix.lower()]
            with self.subTest(file=row["path"]):
                if row["result"] != "right":
                    self.fail_with(1, "resize", path, "-o", "refused.npy", "--scale", "1", "-q", naming=[path.name, row["result"]])
                    counts[kind][1] += reference(path, None) is not None
                    continue
                self.succeed("resize", path, "-o", "x.npy", "--scale", "1", "--page", "1", "--overwrite")
                samples = np.load(self.path("x.npy"))
                np.testing.assert_array_equal(np.atleast_3d(samples), like(reference(path, samples), samples))
                counts[kind][0] += 1
        print(*(f"{kind}: {right} right, {refused} valid ones refused" for kind, (right, refused) in counts.items()), sep="; ")
        right, refused = np.sum([counts[kind] for kind in ("PNG", "TIFF", "JPEG")], axis=0)
        self.assertLessEqual(refused, MOST_REFUSED * (right + refused))


if __name__ == "__main__":
    unittest.main()
