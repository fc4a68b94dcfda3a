#include <fmt/format.h>

#include "resample/cuda_bench.hpp"

namespace upfirdn {

std::string kernel_time_heading() {
  return fmt::format("{:42} {:>4} {:>16} {:>9} {:>9} {:>9} {:>7} {:>7}  kernel", "case", "type", "shape", "us", "copy us",
                     "arith us", "/floor", "/peak");
}

std::string kernel_time_line(const KernelTime& t) {
  return fmt::format("{:42} {:>4} {:>16} {:9.1f} {:9.1f} {:9.1f} {:7.2f} {:7.2f}  {}{}", t.name, t.type, t.shape, t.us, t.copy_us,
                     t.arithmetic_us, t.ratio(), t.us / t.peak_copy_us, t.kernel, t.equal ? "" : "  WRONG BYTES");
}

}  // namespace upfirdn
