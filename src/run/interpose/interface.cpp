// tutti_get_interface: what include/tutti/tutti.h offers to programs.

#include <fmt/format.h>
#include <array>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include "choose/settings/variables.hpp"
#include "run/calls/under_way.hpp"
#include "run/interpose/abi.hpp"
#include "run/mpi/native.hpp"
#include "run/process/process.hpp"
#include "run/process/program_phases.hpp"
#include "tutti/tutti.h"
#include "tutti/version.hpp"

namespace tutti::api {
namespace {

using namespace run;

// Nothing to destroy: programs may ask when their own statics end.
thread_local std::array<char, 512> last_error{};

int fail(tutti_status status, std::string_view why) {
  const std::size_t length = why.copy(last_error.data(), last_error.size() - 1);
  last_error[length] = '\0';
  return status;
}

// Nothing is thrown through programs in C.
template <typename Function>
int guarded(Function&& function) {
  try {
    return function();
  } catch (const std::exception& error) {
    return fail(TUTTI_FAILED, error.what());
  }
}

// Calls function(process) where Tutti runs.
template <typename Function>
int in_process(Function&& function) {
  return guarded([&]() -> int {
    Process* process = Process::instance();
    if (!process) return fail(TUTTI_NOT_RUNNING, "MPI is not running, or Tutti is switched off");
    return function(*process);
  });
}

template <typename Function>
int with_operation(const char* operation, Function&& function) {
  const std::string name = operation ? operation : "";
  const auto called = Called::named(name);
  if (!called) return fail(TUTTI_NO_OPERATION, fmt::format("there is no operation '{}'", name));
  return function(*called);
}

// Whether all ranks of a communicator say the same. Collective.
bool all_say(const std::string& text, MPI_Comm comm) {
  const std::uint64_t hash = std::hash<std::string>{}(text);
  const std::uint64_t mine[] = {hash, ~hash};
  std::uint64_t largest[2];
  const Blocking agreeing(comm);
  return native().MPI_Allreduce(mine, largest, 2, MPI_UINT64_T, MPI_MAX, comm) == MPI_SUCCESS &&
         largest[0] == ~largest[1];
}

int set_plan(MPI_Comm comm, const char* operation, const char* plan) {
  return in_process([&](Process&) -> int {
    CommunicatorState* state = attach_once(comm);
    if (!state) return fail(TUTTI_NOT_SERVED, "it is no communicator");
    const Inside inside;
    if (state->only_native)
      return fail(TUTTI_NOT_SERVED, fmt::format("calls can only go natively: {}", *state->only_native));
    if (state->communicator.is_awaited) state->meet();
    const std::string text = plan ? plan : "";
    if (!all_say(fmt::format("{}={}", operation ? operation : "", text), comm))
      return fail(TUTTI_NOT_ALIKE, "the ranks of the communicator ask for different plans");
    return with_operation(operation, [&](Called called) -> int {
      if (text.empty()) {
        state->choose(called, nullptr);
        return TUTTI_SUCCESS;
      }
      const auto made = make_plan(called.collective, text);
      if (!made) return fail(TUTTI_NO_PLAN, made.error().message);
      if (traits(called.collective).on_neighbors) state->communicator.find_topology();
      if (const auto why = made->refusal(state->communicator.setting()))
        return fail(TUTTI_NO_PLAN, fmt::format("plan '{}': {}", text, *why));
      if (called.mode != Mode::blocking && made->waits_in_library())
        return fail(TUTTI_NO_PLAN,
                    fmt::format("plan '{}': it waits in the MPI library, and would block", text));
      state->choose(called, &*made);
      return TUTTI_SUCCESS;
    });
  });
}

// What serves calls, and why.
struct Service {
  std::string plan, why;
};

// What was found out of such calls, if they are learnt of.
std::optional<ClassTunerReport> learnt_of(const CommunicatorState& state, std::size_t size,
                                          const Decision& untuned) {
  std::optional<ClassTunerReport> found;
  if (state.learner)
    state.learner->for_each([&](const ClassTuner& tuner) {
      if (&tuner.untuned() == &untuned && tuner.calls().size == SizeClass::of(size) &&
          tuner.calls().operands == OperandOrders::any)
        found = tuner.report();
    });
  return found;
}

Service service_of(CommunicatorState& state, Called called, std::size_t size) {
  Route& route = state.route(called);
  const std::size_t of_calls = called.collective == Collective::barrier ? 0 : size;
  const Decision& decision = route.decide(of_calls);
  if (const auto learnt = learnt_of(state, of_calls, decision))
    return {learnt->plan, fmt::format("{}{} by {:.0f} calls of learning{}", learnt->plan,
                                      learnt->settled ? ", settled" : " so far", learnt->experiments,
                                      learnt->gain.empty() ? "" : ", of native's time " + learnt->gain)};
  const std::string plan = decision.plan ? decision.plan->text() : "native";
  const char* const because = state.has_chosen(called) ? "chosen by the program"
                              : decision.forced        ? "forced by a variable"
                              : !decision.plan         ? nullptr
                              : state.rules->builtin   ? "of the built-in table"
                                                       : "of the table";
  return {plan, because ? fmt::format("{}: {}", plan, because) : decision.label};
}

int say(const std::string& what, char* text, std::size_t capacity) {
  if (capacity == 0) return TUTTI_SUCCESS;
  const std::size_t length = std::min(what.size(), capacity - 1);
  std::memcpy(text, what.data(), length);
  text[length] = '\0';
  return TUTTI_SUCCESS;
}

int say_of_service(MPI_Comm comm, const char* operation, std::size_t size, std::string Service::*what,
                   char* text, std::size_t capacity) {
  return in_process([&](Process&) -> int {
    return with_operation(operation, [&](Called called) -> int {
      CommunicatorState* state = find_known(comm);
      if (!state) return fail(TUTTI_NOT_SERVED, "no collective has run on this communicator yet");
      if (state->lacks_topology_for(called.collective))
        return fail(TUTTI_NOT_SERVED, "who is whose neighbour on this communicator is not known yet");
      const Inside inside;
      return say(service_of(*state, called, size).*what, text, capacity);
    });
  });
}

int get_plan(MPI_Comm comm, const char* operation, std::size_t size, char* text, std::size_t capacity) {
  return say_of_service(comm, operation, size, &Service::plan, text, capacity);
}

int explain(MPI_Comm comm, const char* operation, std::size_t size, char* text, std::size_t capacity) {
  return say_of_service(comm, operation, size, &Service::why, text, capacity);
}

int time_calls(int on) {
  return in_process([&](Process&) -> int {
    timing = on != 0;
    return TUTTI_SUCCESS;
  });
}

int visit_uses(tutti_visit_use* visit, void* context) {
  return in_process([&](Process& process) -> int {
    process.statistics().for_each([&](Called called, const std::string& plan, const Use& use) {
      const std::string operation = called.mpi_name();
      const tutti_use seen{operation.c_str(), plan.c_str(), use.calls, use.bytes, use.seconds};
      visit(&seen, context);
    });
    return TUTTI_SUCCESS;
  });
}

int visit_settings(tutti_visit_setting* visit, void* context) {
  return guarded([&]() -> int {
    for (const Variable& variable : variables()) {
      const char* const name = variable.name.c_str();
      const tutti_setting setting{name, in_environment(name), variable.meaning.c_str()};
      visit(&setting, context);
    }
    return TUTTI_SUCCESS;
  });
}

int begin_phase(const char* name) {
  return guarded([&]() -> int {
    run::begin_phase(name ? name : "");
    return TUTTI_SUCCESS;
  });
}

int end_phase() {
  return run::end_phase() ? TUTTI_SUCCESS : fail(TUTTI_NO_PHASE, "no phase has begun");
}

const char* error() {
  return last_error.data();
}

constexpr tutti_interface offered{.size = sizeof(tutti_interface),
                                  .version = TUTTI_VERSION,
                                  .error = error,
                                  .set_plan = set_plan,
                                  .get_plan = get_plan,
                                  .explain = explain,
                                  .time_calls = time_calls,
                                  .visit_uses = visit_uses,
                                  .visit_settings = visit_settings,
                                  .begin_phase = begin_phase,
                                  .end_phase = end_phase};

}  // namespace
}  // namespace tutti::api

extern "C" __attribute__((visibility("default"))) const tutti_interface* tutti_get_interface() {
  return tutti::interpose::is_ours() ? &tutti::api::offered : nullptr;
}
