#include "core/plan/syntax.hpp"

#include <fmt/format.h>

#include <cctype>

#include "core/plan/compose.hpp"

namespace tutti::inline core {
namespace {

bool wraps_a_plan(std::string_view name) {
  const CompositionKind* kind = find_composition(name);
  return name == through_memory || (kind && kind->wraps);
}

// Recursive descent over the text; the first error ends it.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<PlanSyntax> run() {
    auto plan = parse(1);
    if (!plan) return plan;
    skip_space();
    if (at_ < text_.size())
      return error(fmt::format("'{}' follows a complete plan; remove it", text_.substr(at_)));
    return plan;
  }

 private:
  // A plan that is `level` plans deep.
  Result<PlanSyntax> parse(int level) {
    skip_space();
    PlanSyntax plan{.name = "", .column = column(), .arguments = {}, .phases = {}};
    plan.name = word("_");
    if (plan.name.empty())
      return error(at_ == text_.size() ? "a plan is missing, such as native or ring"
                                       : unexpected("a plan's name"));
    if (level > most_nested_plans)
      return failure(
          plan_error(text_, plan.column,
                     fmt::format("there are at most {} plans within each other", most_nested_plans)));
    if (wraps_a_plan(plan.name) && take('(')) {
      auto inner = parse(level + 1);
      if (!inner) return inner;
      plan.phases.push_back(std::move(*inner));
      if (!take(')')) return error(unexpected("')'"));
      return plan;
    }
    if (take('(')) {
      do {
        auto argument = parse_argument();
        if (!argument) return tl::unexpected(argument.error());
        plan.arguments.push_back(*argument);
      } while (take(','));
      if (!take(')')) return error(unexpected("',' or ')'"));
    }
    if (take('[')) {
      do {
        auto phase = parse(level + 1);
        if (!phase) return phase;
        plan.phases.push_back(std::move(*phase));
      } while (take(','));
      if (!take(']')) return error(unexpected("',' or ']'"));
    }
    return plan;
  }

  Result<PlanSyntax::Argument> parse_argument() {
    skip_space();
    PlanSyntax::Argument argument{.key = "", .value = "", .column = column()};
    argument.value = word("_.+-/");
    if (argument.value.empty()) return error(unexpected("a value"));
    if (take('=')) {
      argument.key = std::move(argument.value);
      skip_space();
      argument.value = word("_.+-/");
      if (argument.value.empty()) return error(unexpected("a value"));
    }
    return argument;
  }

  std::string word(std::string_view also) {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || also.find(text_[at_]) != also.npos))
      ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  bool take(char wanted) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  std::string unexpected(std::string_view wanted) const {
    return at_ == text_.size() ? fmt::format("the text ends where {} should be", wanted)
                               : fmt::format("'{}' where {} should be", text_[at_], wanted);
  }

  int column() const { return static_cast<int>(at_) + 1; }
  tl::unexpected<Error> error(std::string_view what) const {
    return failure(plan_error(text_, column(), what));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<PlanSyntax> parse_plan(std::string_view text) {
  return Parser(text).run();
}

std::string plan_error(std::string_view text, int column, std::string_view what) {
  return fmt::format("plan '{}', column {}: {}", text, column, what);
}

}  // namespace tutti::inline core
