"""A minimal PGM / PPM / PAM / PFM reader and writer for tests."""

import re

import numpy as np


def pnm_bytes(array, maxval=None):
    """Binary PGM (HxW) or PPM (HxWx3) of u8 or u16 samples."""
    array = np.asarray(array)
    maxval = maxval or (255 if array.dtype == np.uint8 else 65535)
    samples = array.astype(np.uint8 if maxval < 256 else ">u2")
    magic = "P5" if array.ndim == 2 else "P6"
    return f"{magic}\n{array.shape[1]} {array.shape[0]}\n{maxval}\n".encode() + samples.tobytes()


def pam_bytes(array, tuple_type, maxval=None):
    array = np.asarray(array)
    maxval = maxval or (255 if array.dtype == np.uint8 else 65535)
    height, width, depth = array.shape if array.ndim == 3 else (*array.shape, 1)
    header = f"P7\nWIDTH {width}\nHEIGHT {height}\nDEPTH {depth}\nMAXVAL {maxval}\nTUPLTYPE {tuple_type}\nENDHDR\n"
    return header.encode() + array.astype(np.uint8 if maxval < 256 else ">u2").tobytes()


def pfm_bytes(array, big_endian=False):
    """PFM stores its rows from the bottom up."""
    array = np.asarray(array, np.float32)
    header = f"{'Pf' if array.ndim == 2 else 'PF'}\n{array.shape[1]} {array.shape[0]}\n{'1.0' if big_endian else '-1.0'}\n"
    return header.encode() + array[::-1].astype(">f4" if big_endian else "<f4").tobytes()


def read_pnm(data):
    """(array, maxval) of a binary PGM, PPM, PAM or PFM; floats have maxval None."""
    if hasattr(data, "read_bytes"):
        data = data.read_bytes()
    magic = data[:2]
    if magic == b"P7":
        return _read_pam(data)
    header = re.match(rb"P[56Ff](?:\s+|#[^\n]*\n)*?(\d+)\s+(?:#[^\n]*\n)*(\d+)\s+(?:#[^\n]*\n)*(-?[0-9.]+)\s", data)
    width, height = int(header[1]), int(header[2])
    body = data[header.end():]
    channels = 3 if magic in (b"P6", b"PF") else 1
    shape = (height, width, channels) if channels == 3 else (height, width)
    if magic in (b"Pf", b"PF"):
        kind = "<f4" if float(header[3]) < 0 else ">f4"
        return np.frombuffer(body, kind).reshape(shape)[::-1].astype(np.float32), None
    maxval = int(header[3])
    kind = np.dtype(np.uint8) if maxval < 256 else np.dtype(">u2")
    assert len(body) == kind.itemsize * width * height * channels, (len(body), shape)
    return np.frombuffer(body, kind).reshape(shape).astype(kind.newbyteorder("=")), maxval


def _read_pam(data):
    head, _, body = data.partition(b"ENDHDR\n")
    fields = dict(line.split(None, 1) for line in head.decode().splitlines()[1:])
    maxval = int(fields["MAXVAL"])
    shape = (int(fields["HEIGHT"]), int(fields["WIDTH"]), int(fields["DEPTH"]))
    kind = np.dtype(np.uint8) if maxval < 256 else np.dtype(">u2")
    array = np.frombuffer(body, kind).reshape(shape).astype(kind.newbyteorder("="))
    return (array[..., 0] if shape[2] == 1 else array), maxval
