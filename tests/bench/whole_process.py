"""Whole commands in turn beside vips, where it is installed (libvips-tools): 16-bit PGM and PNG of 4096^2 to 1024^2, the start
of the program, and the memory of a very large PGM. Prints times, ratios, sizes of the outputs and peak memory (mapped file
pages included; what `true` shows is this interpreter's own, below which nothing is seen).

    UPFIRDN=build/release/upfirdn /usr/bin/python3 tests/bench/whole_process.py [--rounds 15] [--large] [--folder /tmp]
"""

import argparse
import multiprocessing
import os
import shutil
import statistics
import struct
import tempfile
import time
import zlib
from dataclasses import dataclass, field
from pathlib import Path

PROGRAM = str(Path(os.environ.get("UPFIRDN", "build/release/upfirdn")).resolve())


@dataclass
class Command:
    """A command that makes `output`, and what its runs cost."""

    name: str
    words: list
    output: Path = None
    environment: dict = field(default_factory=dict)
    times_ms: list = field(default_factory=list)
    peak_kb: int = 0
    output_bytes: int = 0

    def run(self):
        if self.output:
            self.output.unlink(missing_ok=True)
        quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
        start = time.perf_counter()
        child = os.posix_spawnp(self.words[0], self.words, {**os.environ, **self.environment}, file_actions=quiet)
        _, status, usage = os.wait4(child, 0)
        self.times_ms.append(1e3 * (time.perf_counter() - start))
        self.peak_kb = max(self.peak_kb, usage.ru_maxrss)
        if status != 0:
            raise SystemExit(f"{' '.join(self.words)}: ended with status {status}")
        if self.output:
            self.output_bytes = self.output.stat().st_size


def time_in_turn(title, commands, rounds):
    """Runs all once to warm the file cache, then `rounds` times in turn; ratios are to the fastest command of another program."""
    for command in commands:
        command.run()
        command.times_ms.clear()
    for turn in range(rounds):
        for i in range(len(commands)):
            commands[(i + turn) % len(commands)].run()
    others = [c for c in commands if c.words[0] == "vips"]
    median = min((statistics.median(c.times_ms) for c in others), default=None)
    least = min((min(c.times_ms) for c in others), default=None)
    print(f"\n{title}\n{'command':44} {'median ms':>10} {'min ms':>8} {'/vips median':>13} {'/vips min':>10} {'output bytes':>13} {'peak MB':>8}")
    for c in commands:
        ratios = [f"{statistics.median(c.times_ms) / median:.3f}", f"{min(c.times_ms) / least:.3f}"] if others else ["-", "-"]
        print(f"{c.name:44} {statistics.median(c.times_ms):10.1f} {min(c.times_ms):8.1f} {ratios[0]:>13} {ratios[1]:>10} {c.output_bytes:13} "
              f"{c.peak_kb / 1024:8.1f}")


def make_scans(folder, side):
    """A smooth picture with noise, 16 bits, as in.pgm and, without row filters as vips writes it, as in.png."""
    import numpy as np  # here only: a child inherits the peak memory of its parent

    y, x = np.mgrid[0:side, 0:side].astype(np.float32)
    picture = 32768 + 16384 * np.sin(x * 0.0031) * np.cos(y * 0.0017)
    picture += np.random.default_rng(5).normal(0, 256, picture.shape).astype(np.float32)
    samples = np.clip(np.rint(picture), 0, 65535).astype(">u2")
    (folder / "in.pgm").write_bytes(b"P5\n%d %d\n65535\n" % (side, side) + samples.tobytes())

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    rows = np.zeros((side, 1 + 2 * side), np.uint8)
    rows[:, 1:] = samples.view(np.uint8)
    (folder / "in.png").write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 16, 0, 0, 0, 0)) +
                                    chunk(b"IDAT", zlib.compress(rows.tobytes())) + chunk(b"IEND", b""))


def resize(source, output, factor, *options):
    return [PROGRAM, "resize", str(source), "-o", str(output), "--scale", f"1/{factor}", "--filter", "lanczos3", "--device", "cpu", *options]


def commands_for(source, factor, kind):
    """Ours and vips' fastest settings for one input."""
    output = source.parent / f"ours.{kind}"
    found = [Command("upfirdn", resize(source, output, factor), output),
             Command("upfirdn --threads 1", resize(source, output, factor, "--threads", "1"), output)]
    for threads in ("1", "2") if shutil.which("vips") else ():
        for suffix in ("",) if kind == "pgm" else ("", "[compression=1]"):
            output = source.parent / f"vips.{kind}"
            found.append(Command(f"vips resize, {threads} threads {suffix}",
                                 ["vips", "resize", str(source), f"{output}{suffix}", str(1 / factor), "--kernel", "lanczos3"], output,
                                 {"VIPS_CONCURRENCY": threads}))
    return found


def large_pgm(path, side):
    """A file of zeros that takes no space."""
    with open(path, "wb") as file:
        header = b"P5\n%d %d\n65535\n" % (side, side)
        file.write(header)
        file.truncate(len(header) + 2 * side * side)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--large", action="store_true", help="also a 30000^2 PGM (1.8 GB, sparse), reduced 10 times")
    parser.add_argument("--folder", default=None)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        maker = multiprocessing.Process(target=make_scans, args=(folder, 4096))
        maker.start()
        maker.join()
        time_in_turn("start", [Command("upfirdn --version", [PROGRAM, "--version"]), Command("true", ["true"])], 3 * options.rounds)
        time_in_turn("16-bit PGM 4096^2 -> 1024^2", commands_for(folder / "in.pgm", 4, "pgm"), options.rounds)
        png = folder / "in.png"
        time_in_turn(f"16-bit PNG 4096^2 ({png.stat().st_size / 1e6:.0f} MB) -> 1024^2", commands_for(png, 4, "png"), options.rounds)
        if options.large:
            large_pgm(folder / "large.pgm", 30000)
            time_in_turn("16-bit PGM 30000^2 -> 3000^2", commands_for(folder / "large.pgm", 10, "pgm"), 1)


if __name__ == "__main__":
    main()
