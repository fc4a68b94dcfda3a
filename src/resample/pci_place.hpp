#pragma once
/// Where a PCI device sits in its machine, as Linux tells.

#include <filesystem>
#include <string>

namespace upfirdn {

struct PciPlace {
  std::string link;       ///< as it runs now: "16 lanes at 32.0 GT/s"; empty: not told
  int memory_node = -1;   ///< the NUMA node that is nearest; -1: not told, or there is only one
};

/// Of the device at `address` ("0000:1b:00.0", letters of either size). `devices` and `nodes` are folders of the kernel's.
[[nodiscard]] PciPlace pci_place(const std::string& address, const std::filesystem::path& devices = "/sys/bus/pci/devices",
                                 const std::filesystem::path& nodes = "/sys/devices/system/node");

/// While it lives, new memory of the calling thread comes from a NUMA node if it has some; -1, or a system that does not let us
/// choose: from wherever it came before.
class NearMemory {
 public:
  explicit NearMemory(int node);
  ~NearMemory();
  NearMemory(const NearMemory&) = delete;
  NearMemory& operator=(const NearMemory&) = delete;

 private:
  static constexpr unsigned long most_nodes = 1024;
  static constexpr unsigned long bits = 8 * sizeof(unsigned long);

  bool chosen_ = false;
  int policy_ = 0;  // of before
  unsigned long nodes_[most_nodes / bits] = {};
};

}  // namespace upfirdn
