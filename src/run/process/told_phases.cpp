#include "run/process/told_phases.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "run/process/constants.hpp"
#include "run/process/program_phases.hpp"
#include "run/transport/process_memory.hpp"

namespace tutti::run {
namespace {

using ToldBytes = std::array<char, process::longest_told_name + 1>;

// The bytes at an address, as far as they can be read: as many as a name may have, and a zero.
std::string_view readable_at(const void* address, ToldBytes& bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::size_t on_page = std::min<std::size_t>(page - begin % page, bytes.size());
  if (!read_memory_of(getpid(), begin, on_page, bytes.data())) return {};
  const std::size_t beyond = bytes.size() - on_page;
  const bool goes_on = beyond > 0 && read_memory_of(getpid(), begin + on_page, beyond, &bytes[on_page]);
  return {bytes.data(), goes_on ? bytes.size() : on_page};
}

std::optional<std::string> told_name(const void* address, std::size_t length) {
  ToldBytes bytes;
  std::string_view text = readable_at(address, bytes);
  const bool has_length = length > 0 && length < bytes.size() && length <= text.size();
  if (has_length) text = text.substr(0, length);
  const auto zero = text.find('\0');
  if (zero == text.npos && !has_length) return std::nullopt;
  // Fortran's texts end in blanks.
  text = text.substr(0, text.substr(0, zero).find_last_not_of(' ') + 1);
  const auto is_printed = [](unsigned char letter) { return letter >= ' ' && letter <= '~'; };
  if (text.empty() || !std::ranges::all_of(text, is_printed)) return std::nullopt;
  return std::string(text);
}

void begin_unless_under_way(const std::string& name) {
  if (!is_under_way(name)) begin_phase(name);
}

}  // namespace

void told_of_phase(int level, const void* name, std::size_t length) {
  if (level == 0) {
    leave_out(true);
  } else if (level == 1) {
    if (leave_out(false)) return;
    if (const auto begun = told_name(name, length)) begin_unless_under_way(*begun);
  } else if (level == -1) {
    if (const auto ended = told_name(name, length))
      end_phase(*ended);
    else
      end_phase();
  } else if (level >= process::first_numbered_phase) {
    begin_unless_under_way(std::to_string(level));
  } else if (level <= -process::first_numbered_phase) {
    end_phase(std::to_string(level).substr(1));
  }
}

}  // namespace tutti::run
