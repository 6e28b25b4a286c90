#include "runtime/spending.hpp"

namespace tutti::runtime {

void Spending::count(Account& lesson, const Allowance& now, bool gains) {
  const Account has{now.overdraft(), gains ? 0 : now.loss()};
  overdraft_ += has.overdraft - lesson.overdraft;
  unproven_ += has.unproven - lesson.unproven;
  lesson = has;
}

void Spending::met(double seconds) {
  meeting_ = seconds;
  charge(seconds);
}

}  // namespace tutti::runtime
