#!/bin/bash
# One command on a fresh Debian 12: installs what the build needs, builds build/release/upfirdn (with CUDA where nvcc is
# found) and reduces the sample radiograph to a quarter.
set -euo pipefail
if [[ $# -gt 0 ]]; then
  [[ $1 == --help ]] && sed -n '2,3s/^# //p' "$0" && exit 0
  echo "quickstart.sh: takes no arguments" >&2
  exit 2
fi
steps=4
log=build/quickstart.log
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"

start_log
install_packages build
find_nvcc
configure_and_build release upfirdn

begin "resizing data/xray.png to a quarter"
result=build/quickstart/xray_quarter.png
mkdir -p "$(dirname "$result")"
rm -f "$result"
logged build/release/upfirdn resize data/xray.png -o "$result" --scale 1/4 || die_with_log "upfirdn failed"
logged build/release/upfirdn info "$result" || die_with_log "the result can't be read"
done_with
echo "The program is $root/build/release/upfirdn"
echo "The resized 16-bit radiograph is $root/$result"
