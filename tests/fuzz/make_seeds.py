"""make_seeds.py FOLDER: small files of every kind that the tests can write, in FOLDER/<name> for each fuzzer fuzz_<name>.

What needs an encoder (JPEG, WebP, BMP, JPEG 2000, compressed TIFF and DICOM) is made by build/release/upfirdn if it is there."""

import itertools
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests" / "cli"))
import dicom_file as dicom
import metadata_file as meta
import png_file as png
import pnm_file as pnm
import tiff_file as tiff

PROGRAM = REPOSITORY / "build" / "release" / "upfirdn"
RANDOM = np.random.default_rng(1)
XMP = ('<x:xmpmeta><rdf:RDF><rdf:Description tiff:Orientation="6" tiff:XResolution="300/1" exif:PixelXDimension="7">'
       "<tiff:ImageWidth>7</tiff:ImageWidth><xmp:Thumbnails>a</xmp:Thumbnails></rdf:Description></rdf:RDF></x:xmpmeta>")
KINDS = (np.uint8, np.uint16, np.int16, np.float16, np.float32)


def picture(kind, channels, height=5, width=7):
    shape = (height, width) if channels == 1 else (height, width, channels)
    return RANDOM.integers(0, 200, shape).astype(kind)


def pngs():
    text = [(b"gAMA", b"\0\0\xb1\x8f"), (b"pHYs", b"\0\0\x0b\x13\0\0\x0b\x13\1"), (b"tEXt", b"Comment\0two words"), (b"sRGB", b"\0"),
            (b"eXIf", meta.exif(orientation=6, width=7, height=5)), (b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + XMP.encode()),
            (b"zTXt", b"Author\0\0" + zlib.compress(b"somebody")), (b"iCCP", b"name\0\0" + zlib.compress(meta.profile())), (b"cHRM", bytes(32))]
    for kind, channels, interlace in itertools.product(KINDS[:2], (1, 2, 3, 4), (False, True)):
        yield png.png_bytes(picture(kind, channels), interlace=interlace)
    for depth in (1, 2, 4, 8):
        indices = picture(np.uint8, 1) % (1 << min(depth, 4))
        palette = [(b"PLTE", bytes(range(48))), (b"tRNS", b"\0\x80")]
        yield png.png_bytes(indices, colour=png.PALETTE, depth=depth, chunks=palette)
        yield png.png_bytes(indices, depth=depth, chunks=[(b"tRNS", b"\0\1")])
    for one in text:
        yield png.png_bytes(picture(np.uint16, 3), chunks=[one])


def tiffs():
    for kind, channels, order in itertools.product(KINDS, (1, 3, 4), "<>"):
        yield tiff.tiff_bytes(picture(kind, channels), order)
    for planar, predictor, deflate in itertools.product((False, True), repeat=3):
        yield tiff.tiff_bytes(picture(np.uint16, 3), rows_per_strip=2, planar=planar, predictor=predictor and deflate, deflate=deflate)
    gray = picture(np.uint8, 1)
    yield tiff.joined_pages([gray, picture(np.uint16, 3), gray])
    yield tiff.tiff_bytes(gray, tags={tiff.PHOTOMETRIC: [tiff.PALETTE], tiff.COLOUR_MAP: [i * 257 % 65536 for i in range(768)]})
    for bits, photometric in ((1, 0), (2, 1), (4, 0), (10, 1), (12, 0), (14, 1)):
        yield tiff.tiff_bytes(picture(np.uint16, 1, width=16), tags={tiff.BITS: [bits], tiff.PHOTOMETRIC: [photometric]})
    for kind in (1, 2):
        yield tiff.tiff_bytes(picture(np.uint16, 4), tags={tiff.EXTRA_SAMPLES: [kind]})
    yield tiff.tiff_bytes(gray, tags={tiff.ORIENTATION: [6], tiff.DESCRIPTION: "a text", tiff.XMP: XMP.encode(), tiff.PROFILE: meta.profile(b"GRAY")})
    for compression in (2, 3, tiff.FAX4, 5, 7, 32773):
        yield tiff.tiff_bytes(gray, tags={tiff.COMPRESSION: [compression], tiff.BITS: [1 if compression < 5 else 8]})


def pnms():
    for kind, channels in itertools.product(KINDS[:2], (1, 3)):
        yield pnm.pnm_bytes(picture(kind, channels))
        yield pnm.pfm_bytes(picture(np.float32, channels), big_endian=kind is np.uint8)
    yield pnm.pnm_bytes(picture(np.uint16, 1), maxval=4095)
    for channels, name in ((1, "GRAYSCALE"), (2, "GRAYSCALE_ALPHA"), (3, "RGB"), (4, "RGB_ALPHA"), (5, "OTHER")):
        yield pnm.pam_bytes(picture(np.uint16, channels), name, 1000)
    yield b"P1\n# comment\n3 2\n101\n0 1 0\n"
    yield b"P4\n9 2\n\xaa\x80\x55\x00"
    yield b"P2 2 2 # comment\n999 0 1 998 999"
    yield b"P3\n1 2\n255\n1 2 3\n4 5 6\n"


def npys():
    for kind, channels in itertools.product(KINDS, (1, 3)):
        yield npy(picture(kind, channels))
    yield npy(RANDOM.integers(0, 9, (2, 3, 4, 3)).astype(">u2"))
    yield npy(np.asfortranarray(picture(np.float32, 1)))
    yield npy(picture(np.uint8, 1) > 100)


def npy(array):
    """The bytes of a `.npy` of version 1.0."""
    from io import BytesIO
    buffer = BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def dicoms():
    gray = RANDOM.integers(0, 4096, (5, 6)).astype(np.uint16)
    for syntax in (dicom.EXPLICIT, dicom.IMPLICIT, dicom.BIG):
        yield dicom.dicom_bytes(gray, syntax, bits=12)
        yield dicom.dicom_bytes(picture(np.int16, 1), syntax, changes={dicom.SLOPE: ("DS", "2"), dicom.INTERCEPT: ("DS", "-1024"), dicom.PADDING: ("SS", -5)})
    yield dicom.dicom_bytes(np.stack([gray, gray]), frames=True)
    for photometric in ("RGB", "YBR_FULL"):
        yield dicom.dicom_bytes(picture(np.uint8, 3), photometric=photometric)
    tables = {0x00281101: ("US", [4, 0, 16]), 0x00281102: ("US", [4, 0, 16]), 0x00281103: ("US", [4, 0, 16]),
              0x00281201: ("OW", bytes(8)), 0x00281202: ("OW", bytes(range(8))), 0x00281203: ("OW", bytes(8))}
    yield dicom.dicom_bytes(picture(np.uint8, 1) % 4, photometric="PALETTE COLOR", changes=tables)
    yield dicom.dicom_bytes(picture(np.uint8, 1), photometric="MONOCHROME1", changes={dicom.SPACING: ("DS", "0.5\\0.25")})
    fields = dicom.image_fields(picture(np.uint8, 1, 2, 4))
    yield dicom.file_bytes(fields, dicom.elements(fields), with_meta=False)
    yield dicom.file_bytes(fields, [(1).to_bytes(4, "little") + (64).to_bytes(4, "little") + bytes(56) + b"\xf9\0"], dicom.RLE)
    for syntax in ("50", "70", "80", "90"):
        yield dicom.file_bytes(fields, [b"\xff\xd8\xff\xc3\0\x0b\x08\0\2\0\4\1\1\x11\0\xff\xd9\0"], f"1.2.840.10008.1.2.4.{syntax}")
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    plain = dicom.file_bytes(fields, bytes(8), with_meta=False)
    yield dicom.meta(dicom.DEFLATED, fields) + packer.compress(plain) + packer.flush()


def metadata():
    kinds = {0: (meta.exif(orientation=6, width=7, height=5, resolution=(72, 72)), meta.exif(">", orientation=8, thumbnail=b"\xff\xd8\xff\xd9")),
             1: (XMP.encode(),), 2: (meta.profile(), meta.profile(b"GRAY", 300)),
             3: (b"Comment\nfirst line\nsecond line", "Größe\nein Text".encode())}
    for (kind, blocks), output in itertools.product(kinds.items(), range(3)):
        for block in blocks:
            yield bytes([kind + 4 * output]) + block


def taps():
    yield from (b"1,3,3,1", b"# a filter\n0.5\n-1e-3\n", b"\xef\xbb\xbf1 2\r\n3\t4\r\n", "−1,2".encode(), b"1,2\n2,4\n")
    for kind in ("<f8", ">f4", "<i2", "|u1"):
        yield npy(np.array([[1, 2, 1], [2, 4, 2]], kind))
    yield npy(np.asfortranarray(np.array([[1.0, 2], [3, 4]])))
    yield npy(np.array([1.0, 3, 3, 1]))


def converted(folder, extension, *options):
    """What the program writes as `extension`; nothing without the program."""
    if not PROGRAM.exists():
        return
    source, target = folder / "seed.png", folder / f"seed.{extension}"
    for channels in (1, 3):
        source.write_bytes(png.png_bytes(picture(np.uint8, channels, 33, 34)))
        subprocess.run([PROGRAM, "resize", "--device", "cpu", source, "-o", target, "--scale", "1", "--overwrite", *options], check=True)
        yield target.read_bytes()
        target.unlink()
    source.unlink()


def jpegs(folder):
    yield (REPOSITORY / "tests" / "data" / "cmyk.jpg").read_bytes()
    for jpeg in converted(folder, "jpg"):
        yield jpeg
        yield meta.with_markers(jpeg, (meta.APP1, meta.EXIF_MARK + meta.exif(orientation=6)), (meta.APP1, meta.XMP_MARK + XMP.encode()),
                                (meta.COMMENT, b"a comment"), *meta.profile_markers(meta.profile()))


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    seeds = {"png": pngs(), "pnm": pnms(), "npy": npys(), "dicom": dicoms(), "metadata": metadata(), "taps": taps(), "jpeg": jpegs(folder),
             "tiff": itertools.chain(tiffs(), *(converted(folder, "tif", "--compression", name) for name in ("lzw", "packbits", "zstd"))),
             "imaging": itertools.chain(*(converted(folder, extension) for extension in ("bmp", "webp", "jp2")))}
    for name, files in seeds.items():
        (folder / name).mkdir(exist_ok=True)
        for number, data in enumerate(files):
            (folder / name / str(number)).write_bytes(data)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
