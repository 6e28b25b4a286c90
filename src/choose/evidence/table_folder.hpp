#pragma once

#include <string>
#include <vector>

namespace tutti::inline choose {

/// The files of a folder of tables, *.json, by name. There are none where it is no folder.
std::vector<std::string> tables_in(const std::string& folder);

}  // namespace tutti::inline choose
