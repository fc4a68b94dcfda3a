/// The instruction sets of this CPU, and the one in use. Highway's headers ask three functions of its library, which are defined
/// here instead: the shared library measures a timer whenever it is loaded, for longer than the rest of the program takes to start.

#include <hwy/highway.h>

#include <string>
#include <vector>

#include "core/error.hpp"
#include "resample/backend.hpp"

namespace hwy {
namespace {

std::int64_t targets_of_cpu() {
  std::int64_t targets = HWY_STATIC_TARGET | HWY_SCALAR;
#if HWY_ARCH_X86
  if (__builtin_cpu_supports("ssse3")) targets |= HWY_SSSE3;
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd");
  if (avx2) targets |= HWY_AVX2;
  if (avx2 && avx512) targets |= HWY_AVX3;
#endif
  return targets;
}

std::int64_t forced_targets = 0;  // 0: none

}  // namespace

std::int64_t SupportedTargets() {
  static const std::int64_t targets = targets_of_cpu();
  return forced_targets != 0 ? forced_targets : targets;
}

void SetSupportedTargetsForTest(std::int64_t targets) {
  forced_targets = targets;
  GetChosenTarget().DeInit();
}

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

}  // namespace hwy

namespace upfirdn {

std::vector<std::string> cpu_targets() {
  std::vector<std::string> names;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) names.emplace_back(hwy::TargetName(target));
  return names;
}

void force_cpu_target(const std::string& wanted) {
  hwy::SetSupportedTargetsForTest(0);
  std::string known;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const std::string target_name = hwy::TargetName(target);
    if (target_name == wanted) {
      hwy::SetSupportedTargetsForTest(target);
      return;
    }
    known += (known.empty() ? "" : ", ") + target_name;
  }
  throw Error(ExitCode::usage, "--cpu-target: '" + wanted + "' cannot run here; choose one of " + known);
}

}  // namespace upfirdn
