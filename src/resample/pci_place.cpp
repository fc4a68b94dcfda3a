#include "resample/pci_place.hpp"

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace upfirdn {
namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

PciPlace pci_place(const std::string& address, const fs::path& devices, const fs::path& nodes) {
  std::string name = address;
  for (char& c : name) c = c >= 'A' && c <= 'F' ? char(c - 'A' + 'a') : c;
  const fs::path device = devices / name;
  PciPlace place;
  const std::string speed = first_line(device / "current_link_speed"), width = first_line(device / "current_link_width");
  const std::string rate = speed.substr(0, speed.find(" PCIe"));  // "32.0 GT/s PCIe"
  if (!rate.empty() && rate != "Unknown" && !width.empty() && width != "0") place.link = width + (width == "1" ? " lane at " : " lanes at ") + rate;
  std::error_code error;
  const std::string node = first_line(device / "numa_node");
  if (fs::exists(nodes / "node1", error) && !node.empty() && node[0] != '-') place.memory_node = std::atoi(node.c_str());
  return place;
}

NearMemory::NearMemory(int node) {
  if (node < 0 || unsigned(node) >= most_nodes) return;
  if (::syscall(SYS_get_mempolicy, &policy_, nodes_, most_nodes, nullptr, 0) != 0) return;
  unsigned long wanted[most_nodes / bits] = {};
  wanted[unsigned(node) / bits] = 1ul << (unsigned(node) % bits);
  chosen_ = ::syscall(SYS_set_mempolicy, MPOL_PREFERRED, wanted, most_nodes) == 0;
}

NearMemory::~NearMemory() {
  if (chosen_) (void)::syscall(SYS_set_mempolicy, policy_, nodes_, most_nodes);
}

}  // namespace upfirdn
