#pragma once
/// Files that are being written: without a name where the file system has such files, else with a hidden name and a lock.

#include <string>

namespace upfirdn {

/// The folder of a path: "." if it names none.
[[nodiscard]] std::string folder_of(const std::string& path);

/// A name for a hidden file beside `target` that no other process uses.
[[nodiscard]] std::string hidden_name(const std::string& target);

/// Descriptor of a new file without a name, which vanishes with the process; -1 where the file system has none or it could not
/// be named later.
[[nodiscard]] int create_nameless_file(const std::string& folder, unsigned mode);

/// Gives a nameless file a name. False with errno: EEXIST and what linkat(2) says.
[[nodiscard]] bool give_name(int descriptor, const std::string& path);

/// Removes files that killed processes left in `folder` before they had their names. Those of processes at work are locked and
/// stay. What can't be listed or removed is left alone.
void remove_abandoned_files(const std::string& folder);

}  // namespace upfirdn
