#include "choose/evidence/table_folder.hpp"

#include <algorithm>
#include <filesystem>

namespace tutti::inline choose {

std::vector<std::string> tables_in(const std::string& folder) {
  std::error_code none;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

}  // namespace tutti::inline choose
