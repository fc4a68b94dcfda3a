#!/bin/bash
# Feeds each decoder of build/fuzz with mutated files for SECONDS, two at a time, and prints what was done. Exit 1 if something
# was found: the input is then in build/fuzz/found.
#   tests/fuzz/run.sh SECONDS [NAME...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
seconds=${1:?seconds for each}
shift
folder=build/fuzz
programs="png:decoder --formats=PNG
tiff:decoder --formats=TIFF
jpeg:decoder --formats=JPEG
pnm:decoder --formats=PGM,PPM,PAM,PBM,PFM
npy:decoder --formats=NPY
imaging:decoder --formats=BMP,WebP,JPEG2000
exr:decoder --formats=EXR
dicom:decoder --formats=DICOM
metadata:metadata
taps:taps"
names=("$@")
[[ ${#names[@]} -gt 0 ]] || mapfile -t names < <(cut -d: -f1 <<< "$programs")

# fuzz NAME: inputs that reach new code are kept in corpus/NAME, for the next run.
# shellcheck disable=SC2317
fuzz() {
  local program
  read -ra program <<< "$(sed -n "s/^$1://p" <<< "$programs")"
  mkdir -p "$folder/corpus/$1"
  "$folder/tests/fuzz/fuzz_${program[0]}" "${program[@]:1}" -max_total_time="$seconds" -rss_limit_mb=1024 -timeout=10 -max_len=4096 -entropic=0 \
    -print_final_stats=1 -artifact_prefix="$folder/found/$1-" "$folder/corpus/$1" "$folder/seeds/$1" > "$folder/logs/$1" 2>&1
}

# row NAME EXECUTIONS EDGES CORPUS FOUND
row() { printf '%-10s %12s %8s %8s  %s\n' "$@"; }

mkdir -p "$folder"/{found,logs}
/usr/bin/python3 -B tests/fuzz/make_seeds.py "$folder/seeds"
export -f fuzz
export ASAN_OPTIONS=malloc_context_size=2
export folder programs seconds
failed=0
printf '%s\n' "${names[@]}" | xargs -P 2 -I{} bash -c 'fuzz {}' || failed=1

row input executions edges corpus found
for name in "${names[@]}"; do
  log=$folder/logs/$name
  last=$(grep -aE '^#[0-9]+.* cov: ' "$log" | tail -n 1 || true)
  row "$name" "$(sed -nE 's/^stat::number_of_executed_units: *//p' "$log")" "$(sed -E 's/.* cov: ([0-9]+) .*/\1/' <<< "$last")" \
    "$(sed -E 's/.* corp: ([0-9]+).*/\1/' <<< "$last")" "$(grep -am 1 '^SUMMARY: ' "$log" || echo nothing)"
done
exit $failed
