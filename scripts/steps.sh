# shellcheck shell=bash disable=SC2154

# Sourced by the scripts beside it: numbered steps with a log, Debian packages, nvcc.
# The caller sets `steps` (how many there are) and `log` (a file that takes what the steps print).

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit
step_number=0

# Empties the log and says where it is.
start_log() {
  mkdir -p "$(dirname "$log")"
  : > "$log"
  echo "Details go to $log"
}

# begin TEXT: announces the next step.
begin() {
  step_number=$((step_number + 1))
  step_start=$SECONDS
  printf '[%d/%d] %s ... ' "$step_number" "$steps" "$1"
  printf '\n== %s\n' "$1" >> "$log"
}

# done_with [NOTE]: ends the step's line.
done_with() { printf '%ss%s\n' "$((SECONDS - step_start))" "${1:+, $1}"; }

# die MESSAGE: ends the step's line and the script.
die() {
  printf 'failed\n'
  echo "$(basename "$0"): $1" >&2
  exit 1
}

# die_with_log MESSAGE: the same after the end of the log.
die_with_log() {
  printf 'failed\n'
  tail -n 40 "$log" >&2
  echo "$(basename "$0"): $1; all of it is in $log" >&2
  exit 1
}

# logged COMMAND...: runs it with its output in the log.
logged() { "$@" >> "$log" 2>&1 < /dev/null; }

# missing_packages GROUP...: the packages of scripts/packages.txt that are not installed.
missing_packages() {
  local group name rest
  while read -r group name rest; do
    [[ " $* " == *" $group "* ]] || continue
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$name" 2> /dev/null) == installed ]] || echo "$name"
  done < "$root/scripts/packages.txt"
}

# install_packages GROUP...: a step; asks for root only if something is missing.
install_packages() {
  local missing as_root=()
  begin "installing Debian packages"
  command -v dpkg-query > /dev/null || die "this is not Debian; install what scripts/packages.txt lists, then build with CMake"
  mapfile -t missing < <(missing_packages "$@")
  if [[ ${#missing[@]} == 0 ]]; then
    done_with "all there"
    return
  fi
  if [[ $(id -u) != 0 ]]; then
    command -v sudo > /dev/null || die "not root and no sudo; as root: apt-get install --no-install-recommends ${missing[*]}"
    as_root=(sudo)
    sudo -n true 2> /dev/null || sudo -v || die "sudo was refused; as root: apt-get install --no-install-recommends ${missing[*]}"
  fi
  logged "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 update ||
    die "apt-get update failed: $(last_error)"
  logged "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 install -y \
    --no-install-recommends "${missing[@]}" || die "apt-get install failed: $(last_error)"
  done_with "${#missing[@]} new"
}

# The last error that apt wrote.
last_error() { { grep '^E: ' "$log" || tail -n 1 "$log"; } | tail -n 1; }

# CUDA's usual place is not on everybody's PATH.
find_nvcc() {
  if ! command -v nvcc > /dev/null && [[ -x /usr/local/cuda/bin/nvcc ]]; then
    export PATH=$PATH:/usr/local/cuda/bin
  fi
}

# configure_and_build PRESET [TARGET]: two steps.
configure_and_build() {
  local preset=$1 target=${2:-all} fresh=() kind='CPU only'
  # A configuration made before CUDA was installed remembers that there was none.
  if command -v nvcc > /dev/null && grep -qs '^CMAKE_CUDA_COMPILER:.*NOTFOUND' "build/$preset/CMakeCache.txt"; then
    fresh=(--fresh)
  fi
  begin "configuring build/$preset"
  local before
  before=$(wc -c < "$log")
  logged cmake --preset "$preset" "${fresh[@]}" || die_with_log "cmake failed"
  if tail -c "+$((before + 1))" "$log" | grep -c '^-- CUDA [0-9]' > /dev/null; then kind='with CUDA'; fi
  done_with "$kind"
  begin "building build/$preset"
  logged cmake --build --preset "$preset" --target "$target" --parallel "$(nproc)" || die_with_log "the build failed"
  done_with
}
