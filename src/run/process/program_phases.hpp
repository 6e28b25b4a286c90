#pragma once

#include <atomic>
#include <string>
#include <string_view>

namespace tutti::run {

/// The phase of calls that the program wants to be left out of its profile.
inline constexpr int phase_left_out = -1;

/// The phase of the program that calls belong to, as it says itself; 0: none.
inline constinit std::atomic<int> current_phase{0};

/// Begins a phase within the one that is under way. Of more than some thousand different ones the
/// names are not kept: what comes then belongs to the phase around it.
void begin_phase(std::string_view name);
/// Ends the innermost one. False if there is none.
bool end_phase();
/// Ends the innermost one of that name, and those within it. False if there is none.
bool end_phase(std::string_view name);
/// Whether a phase of that name is under way.
bool is_under_way(std::string_view name);

/// Leaves calls out of the profile from now on, or no longer. Returns whether they were before.
bool leave_out(bool left_out);

/// Name of a phase, such as "solve/exchange"; empty for 0.
std::string name_of_phase(int phase);

}  // namespace tutti::run
