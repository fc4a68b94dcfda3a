"""Runs upfirdn_peers in processes of its own and prints the medians over them with their ranges.

    python3 tests/bench/peers.py [--program build/release/tests/bench/upfirdn_peers] [--processes 5] [-- --avx2 --only u16]
"""

import argparse
import json
import statistics
import subprocess


def run(program, arguments):
    text = subprocess.run([program, "--json", *arguments], check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in text.splitlines()]


def spread(values):
    return f"{statistics.median(values):.2f} ({min(values):.2f}-{max(values):.2f})"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="build/release/tests/bench/upfirdn_peers")
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("arguments", nargs="*", help="for upfirdn_peers, after --")
    options = parser.parse_args()
    runs = [run(options.program, options.arguments) for _ in range(options.processes)]
    print(f"ours on {runs[0][0]['target']}; medians and ranges over {len(runs)} processes")
    print("| case | peer | ours 1t ms | /peer 1t | /copy 1t | ours 2t ms | /peer 2t | /copy 2t | scaling | our error max, rms | peer's |")
    print("|-|-|-|-|-|-|-|-|-|-|-|")
    for rows in zip(*runs):
        cells = [rows[0]["case"], rows[0]["peer"]]
        for i in range(2):
            cells += [spread([row["threads"][i][key] for row in rows]) for key in ("ours_ms", "ours_over_peer", "ours_over_copy")]
        cells.append(spread([row["scaling"] for row in rows]))
        cells += [f"{rows[0][who]['max']:.4g}, {rows[0][who]['rms']:.3g}" for who in ("ours_error", "peer_error")]
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
