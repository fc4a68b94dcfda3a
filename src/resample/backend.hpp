#pragma once
/// Executes operations. Every backend gives the same bytes (SEMANTICS 5).

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/operation.hpp"

namespace upfirdn {

/// What a run has to tell.
struct RunResult {
  std::int64_t nan_samples = 0;    ///< NaN that became 0 in an integer output
  std::vector<std::string> notes;  ///< said under -v
};

class Backend {
 public:
  virtual ~Backend() = default;
  /// "cpu", "cuda:0"
  [[nodiscard]] virtual std::string name() const = 0;
  /// Reads all rows of `operation.input` from `source`, writes all rows of `operation.output` to `sink`.
  virtual RunResult run(const Operation& operation, RowSource& source, RowSink& sink) = 0;
};

/// CPU backend with at most `threads` threads (0: all cores).
[[nodiscard]] std::unique_ptr<Backend> make_cpu_backend(int threads);

/// CUDA backend on device `ordinal`. Throws Error(device) with the reason if it can't be used.
[[nodiscard]] std::unique_ptr<Backend> make_cuda_backend(int ordinal);

/// One CUDA device, or why there is none.
struct CudaDevice {
  int ordinal;
  std::string name;
  std::string compute_capability;  ///< "9.0"
  std::int64_t memory_bytes, free_bytes;
  int multiprocessors;
  std::string pci_link;  ///< "16 lanes at 32.0 GT/s"; empty: not told
  int memory_node;       ///< nearest NUMA node; -1: not told, or there is only one
};
struct CudaStatus {
  bool built;           ///< this program was built with CUDA
  std::string version;  ///< "13.0"; empty if not built
  std::vector<CudaDevice> devices;
  std::string problem;  ///< why there are no devices; empty otherwise
};
[[nodiscard]] CudaStatus cuda_status();

/// Names of the CPU instruction sets that can run here, best first, and the one in use.
[[nodiscard]] std::vector<std::string> cpu_targets();
/// Forces an instruction set for the rest of the process. Throws Error(usage) listing what can run here.
void force_cpu_target(const std::string& target);

}  // namespace upfirdn
