"""The includes of the sources follow the architecture: who may include whom, and one owner for each dependency."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Folder of the including file -> folders whose headers it may include besides its own.
FOLDERS = {
    "src/core": set(),
    "filters": {"core"},
    "kernels": {"core"},
    "src/io": {"core"},
    "src/resample": {"filters", "kernels", "core"},
    "src/app": {"io", "resample", "filters", "core"},
    "src/cli": {"app", "io", "resample", "filters", "core"},
    "src/docs": {"cli", "filters"},
    "src": {"cli", "app", "io", "resample", "filters", "core"},
}
PROJECT = {"core", "filters", "kernels", "io", "resample", "app", "cli", "docs"}

# Start of an include -> places that own it, as prefixes of paths.
OWNERS = {
    "CLI/": ["src/cli/"],
    "png.h": ["src/io/"],
    "tiff": ["src/io/"],
    "jpeglib.h": ["src/io/"],
    "jerror.h": ["src/io/"],
    "OpenEXR/": ["src/io/exr/"],
    "gdcm": ["src/io/dicom/"],
    "libexif/": ["src/io/"],
    "zlib.h": ["src/io/"],
    "libdeflate.h": ["src/io/"],
    "isa-l": ["src/io/"],
    "opencv2/": ["src/io/imaging/"],
    "cuda": ["kernels/", "src/resample/cuda_", "src/core/host_device.hpp"],
    "cooperative_groups": ["kernels/"],
    "tbb/": ["src/resample/"],
    "oneapi/": ["src/resample/"],
    "hwy/": ["src/resample/"],
    "nlohmann/": ["src/cli/", "src/app/"],
    "fmt/": ["src/io/", "src/resample/", "src/app/", "src/cli/", "src/docs/", "filters/", "src/main.cpp"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)
SUFFIXES = {".cpp", ".hpp", ".cu", ".cuh", ".h", ".c"}


def folder_of(path):
    parts = path.split("/")
    return parts[0] if parts[0] != "src" else "/".join(parts[:2]) if len(parts) > 2 else "src"


def faults_of(path, target):
    folder = folder_of(path)
    top = target.split("/")[0] if "/" in target else None
    if top in PROJECT and top != folder.split("/")[-1] and top not in FOLDERS[folder]:
        yield f"{path}: {folder} may not include {target}"
    for start, owners in OWNERS.items():
        if target.startswith(start) and not any(path.startswith(owner) for owner in owners):
            yield f"{path}: {target} belongs to {', '.join(owners)}"


def main():
    files = [p for top in ("src", "filters", "kernels") for p in (ROOT / top).rglob("*") if p.suffix in SUFFIXES]
    faults = []
    for file in sorted(files):
        path = file.relative_to(ROOT).as_posix()
        if folder_of(path) not in FOLDERS:
            faults.append(f"{path}: its folder has no place in the architecture")
            continue
        for target in INCLUDE.findall(file.read_text(encoding="utf-8")):
            faults.extend(faults_of(path, target))
    print("\n".join(faults) or f"{len(files)} files follow the architecture")
    return 1 if faults or not files else 0


if __name__ == "__main__":
    sys.exit(main())
