#include "resample/pci_place.hpp"

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "support/test_folder.hpp"

using namespace upfirdn;

TEST_CASE("a PCI device's link and memory node are what the system tells") {
  const TestFolder folder;
  const auto device = std::filesystem::path(folder.at("devices")) / "0000:1b:00.0", nodes = std::filesystem::path(folder.at("nodes"));
  const auto place = [&] { return pci_place("0000:1B:00.0", folder.at("devices"), nodes); };
  CHECK((place().link.empty() && place().memory_node == -1));

  write_text(device / "current_link_speed", "32.0 GT/s PCIe\n");
  write_text(device / "current_link_width", "16\n");
  write_text(device / "numa_node", "1\n");
  CHECK(place().link == "16 lanes at 32.0 GT/s");
  CHECK(place().memory_node == -1);  // a machine of one node
  write_text(nodes / "node0" / "cpulist", "0-7\n");
  write_text(nodes / "node1" / "cpulist", "8-15\n");
  CHECK(place().memory_node == 1);
  write_text(device / "numa_node", "-1\n");
  CHECK(place().memory_node == -1);

  write_text(device / "current_link_speed", "Unknown\n");
  CHECK(place().link.empty());
}

TEST_CASE("memory near a node is asked for and the thread's policy restored") {
  const auto policy = [] {
    int now = -1;
    return ::syscall(SYS_get_mempolicy, &now, nullptr, 0, nullptr, 0) == 0 ? now : -1;
  };
  const int before = policy();
  {
    const NearMemory near(0);
    const int during = policy();
    CHECK((during == MPOL_PREFERRED || during == before));  // where the system does not let us choose
  }
  CHECK(policy() == before);
  for (const int none : {-1, 5000}) {
    const NearMemory near(none);
    CHECK(policy() == before);
  }
}
