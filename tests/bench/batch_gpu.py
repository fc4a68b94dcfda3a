"""A batch of 16-bit PGMs (raw) or PNGs from memory-backed storage on the CPU and on CUDA: images a second, and what the storage
and the link to the card could do. Prints a table; needs an NVIDIA GPU.

    UPFIRDN=build/release/upfirdn python3 tests/bench/batch_gpu.py [--images 256] [--side 4096] [--folder /dev/shm] [--format png]
"""

import argparse
import os
import shutil
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from batch import radiograph

PROGRAM = os.environ.get("UPFIRDN", "upfirdn")


def make_images(folder, count, side, extension):
    first = folder / f"0000.{extension}"
    raw = folder / "raw"
    pixels = radiograph(side, 1)
    raw.write_bytes(b"P5\n%d %d\n65535\n" % (side, side) + pixels.astype(">u2").tobytes())
    subprocess.run([PROGRAM, "resize", raw, "-o", first, "--scale", "1", "--device", "cpu"], check=True)
    raw.unlink()
    for i in range(1, count):
        shutil.copyfile(first, folder / f"{i:04}.{extension}")


def read_all(paths, threads):
    """Bytes a second that `threads` readers get from the storage."""

    def read(path):
        buffer = bytearray(1 << 20)
        with open(path, "rb", buffering=0) as file:
            while file.readinto(buffer):
                pass

    start = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(read, paths))
    return sum(path.stat().st_size for path in paths) / (time.perf_counter() - start)


def resize(folder, *options):
    """Seconds of one run over all images."""
    out = folder.parent / "out"
    shutil.rmtree(out, ignore_errors=True)
    start = time.perf_counter()
    subprocess.run([PROGRAM, "resize", str(folder), "-o", f"{out}/", "--scale", "1/4", "--filter", "lanczos3", "-q", *options], check=True)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--images", type=int, default=256)
    parser.add_argument("--side", type=int, default=4096)
    parser.add_argument("--folder", default="/dev/shm")
    parser.add_argument("--format", default="pgm", choices=("pgm", "png"))
    options = parser.parse_args()
    cores = os.cpu_count()
    with tempfile.TemporaryDirectory(dir=options.folder) as root:
        folder = Path(root) / "in"
        folder.mkdir()
        make_images(folder, options.images, options.side, options.format)
        paths = sorted(folder.iterdir())
        total = sum(path.stat().st_size for path in paths)
        for threads in (1, cores):
            print(f"storage read by {threads} threads: {read_all(paths, threads) / 1e9:.1f} GB/s")
        one = Path(root) / "one"
        one.mkdir()
        shutil.copy(paths[0], one)
        start = min(resize(one, "--device", "cuda") for _ in range(3))
        print(f"one image with --device cuda: {start:.2f} s (start of CUDA included)")
        for name, arguments in [("cpu", ["--device", "cpu"]), ("cuda", ["--device", "cuda"])] + [
                (f"cuda, -j {n}", ["--device", "cuda", "-j", str(n)]) for n in (1, 4, 8)]:
            seconds = min(resize(folder, *arguments) for _ in range(4))
            steady = max(seconds - start, 1e-9) if name.startswith("cuda") else seconds
            print(f"{name:12} {seconds:6.2f} s  {options.images / seconds:7.1f} images/s  {total / seconds / 1e9:6.1f} GB/s in"
                  f"   without the start: {options.images / steady:7.1f} images/s {total / steady / 1e9:6.1f} GB/s")


if __name__ == "__main__":
    main()
