#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/plan/composition.hpp"
#include "core/plan/composition_template.hpp"

namespace tutti::inline core {

class Composing;

/// One way to make a plan of others, declared once, in a file of its own under compositions/. Its
/// name in plans, its entry among what users may have meant, its turns in tuning and what `tutti
/// explain` says of it follow from this.
struct CompositionKind {
  std::string_view name;     ///< of its plans
  std::string_view summary;  ///< one sentence: what it does
  std::string_view source;   ///< authors, title, year
  /// Makes the plan that a text with this name describes.
  Result<Plan> (*compose)(const Composing& text);
  /// The compositions worth trying, all of which serve the collective.
  std::vector<CompositionTemplate> (*templates)(const TemplateRequest& request);
  /// By a performance guideline a library's own operation should not be slower than this with
  /// phases of its own.
  bool is_guideline = false;
  /// It carries out one plan, which stands in parentheses: near(ring).
  bool wraps = false;
  /// Why a text with this name can be for a whole communicator only, not for a phase; empty if it
  /// can.
  std::string_view (*whole_only)(const PlanSyntax& syntax) = nullptr;
};

/// All that files under compositions/ declare.
const std::vector<CompositionKind>& all_compositions();

/// The one of that name, or null.
const CompositionKind* find_composition(std::string_view name);

/// Makes the composition that a text describes. `text` is all of it, for the errors.
Result<Plan> compose(const CompositionKind& kind, Collective collective, const PlanSyntax& syntax,
                     std::string_view text);

/// The text of a composition while it becomes a plan: what a kind has to know of it, and what kinds
/// have in common.
class Composing {
 public:
  Composing(const CompositionKind& kind, Collective collective, const PlanSyntax& syntax,
            std::string_view text)
      : kind_(kind), collective_(collective), syntax_(syntax), text_(text) {}

  const CompositionKind& kind() const { return kind_; }
  Collective collective() const { return collective_; }
  Collective regular() const { return traits(collective_).regular; }
  const PlanSyntax& syntax() const { return syntax_; }

  /// An error that names the column: of the composition's name if no other is given.
  tl::unexpected<Error> fail(int column, std::string_view what) const;
  tl::unexpected<Error> fail(std::string_view what) const { return fail(syntax_.column, what); }

  /// The number of the argument's value in a list, or an error.
  Result<std::ptrdiff_t> choose(const PlanSyntax::Argument& argument,
                                const std::vector<std::string_view>& values) const;

  /// The plans in the text's brackets.
  PhasePlans phases() const;

 private:
  Result<Plan> phase(Collective collective, const PlanSyntax& syntax) const;

  const CompositionKind& kind_;
  Collective collective_;
  const PlanSyntax& syntax_;
  std::string_view text_;
};

}  // namespace tutti::inline core
