#include "app/memory_budget.hpp"

#include <unistd.h>

namespace upfirdn {

MemoryBudget::MemoryBudget(std::int64_t bytes) : bytes_(bytes > 0 ? bytes : std::int64_t(::sysconf(_SC_PHYS_PAGES)) / 2 * ::sysconf(_SC_PAGESIZE)) {}

}  // namespace upfirdn
