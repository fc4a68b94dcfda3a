#include "kernels/strip_launch.cuh"

template struct upfirdn::cuda::StripLauncher<std::uint16_t>;
