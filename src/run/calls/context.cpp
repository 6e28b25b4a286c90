#include "run/calls/context.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>

#include "run/calls/constants.hpp"
#include "run/calls/context_numbers.hpp"
#include "run/execution/constants.hpp"
#include "run/mpi/agreed.hpp"
#include "run/mpi/errors_returned.hpp"
#include "run/mpi/native.hpp"
#include "run/mpi/ranks.hpp"
#include "run/mpi/tags.hpp"
#include "run/mpi/threads.hpp"
#include "run/mpi/world.hpp"

namespace tutti::run {
namespace {

std::int64_t all_tags() {
  return std::int64_t{highest_tag()} + 1;
}

// A communicator of ours with the processes that `of` has, in its order, made by all processes of
// `users`; none on all ranks if one of them could not make it. MPI_Comm_create and not
// MPI_Comm_dup: it copies no attributes, so that no callback of the user's runs.
OwnComm made_by(MPI_Comm users, MPI_Comm of) {
  const ErrorsReturned errors_returned(users);
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  PMPI_Comm_group(of, &group);
  const bool well = PMPI_Comm_create(users, group, &made) == MPI_SUCCESS && made != MPI_COMM_NULL;
  PMPI_Group_free(&group);
  OwnComm own(well ? made : MPI_COMM_NULL);
  if (!all_say(well, users)) own.reset();
  if (own) PMPI_Comm_set_errhandler(own.get(), MPI_ERRORS_RETURN);
  return own;
}

// Numbers that are hardly the same twice, in whatever processes and threads they are drawn.
std::uint64_t drawn() {
  static std::atomic<std::uint64_t> state{reinterpret_cast<std::uintptr_t>(&state) ^
                                          static_cast<std::uint64_t>(PMPI_Wtime() * 1e9)};
  std::uint64_t mixed = state.fetch_add(0x9e3779b97f4a7c15ULL);
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ULL;
  return mixed ^ mixed >> 27;
}

}  // namespace

std::unique_ptr<Context> Context::on(MPI_Comm comm) {
  PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  auto context = std::make_unique<Context>(OwnComm());
  context->comm_ = comm;
  return context;
}

Context::Context(OwnComm own)
    : own_(std::move(own)),
      comm_(own_.get()),
      calls_(static_cast<int>(all_tags() / execution::tags_of_a_call)) {
  if (own_) ++Contexts::instance().own_;
}

Context::Context(MPI_Comm shared, ContextNumber number, std::vector<Rank> ranks, bool in_order)
    : comm_(shared),
      number_(std::move(number)),
      calls_(Contexts::calls_of_one()),
      first_tag_(number_->value() * calls_ * execution::tags_of_a_call),
      ranks_(std::move(ranks)),
      in_order_(in_order) {
  std::vector<Rank> same(ranks_.size());
  std::iota(same.begin(), same.end(), 0);
  if (ranks_ == same) ranks_.clear();
}

ContextNumber::~ContextNumber() {
  if (value_ != none) Contexts::instance().give_back(value_);
}

Context::~Context() {
  if (own_) --Contexts::instance().own_;
}

std::vector<Rank> Context::numbers_of(const std::vector<Rank>& ranks) const {
  std::vector<Rank> numbers;
  for (const Rank rank : ranks) numbers.push_back(number_of(rank));
  return numbers;
}

OwnComm Context::among(const std::vector<Rank>& numbers) const {
  MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  PMPI_Comm_group(comm_, &all);
  PMPI_Group_incl(all, static_cast<int>(numbers.size()), numbers.data(), &some);
  if (PMPI_Comm_create_group(comm_, some, first_tag_, &made) != MPI_SUCCESS) made = MPI_COMM_NULL;
  PMPI_Group_free(&some);
  PMPI_Group_free(&all);
  return OwnComm(made);
}

Contexts& Contexts::instance() {
  static auto* const all = new Contexts;  // calls may come when statics are gone
  return *all;
}

int Contexts::count() {
  return static_cast<int>(std::clamp<std::int64_t>(
      all_tags() / (calls::least_calls_of_context * execution::tags_of_a_call), 1, calls::most_contexts));
}

int Contexts::calls_of_one() {
  return static_cast<int>(all_tags() / execution::tags_of_a_call / count());
}

// What the ranks of a communicator tell each other: what is true on all of them remains.
struct Contexts::Offer {
  ContextNumbers free;
  std::uint64_t open = 0;                   // all bits: there is a communicator of all processes
  std::uint64_t in_order = 0;               // all bits: no other thread calls
  std::uint64_t in_world = 0;               // all bits: MPI_COMM_WORLD is there
  std::uint64_t may_own = 0;                // all bits: there may be one communicator more
  std::uint64_t drawn = ~std::uint64_t{0};  // by rank 0

  std::vector<int> numbers() const {
    std::vector<int> numbers;
    for (int number = 0; number < calls::most_contexts; ++number)
      if (free.has(number)) numbers.push_back(number);
    return numbers;
  }
  // The free number that was drawn, or the lowest where nobody else may be about to take it.
  std::optional<int> choice() const {
    const std::vector<int> all = numbers();
    if (all.empty()) return std::nullopt;
    return in_order ? all.front() : all[drawn % all.size()];
  }
};

Contexts::Offer Contexts::offer(Wanted wanted) {
  Offer mine;
  if (!several_threads_call()) mine.in_order = ~std::uint64_t{0};
  // Sessions begin and end on each rank when it likes: so would what all have in common.
  if (!world::is_of_sessions) mine.in_world = ~std::uint64_t{0};
  if (wanted == Wanted::now && own_ < calls::most_own_contexts) mine.may_own = ~std::uint64_t{0};
  const std::lock_guard lock(mutex_);
  if (everybody_) mine.open = ~std::uint64_t{0};
  const int end = wanted == Wanted::by_few ? count() / 2 : count();
  for (int number = 0; number < end; ++number)
    if (!taken_[static_cast<std::size_t>(number)]) mine.free.add(number);
  return mine;
}

// Tags of two contexts that share two ranks never meet: each rank gives a number to one context at
// a time, and when both have given one back, both have received all messages of its context. Where
// several threads call, two contexts may be about to take one number on different ranks: they draw
// numbers, and begin again where one of them was taken meanwhile.
std::unique_ptr<Context> Contexts::take(MPI_Comm users, Wanted wanted) {
  const bool draws = rank_in(users) == 0;
  bool tried_to_open = false;
  while (true) {
    Offer mine = offer(wanted), all;
    if (draws) mine.drawn = drawn();
    if (native().MPI_Allreduce(&mine, &all, sizeof mine / sizeof(std::uint64_t), MPI_UINT64_T, MPI_BAND,
                               users) != MPI_SUCCESS)
      return nullptr;
    const bool may_open = all.in_world && !tried_to_open && ranks_of(users) == ranks_of_world() &&
                          (all.in_order || (!world::is_of_sessions && users == MPI_COMM_WORLD));
    if (!all.open && may_open) {
      tried_to_open = true;
      open(users);
      continue;
    }
    const auto number = all.open ? all.choice() : std::nullopt;
    if (!number && !all.may_own) return nullptr;
    if (!number) break;
    auto claimed = claim(*number);
    if (all.in_order || all_say(claimed.has_value(), users))
      return std::make_unique<Context>(everybody_.get(), std::move(*claimed), ranks_in_world(users),
                                       all.in_order != 0);
  }
  OwnComm own = made_by(users, users);
  return own ? std::make_unique<Context>(std::move(own)) : nullptr;
}

std::vector<ContextNumber> Contexts::reserve(MPI_Comm users, int wanted) {
  const Offer mine = offer(Wanted::by_few);
  Offer all;
  std::vector<ContextNumber> reserved;
  if (native().MPI_Allreduce(&mine, &all, sizeof mine / sizeof(std::uint64_t), MPI_UINT64_T, MPI_BAND,
                             users) != MPI_SUCCESS ||
      !all.open || !all.in_order)
    return reserved;
  for (const int number : all.numbers()) {
    if (static_cast<int>(reserved.size()) == wanted) break;
    reserved.push_back(std::move(*claim(number)));
  }
  return reserved;
}

std::vector<ContextNumber> Contexts::hold(int wanted) {
  std::vector<ContextNumber> held;
  for (int number = 0; number < count() / 2 && static_cast<int>(held.size()) < wanted; ++number)
    if (auto claimed = claim(number)) held.push_back(std::move(*claimed));
  return held;
}

std::unique_ptr<Context> Contexts::with(ContextNumber number, MPI_Comm users) {
  return std::make_unique<Context>(everybody_.get(), std::move(number), ranks_in_world(users), true);
}

// The ranks have the numbers there that they have in MPI_COMM_WORLD.
void Contexts::open(MPI_Comm users) {
  OwnComm made = made_by(users, MPI_COMM_WORLD);
  const std::lock_guard lock(mutex_);
  everybody_ = std::move(made);
}

std::optional<ContextNumber> Contexts::claim(int number) {
  const std::lock_guard lock(mutex_);
  auto taken = taken_[static_cast<std::size_t>(number)];
  if (taken) return std::nullopt;
  taken = true;
  return ContextNumber(number);
}

void Contexts::give_back(int number) {
  const std::lock_guard lock(mutex_);
  taken_[static_cast<std::size_t>(number)] = false;
}

void Contexts::release() {
  const std::lock_guard lock(mutex_);
  everybody_.reset();
}

}  // namespace tutti::run
