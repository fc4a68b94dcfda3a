#pragma once
/// Times the CPU backend, as a conversion calls it, against a copy of as many bytes.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace upfirdn {

/// One case measured on one instruction set with one number of threads. Medians over rounds in which the case, the case
/// without what it adds and the copy take turns.
struct CpuTime {
  std::string name, type, shape, target;
  int threads = 1;
  double ms = 0;
  double copy_ms = 0;          ///< of a copy that moves as many bytes, by one or by as many threads
  double megapixels = 0;       ///< of the larger of input and output
  double multiply_adds = 0;    ///< of both passes
  std::optional<double> over_plain = {};  ///< time per multiply-add over that of the case without what this one adds
  double page_faults = 0;      ///< in a run; the images' memory is warm
  bool equal = true;           ///< the same bytes on other instruction sets and with one thread
  [[nodiscard]] double ratio() const { return ms / copy_ms; }
};

struct CpuBenchOptions {
  std::string only;                  ///< part of a case's name; empty: all
  std::string only_type;             ///< a type's name; empty: all
  std::vector<int> threads;          ///< empty: 1 and all cores
  std::vector<std::string> targets;  ///< instruction sets; empty: the best
  std::int64_t side = 4096;          ///< larger side of the operator's images; half of it for more than one channel
  int rounds = 12;
};

[[nodiscard]] std::string cpu_time_heading();
[[nodiscard]] std::string cpu_time_line(const CpuTime& time);

/// Runs the cases and reports each; prints nothing. Throws Error(usage) if no case fits. Leaves the best instruction set in use.
void bench_cpu(const CpuBenchOptions& options, const std::function<void(const CpuTime&)>& report);

}  // namespace upfirdn
