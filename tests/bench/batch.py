"""Folders of 16-bit PNGs reduced by 2: upfirdn in one run beside vips (xargs -P2), GraphicsMagick's mogrify and a pool of two Python
processes with OpenCV, with the same depth of output. Prints images/s, ratios, the size of the outputs and, for upfirdn, peak memory
under a limit of 64 open files, also for 100 files.

    UPFIRDN=build/release/upfirdn /usr/bin/python3 tests/bench/batch.py [--folder /tmp] [--case 10000x256] [--case 300x2048] [--only vips]

Pictures are noisy radiographs: smooth shapes with the noise of photons. Each program runs once, on warm files; runs are minutes long.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

UPFIRDN = os.environ.get("UPFIRDN", "upfirdn")

OPENCV_POOL = """
import sys, os, cv2
from multiprocessing import Pool
cv2.setNumThreads(1)
def work(name):
    image = cv2.imread(os.path.join(sys.argv[1], name), cv2.IMREAD_UNCHANGED)
    half = cv2.resize(image, (image.shape[1] // 2, image.shape[0] // 2), interpolation=cv2.INTER_AREA)
    cv2.imwrite(os.path.join(sys.argv[2], name), half)
with Pool(2) as pool:
    pool.map(work, sorted(os.listdir(sys.argv[1])), chunksize=8)
"""


def radiograph(side, seed):
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:side, 0:side] / side
    light = 30000 + 20000 * np.sin(3 * x + rng.uniform(0, 6)) * np.cos(2 * y + rng.uniform(0, 6))
    for _ in range(6):
        a, b, r = rng.uniform(0, 1, 3)
        light *= np.where((x - a) ** 2 + (y - b) ** 2 < (0.25 * r) ** 2, 0.7, 1)
    return np.clip(light + rng.normal(0, 1, light.shape) * np.sqrt(light) * 2, 0, 65535).astype(np.uint16)


def make_pictures(folder, count, side):
    """Distinct pictures are few: making them takes longer than resampling them."""
    folder.mkdir()
    distinct = min(count, 40 if side < 1000 else 8)
    arrays = Path(tempfile.mkdtemp(dir=folder.parent))
    for i in range(distinct):
        np.save(arrays / f"{i:03}.npy", radiograph(side, i))
    subprocess.run([UPFIRDN, "resize", arrays, "-o", f"{arrays}/png/", "--scale", "1", "--format", "png", "--level", "6"], check=True)
    originals = sorted((arrays / "png").iterdir())
    for i in range(count):
        shutil.copyfile(originals[i % distinct], folder / f"{i:05}.png")
    shutil.rmtree(arrays)


def size_of(folder):
    return sum(entry.stat().st_size for entry in os.scandir(folder))


# The peak of a process counts its parent's memory from fork to exec: so a small parent measures.
MEASURE = """
import resource, subprocess, sys, time
start = time.monotonic()
files = int(sys.argv[1])
limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))) if files else None
code = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, preexec_fn=limit).returncode
print(code, time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
"""


def timed(*command, files=0):
    """Seconds, and peak memory in MB of the largest process; `files`: how many may be open."""
    result = subprocess.run([sys.executable, "-S", "-E", "-c", MEASURE, str(files), *map(str, command)], stdout=subprocess.PIPE, check=True)
    code, seconds, peak = map(float, result.stdout.split())
    if code != 0:
        sys.exit(f"{command}: exit {code:.0f}")
    return seconds, peak


def reduce_by_upfirdn(pictures, out):
    return timed(UPFIRDN, "resize", *pictures, "-o", f"{out}/", "--scale", "1/2", "--device", "cpu", files=64)


def programs(pictures, out):
    return [
        ("upfirdn", lambda: reduce_by_upfirdn([pictures], out)),
        ("OpenCV, pool of 2", lambda: timed(sys.executable, "-c", OPENCV_POOL, pictures, out)),
        ("gm mogrify", lambda: timed("sh", "-c", f"cd {pictures} && find . -name '*.png' -print0 | xargs -0 gm mogrify -output-directory {out} -resize 50%")),
        ("vips, xargs -P2", lambda: timed("sh", "-c", f"ls {pictures} | VIPS_CONCURRENCY=1 xargs -P2 -I@ vips resize {pictures}/@ {out}/@ 0.5")),
    ]


def run_case(place, count, side, only):
    pictures = place / "in"
    make_pictures(pictures, count, side)
    print(f"\n{count} PNGs of {side}^2, {size_of(pictures) / 1e6:.0f} MB\n| | s | images/s | upfirdn is faster | output MB | peak MB |\n|-|-|-|-|-|-|")
    ours = None
    for name, run in programs(pictures, place / "out"):
        if only and name != "upfirdn" and not any(part in name for part in only):
            continue
        (place / "out").mkdir()
        seconds, peak = run()
        made = len(os.listdir(place / "out"))
        if made != count:
            sys.exit(f"{name}: made {made} of {count} files")
        ours = ours or seconds
        print(f"| {name} | {seconds:.1f} | {count / seconds:.0f} | {seconds / ours:.1f} x | {size_of(place / 'out') / 1e6:.1f} | {peak:.0f} |", flush=True)
        shutil.rmtree(place / "out")
    hundred = sorted(pictures.iterdir())[:100]
    _, peak = reduce_by_upfirdn(hundred, place / "hundred")
    print(f"upfirdn, 100 of them: peak {peak:.0f} MB")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default=None)
    parser.add_argument("--case", action="append", help="COUNTxSIDE")
    parser.add_argument("--only", action="append", help="programs whose names hold this")
    options = parser.parse_args()
    for case in options.case or ["10000x256", "300x2048"]:
        count, side = map(int, case.split("x"))
        with tempfile.TemporaryDirectory(dir=options.folder) as place:
            run_case(Path(place), count, side, options.only)


if __name__ == "__main__":
    main()
