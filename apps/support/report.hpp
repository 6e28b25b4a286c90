#pragma once

#include <concepts>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tutti::apps {

/// What a program can't do, in words for its user: printed once, then the program ends with status
/// 2. On all ranks alike.
struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What a program found out, in the order in which it was told; printed by rank 0.
class Report {
 public:
  void tell(const std::string& name, const std::string& text) { values_.emplace_back(name, text); }
  void tell(const std::string& name, std::integral auto number) {
    values_.emplace_back(name, static_cast<long>(number));
  }
  void tell(const std::string& name, double number) { values_.emplace_back(name, number); }

  /// A result and how far off it may be. The program ends with status 1 if it is further off, or no
  /// number.
  void judge(const std::string& name, double value, double limit);

  bool is_judged() const { return is_judged_; }
  bool is_wrong() const { return is_wrong_; }

  void print(bool as_json) const;

 private:
  std::vector<std::pair<std::string, std::variant<std::string, long, double>>> values_;
  bool is_judged_ = false, is_wrong_ = false;
};

}  // namespace tutti::apps
