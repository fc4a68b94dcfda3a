#!/bin/bash
# One command on a fresh Debian 12: installs what build and tests need, builds build/release and runs the quick tests.
#   --all    every test, also in a build without CUDA and in one with AddressSanitizer and UndefinedBehaviorSanitizer; fuzzers
#   --tidy   the same and clang-tidy
#   --help   this text
set -euo pipefail
all=no tidy=no
for argument in "$@"; do
  case $argument in
    --all) all=yes ;;
    --tidy) all=yes tidy=yes ;;
    --help) sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "test.sh: $argument: unknown; --help lists what there is" >&2; exit 2 ;;
  esac
done
log=build/test.log
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"
passed=0 failed=0 skipped=0

# run_tests PRESET [CTEST-OPTION...]: a step; adds up what passed, failed and was skipped.
run_tests() {
  local preset=$1 report summary bad total idle
  shift
  report=build/$preset/ctest.log
  begin "testing build/$preset"
  ctest --test-dir "build/$preset" -j 2 --output-on-failure --timeout 900 "$@" > "$report" 2>&1 < /dev/null || true
  cat "$report" >> "$log"
  summary=$(grep -E '^[0-9]+% tests passed, ' "$report") || die_with_log "ctest ran no tests"
  bad=$(sed -E 's/.*passed, ([0-9]+) tests? failed out of .*/\1/' <<< "$summary")
  total=$(sed -E 's/.* out of ([0-9]+)$/\1/' <<< "$summary")
  idle=$(grep -c '\*\*\*Skipped' "$report" || true)
  passed=$((passed + total - bad - idle)) failed=$((failed + bad)) skipped=$((skipped + idle))
  if [[ $bad == 0 ]]; then
    done_with "$((total - idle)) passed, $idle skipped"
  else
    printf '%s failed\n' "$bad"
    sed -nE '/\*\*\*(Failed|Timeout|Exception|Not Run)/,/^ *(Start +[0-9]+:|[0-9]+\/[0-9]+ Test +#)/p' "$report" | tail -n 150
  fi
}

# A step: static analysis of the sources of the program as the CPU-only build compiles them.
run_tidy() {
  begin "clang-tidy"
  logged cmake --preset tidy -DUPFIRDN_TESTS=OFF || die_with_log "cmake failed"
  if sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' build/tidy/compile_commands.json | xargs -P "$(nproc)" -n 1 \
    clang-tidy -p build/tidy --quiet --warnings-as-errors='*' >> "$log" 2>&1; then
    passed=$((passed + 1))
    done_with
  else
    failed=$((failed + 1))
    printf 'failed\n'
    grep -E ' (warning|error): ' "$log" | sort -u | tail -n 40
  fi
}

# A step: each fuzzer for a minute.
run_fuzzers() {
  begin "fuzzing"
  if tests/fuzz/run.sh 60 > build/fuzz/table 2>> "$log" < /dev/null; then
    passed=$((passed + $(wc -l < build/fuzz/table) - 1))
    done_with "nothing found"
  else
    failed=$((failed + 1))
    printf 'failed\n'
  fi
  tee -a "$log" < build/fuzz/table
}

start_log
find_nvcc
if [[ $all == no ]]; then
  steps=4
  install_packages build test
  configure_and_build release
  run_tests release -LE slow
  sed -n '/% tests passed, /,$p' build/release/ctest.log
else
  cuda=no
  command -v nvcc > /dev/null && cuda=yes
  steps=10
  [[ $cuda == yes ]] && steps=$((steps + 3))
  [[ $tidy == yes ]] && steps=$((steps + 1))
  install_packages build test all
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache
  configure_and_build release
  run_tests release
  if [[ $cuda == yes ]]; then  # without nvcc the release build is the CPU-only one
    configure_and_build cpu-only
    run_tests cpu-only
  fi
  configure_and_build sanitize
  run_tests sanitize
  configure_and_build fuzz fuzz
  run_fuzzers
  if [[ $tidy == yes ]]; then run_tidy; fi
  echo "$passed passed, $failed failed, $skipped skipped"
fi
[[ $failed == 0 ]]
