#pragma once

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

namespace tutti::inline choose {

/// An environment variable that Tutti reads. The variables that force a plan are in CollectiveTraits.
struct Variable {
  std::string_view name;
  std::string_view values;
  std::string_view meaning;

  /// The value in the environment; null where it is not set.
  const char* value() const { return std::getenv(std::string(name).c_str()); }
};

inline constexpr Variable var_table{"TUTTI_TABLE", "FILE|builtin",
                                    "plans to use, as written by tutti tune; or the built-in ones, by the "
                                    "cut-offs of MPICH's authors"};
inline constexpr Variable var_home{
    "TUTTI_HOME", "FOLDER",
    "where tutti run looks for the tables of a machine, and tutti tune --system writes (default /etc/tutti)"};
inline constexpr Variable var_stats{
    "TUTTI_STATS", "0|1", "at MPI_Finalize rank 0 prints calls, bytes and time by operation and plan"};
inline constexpr Variable var_log{"TUTTI_LOG", "error|warn|info|debug",
                                  "what is said on standard error (default warn)"};
inline constexpr Variable var_off{"TUTTI_OFF", "0|1", "pass everything through untouched"};
inline constexpr Variable var_fallback{
    "TUTTI_FALLBACK", "silent|warn|error",
    "what to do when a plan can't serve a call and it runs natively (default warn, once)"};
inline constexpr Variable var_host_memory{
    "TUTTI_HOST_MEMORY", "BYTES",
    "bound of the memory that the ranks of a host share, for each communicator; 0: none (default 256M)"};
inline constexpr Variable var_cache{"TUTTI_CACHE", "BYTES",
                                    "bound of the cached schedules of a rank (default 64M)"};

inline constexpr Variable var_network{
    "TUTTI_NETWORK", "FILE",
    "the network of all ranks, as written by tutti probe, for plans that are computed for it (default: the "
    "table's)"};
inline constexpr Variable var_schedules{
    "TUTTI_SCHEDULES", "FOLDER|none",
    "where computed schedules are kept for later runs (default ~/.cache/tutti)"};
inline constexpr Variable var_adapt{
    "TUTTI_ADAPT", "SECONDS",
    "bandwidths are measured again so often between calls, in a tenth of the time, and plans computed anew "
    "where they have changed (default: never)"};

inline constexpr Variable var_in_flight{"TUTTI_IN_FLIGHT", "MESSAGES[,BYTES]",
                                        "what a rank may have under way at a time, to others and from others "
                                        "(default and most messages: 512; default 64M bytes)"};
inline constexpr Variable var_device{
    "TUTTI_DEVICE", "stage|native",
    "buffers in a device's memory go by way of host memory (the default), or all collectives of a job that "
    "uses a device library are left to the MPI library"};
inline constexpr Variable var_reproducible{
    "TUTTI_REPRODUCIBLE", "0|1",
    "floating-point reductions give the same bits whatever the size, the plan and the hosts"};

inline constexpr Variable var_floats{
    "TUTTI_FLOATS", "plans|native",
    "reductions of floating-point numbers: by plans as others, or left to the MPI library where no variable "
    "forces a plan, so that no digit of a sum changes (default plans; tutti run without options: native)"};
inline constexpr Variable var_operations{
    "TUTTI_OPERATIONS", "whole|pieces",
    "what operations that the program has made (MPI_Op_create) are called with: whole vectors, as the MPI "
    "libraries call them where vectors are short, or any elements of them, as the standard allows (default "
    "whole)"};
inline constexpr Variable var_profile{"TUTTI_PROFILE", "FILE",
                                      "at MPI_Finalize rank 0 writes there what all ranks spent in which "
                                      "collective calls (tutti report, advise)"};
inline constexpr Variable var_learn{
    "TUTTI_LEARN", "0|1",
    "plans take turns in the program's own calls, the best that surely gains stays; sums of floating-point "
    "numbers may change their last bits when it does (TUTTI_REPRODUCIBLE=1 prevents that)"};
inline constexpr Variable var_knowledge{
    "TUTTI_KNOWLEDGE", "FOLDER|none",
    "where what was learnt is kept for later runs of all programs (default ~/.cache/tutti)"};
inline constexpr Variable var_learn_cost{
    "TUTTI_LEARN_COST", "PERCENT,SECONDS",
    "what learning may cost: of the time in each kind of calls, and in all besides (default 5%,20ms)"};
inline constexpr Variable var_guard{
    "TUTTI_GUARD", "0|1",
    "a table's plans are compared with native in the program, and those that lose are dropped (default 1)"};

inline constexpr Variable var_progress{"TUTTI_PROGRESS", "calls|thread",
                                       "what drives nonblocking collectives that plans carry out: the "
                                       "program's calls of MPI, or a thread besides, "
                                       "where MPI lets several threads call (default calls)"};

inline constexpr std::array variables{
    var_table,       var_stats,     var_log,       var_off,     var_fallback,     var_cache,
    var_host_memory, var_network,   var_schedules, var_adapt,   var_learn,        var_knowledge,
    var_learn_cost,  var_guard,     var_home,      var_device,  var_reproducible, var_floats,
    var_operations,  var_in_flight, var_profile,   var_progress};

}  // namespace tutti::inline choose
