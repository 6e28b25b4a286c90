#pragma once

#include <atomic>
#include <string>
#include <string_view>

namespace tutti::run {

/// The phase of the program that calls belong to, as it says itself; 0: none.
inline constinit std::atomic<int> current_phase{0};

/// Begins a phase within the one that is under way. Of more than some thousand different ones the
/// names are not kept: what comes then belongs to the phase around it.
void begin_phase(std::string_view name);
/// Ends the innermost one. False if there is none.
bool end_phase();

/// Name of a phase, such as "solve/exchange"; empty for 0.
std::string name_of_phase(int phase);

}  // namespace tutti::run
