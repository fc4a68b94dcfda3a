#include "app/file_places.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

namespace upfirdn {

namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool is_regular(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

std::string file_identity(fs::path path) {
  struct stat status;
  if (::stat(path.c_str(), &status) == 0) return fmt::format("{}:{}", status.st_dev, status.st_ino);
  std::error_code error;
  for (int links = 0; links < 40 && fs::is_symlink(path, error); ++links) {
    const fs::path target = fs::read_symlink(path, error);
    path = target.is_absolute() ? target : path.parent_path() / target;
  }
  const fs::path folder = path.parent_path().empty() ? fs::path(".") : path.parent_path();
  const fs::path resolved = fs::weakly_canonical(folder, error);
  return ((error ? folder : resolved) / path.filename()).lexically_normal().string();
}

}  // namespace upfirdn
