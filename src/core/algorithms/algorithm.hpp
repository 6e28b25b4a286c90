#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/builder.hpp"

namespace tutti::inline core {

/// A parameter of an algorithm: a choice of names, or a positive number.
struct Parameter {
  std::string_view name;
  std::string_view meaning;
  /// What the tuner tries; the first is the default. Of a choice, all there is; of a number, a
  /// useful selection.
  std::vector<std::string_view> values;
  bool is_number = false;
  int least = 1;  ///< of a number
  /// It is the network's alpha / beta in bytes: where that was measured, the tuner tries it too.
  bool alpha_over_beta = false;
};

/// The values of an algorithm's parameters, complete and checked.
class Arguments {
 public:
  using Values = std::map<std::string, std::string, std::less<>>;  ///< by parameters' names

  Arguments() = default;
  explicit Arguments(Values values) : values_(std::move(values)) {}
  bool has(std::string_view parameter) const { return values_.contains(parameter); }
  /// The value of a choice. The parameter has to exist.
  std::string_view text(std::string_view parameter) const { return values_.find(parameter)->second; }
  /// The value of a number. The parameter has to exist.
  int number(std::string_view parameter) const { return std::stoi(values_.find(parameter)->second); }

 private:
  Values values_;
};

/// The source of most of the catalogue.
inline constexpr std::string_view thakur_2005 =
    "Thakur, Rabenseifner, Gropp, Optimization of Collective Communication Operations in MPICH, 2005";

/// A closed-form running time: α·messages + β·n·volume + γ·n·reduced for n bytes in all (see
/// `total_bytes`), on one-ported full-duplex links.
struct Cost {
  double messages;
  double volume;
  double reduced;
};

/// One algorithm for one collective, declared once. Its proof, its entry in `tutti list`, its
/// documentation, its candidacy in tuning and its name in plans follow from this.
struct Algorithm {
  Collective collective;          ///< a regular one, whose irregular variants it serves too
  std::string_view name;          ///< the field's standard name
  std::string_view summary;       ///< one sentence: what it does
  std::string_view wins;          ///< when it is the one to choose
  std::string_view source;        ///< authors, title, year
  std::string_view section = {};  ///< of the source
  std::vector<Parameter> parameters = {};
  /// Reductions only: the operands change places, so the operation has to commute.
  bool commutative_only = false;
  /// Reductions that keep the order of operands only: whether results are combined in the fixed
  /// order (Conditions::fixed_order) on `ranks` ranks; null: on no number of ranks.
  bool (*keeps_fixed_order)(int ranks) = nullptr;
  /// It serves even numbers of ranks only.
  bool even_ranks_only = false;
  /// The ranks of one host carry it out in memory that they share, without messages.
  bool in_memory = false;
  /// Between neighbours: it needs a stencil that all of them follow (Topology::stencil).
  bool on_stencils_only = false;
  /// gather, scatter, alltoall, between neighbours: ranks pass on blocks that are not theirs. In
  /// the irregular variants they have to be told the sizes first.
  bool relays = false;
  /// Blocks of the vector for that many ranks, those arguments and that many bytes. Null between
  /// neighbours, where the topology says.
  int (*blocks)(int ranks, const Arguments& arguments, std::size_t bytes) = nullptr;
  /// In place of `blocks` where each rank's block is cut into pieces: into how many, where the
  /// longest is `longer` bytes longer than the mean one.
  int (*pieces)(int ranks, const Arguments& arguments, std::size_t longer) = nullptr;
  /// One rank's part. It may read `builder.shape()` and `builder.rank()` and takes time in
  /// proportion to the part.
  void (*generate)(Builder& builder, const Arguments& arguments) = nullptr;
  /// The literature's closed form, where it has one and holds for that many ranks.
  std::optional<Cost> (*cost)(int ranks, const Arguments& arguments) = nullptr;
  /// In place of `blocks` where the schedule is computed for one network, Shape::network.
  int (*blocks_on)(const KnownNetwork& network, const Arguments& arguments, std::size_t bytes) = nullptr;
  /// Computed schedules only: one schedule serves all bytes.
  bool for_any_bytes = false;
  /// Computed schedules only: why it does not serve a network, or nothing if it does.
  std::optional<std::string> (*refusal_on)(const KnownNetwork& network) = nullptr;

  bool is_computed() const { return blocks_on != nullptr; }
};

/// "authors, title, year, section".
std::string citation(const Algorithm& algorithm);

/// All that a file in this folder, or one of synthesis, declares.
using Family = std::vector<Algorithm>;

/// Every algorithm there is, grouped by collective.
const std::vector<Algorithm>& all_algorithms();

/// Whether the algorithm serves that collective: its own, or an irregular variant of it.
bool serves(const Algorithm& algorithm, Collective collective);

/// The algorithm of that name, or null.
const Algorithm* find_algorithm(Collective collective, std::string_view name);

/// The algorithm's arguments where `given` says nothing, and `given` where it does. Names are not
/// checked.
Arguments complete(const Algorithm& algorithm, const Arguments::Values& given);

/// The n of closed forms for a call of `size` bytes (CollectiveTraits::size_means): the whole
/// vector, or all ranks' blocks together.
std::size_t total_bytes(Collective collective, int ranks, std::size_t size);

// Numbers of ranks on which several families keep the fixed order.
inline bool on_any_ranks(int) {
  return true;
}
inline bool on_powers_of_two(int ranks) {
  return (ranks & (ranks - 1)) == 0;
}

// Block counts that several families share.
inline int one_block(int, const Arguments&, std::size_t) {
  return 1;
}
inline int block_a_rank(int ranks, const Arguments&, std::size_t) {
  return ranks;
}

}  // namespace tutti::inline core
