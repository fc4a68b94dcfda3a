#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "cli/commands.hpp"
#include "cli/option_table.hpp"
#include "resample/backend.hpp"

namespace upfirdn::cli {
namespace {

void print_text(const CudaStatus& cuda) {
  fmt::print("cpu: {} threads, instruction sets {}\n", std::thread::hardware_concurrency(),
             fmt::join(cpu_targets(), ", "));
  if (!cuda.problem.empty()) fmt::print("cuda: not usable: {}\n", cuda.problem);
  for (const CudaDevice& device : cuda.devices) {
    constexpr double gib = 1 << 30;
    fmt::print("cuda:{}: {}, compute capability {}, {} multiprocessors, {:.1f} GiB memory, {:.1f} GiB free",
               device.ordinal, device.name, device.compute_capability, device.multiprocessors,
               double(device.memory_bytes) / gib, double(device.free_bytes) / gib);
    if (!device.pci_link.empty()) fmt::print(", PCIe {}", device.pci_link);
    if (device.memory_node >= 0) fmt::print(", near memory node {}", device.memory_node);
    fmt::print("\n");
  }
}

void print_json(const CudaStatus& cuda) {
  nlohmann::ordered_json report;
  report["cpu"] = {{"threads", std::thread::hardware_concurrency()}, {"targets", cpu_targets()}};
  report["cuda"] = {{"built", cuda.built}, {"version", cuda.version}, {"problem", cuda.problem}};
  report["cuda"]["devices"] = nlohmann::ordered_json::array();
  for (const CudaDevice& device : cuda.devices) {
    report["cuda"]["devices"].push_back({{"ordinal", device.ordinal},
                                         {"name", device.name},
                                         {"compute_capability", device.compute_capability},
                                         {"multiprocessors", device.multiprocessors},
                                         {"memory_bytes", device.memory_bytes},
                                         {"free_bytes", device.free_bytes},
                                         {"pci_link", device.pci_link},
                                         {"memory_node", device.memory_node}});
  }
  fmt::print("{}\n", report.dump(2));
}

}  // namespace

int run_devices(const std::vector<std::string>& arguments) {
  bool json = false;
  OptionTable table("devices", "[options]",
                    "What can run here: instruction sets of the CPU, CUDA devices, their memory and links.",
                    "Examples:\n  upfirdn devices\n  upfirdn devices --json");
  table.flag("--json", "print JSON (default: text)", [&] { json = true; });
  if (!table.parse(arguments).empty()) table.refuse("devices: takes no files");
  const CudaStatus cuda = cuda_status();
  if (json)
    print_json(cuda);
  else
    print_text(cuda);
  return 0;
}

}  // namespace upfirdn::cli
