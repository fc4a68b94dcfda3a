#pragma once
/// What a path leads to.

#include <filesystem>
#include <string>

namespace upfirdn {

[[nodiscard]] bool is_folder(const std::filesystem::path& path);
[[nodiscard]] bool is_regular(const std::filesystem::path& path);
/// Text that is the same for every path to one file, whether it exists or not.
[[nodiscard]] std::string file_identity(std::filesystem::path path);

}  // namespace upfirdn
