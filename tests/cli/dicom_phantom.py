"""A digital radiograph (DX) made up for the tests."""

import numpy as np

import dicom_file as d


def coded(value, meaning):
    return {0x00080100: ("SH", value), 0x00080102: ("SH", "SRT"), 0x00080104: ("LO", meaning)}


def phantom(rows=150, columns=120):
    """A digital radiograph of 12 bits in 16: MONOCHROME1, spacing 0.143 mm, a collimated rim of padding. Returns the file and
    its samples."""
    y, x = np.mgrid[0:rows, 0:columns]
    body = 2100 + 900 * np.sin(x / 9.0) * np.cos(y / 13.0) + 500 * (np.hypot(x - columns / 2, y - rows / 2) < 30)
    array = np.clip(body, 1, 4094).astype(np.uint16)
    array[:6], array[-6:], array[:, :6], array[:, -6:] = 4095, 4095, 4095, 4095
    shape = {0x00181600: ("CS", "RECTANGULAR"), 0x00181602: ("IS", 7), 0x00181604: ("IS", columns - 6), 0x00181606: ("IS", 7),
             0x00181608: ("IS", rows - 6)}
    dx = {d.IMAGE_TYPE: ("CS", "ORIGINAL\\PRIMARY\\"), d.CLASS_UID: ("UI", "1.2.840.10008.5.1.4.1.1.1.1"), d.MODALITY: ("CS", "DX"),
          0x00080005: ("CS", "ISO_IR 100"), 0x00080012: ("DA", "20240101"), 0x00080013: ("TM", "120000"),
          0x00080020: ("DA", "20240101"), 0x00080021: ("DA", "20240101"), 0x00080022: ("DA", "20240101"),
          0x00080023: ("DA", "20240101"), 0x00080030: ("TM", "120000"), 0x00080031: ("TM", "120000"), 0x00080032: ("TM", "120000"),
          0x00080033: ("TM", "120000"), 0x00080050: ("SH", ""), 0x00080068: ("CS", "FOR PRESENTATION"), 0x00080070: ("LO", "phantom"),
          0x00080090: ("PN", ""), 0x00100010: ("PN", "Phantom^Plain"), 0x00100020: ("LO", "P1"), 0x00100030: ("DA", ""),
          0x00100040: ("CS", "O"), 0x00180015: ("CS", "HAND"), 0x00181164: ("DS", "0.143\\0.143"), 0x00181508: ("CS", ""),
          0x00187004: ("CS", "SCINTILLATOR"), 0x00181700: ("CS", "RECTANGULAR"), 0x00181702: ("IS", 7),
          0x00181704: ("IS", columns - 6), 0x00181706: ("IS", 7), 0x00181708: ("IS", rows - 6),
          0x00190010: ("LO", "PHANTOM 1.0"), 0x00191001: ("UN", b"kept as it is"), 0x00200010: ("SH", "1"), 0x00200011: ("IS", 1),
          0x00200013: ("IS", 1), 0x00200020: ("CS", "L\\F"), 0x00200052: ("UI", "1.2.3.4.5.9"), 0x00200062: ("CS", "R"),
          0x00201040: ("LO", ""), 0x00280301: ("CS", "NO"), 0x00082218: ("SQ", [coded("T-D8700", "Hand")]),
          d.SMALLEST: ("US", int(array.min())), d.LARGEST: ("US", int(array.max())), d.PADDING: ("US", 4095),
          0x00281040: ("CS", "LOG"), 0x00281041: ("SS", 1), d.CENTRE: ("DS", 2048), d.WIDTH: ("DS", 4096), d.INTERCEPT: ("DS", 0),
          d.SLOPE: ("DS", 1), 0x00281054: ("LO", "US"), 0x00282110: ("CS", "00"), 0x00540220: ("SQ", [coded("R-10206", "antero-posterior")]),
          0x00400555: ("SQ", []), 0x20500020: ("CS", "INVERSE"), 0x00400318: ("CS", ""),
          0x60000010: ("US", rows), 0x60000011: ("US", columns), 0x60000040: ("CS", "G"), 0x60000050: ("SS", [1, 1]),
          0x60000100: ("US", 1), 0x60000102: ("US", 0), 0x60003000: ("OW", b"\0" * ((rows * columns + 15) // 16 * 2)), **shape}
    return d.dicom_bytes(array, bits=12, photometric="MONOCHROME1", changes=dx), array
