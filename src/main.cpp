#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/reporter.hpp"
#include "core/error.hpp"

namespace {

/// Keeps files that are opened later from taking the place of a closed standard stream. What takes its place
/// here fails when it is used.
void fill_closed_streams() {
  constexpr int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) == -1) (void)::open("/dev/null", modes[descriptor]);
  }
}

/// What an image needed is kept for the next one: freshly mapped memory costs a page fault for each 4 KiB. Larger pieces, as of
/// whole images, are given back. Threads share two heaps: with one for each, what is kept would grow for thousands of images.
void keep_small_memory() {
#ifdef __GLIBC__
  (void)::mallopt(M_ARENA_MAX, 2);
  (void)::mallopt(M_MMAP_THRESHOLD, 1 << 20);
  (void)::mallopt(M_TRIM_THRESHOLD, 16 << 20);
#endif
}

int run(int argc, char** argv) {
  using upfirdn::ExitCode;
  try {
    const int code = upfirdn::cli::run_command_line(std::vector<std::string>(argv + (argc > 0), argv + argc));
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      throw upfirdn::Error(ExitCode::image_failed, "standard output: can't be written; check the disk");
    }
    return code;
  } catch (const upfirdn::Error& error) {
    upfirdn::cli::print_message(error.what());
    return int(error.code());
  } catch (const std::bad_alloc&) {
    upfirdn::cli::print_message("memory: not enough for this work; free some or use smaller images");
    return int(ExitCode::image_failed);
  } catch (const std::exception& error) {
    upfirdn::cli::print_message(std::string("internal error: ") + error.what() + "; please report it");
    return int(ExitCode::image_failed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  fill_closed_streams();
  keep_small_memory();
  return run(argc, argv);
}
