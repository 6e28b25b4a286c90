#include "run/online/spending.hpp"

namespace tutti::run {

void Spending::count(Account& tuner, const Budget& now, bool gains) {
  const Account has{now.overdraft(), gains ? 0 : now.loss()};
  overdraft_ += has.overdraft - tuner.overdraft;
  unproven_ += has.unproven - tuner.unproven;
  tuner = has;
}

void Spending::met(double seconds) {
  meeting_ = seconds;
  charge(seconds);
}

}  // namespace tutti::run
