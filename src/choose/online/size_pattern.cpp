#include "choose/online/size_pattern.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace tutti::inline choose {
namespace {

using Numbers = std::span<const std::uint8_t>;

// What a call weighs: bytes, and some for the call itself.
double weight(int number) {
  return online::weight_of_a_call + static_cast<double>(SizeClass{number}.typical());
}

bool are_alike(int a, int b) {
  return std::abs(a - b) <= 1;
}

// Whether most of what calls move repeats itself after so many calls.
bool repeats(Numbers calls, std::size_t period) {
  double alike = 0, all = 0;
  for (std::size_t i = period; i < calls.size(); ++i) {
    const double both = weight(std::max(calls[i], calls[i - period]));
    all += both;
    if (are_alike(calls[i], calls[i - period])) alike += both;
  }
  return alike >= online::repeated_share * all;
}

// The shortest period, seen often enough not to be chance; 0 where there is none.
std::size_t period_of(Numbers calls) {
  for (std::size_t period = 1; 2 * period <= calls.size(); ++period)
    if ((period == 1 || calls.size() - period >= online::repeated_calls) && repeats(calls, period))
      return period;
  return 0;
}

// The class of most weight among every so many calls, from one on.
int heaviest(Numbers calls, std::size_t first, std::size_t step) {
  std::map<int, double> weights;
  for (std::size_t i = first; i < calls.size(); i += step) weights[calls[i]] += weight(calls[i]);
  return std::max_element(weights.begin(), weights.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

}  // namespace

void SizePattern::count(SizeClass mine) {
  if (mine_.size() == online::told_sizes) mine_.erase(mine_.begin());
  mine_.push_back(static_cast<std::uint8_t>(mine.number));
  ++calls_;
}

std::vector<std::uint8_t> SizePattern::tell() {
  heard_from_ = calls_ - static_cast<std::int64_t>(mine_.size());
  hear_at_ = calls_ + calls_while_told_;
  tell_at_ = never;
  return mine_;
}

void SizePattern::hear(std::span<const std::uint8_t> numbers) {
  heard_.assign(numbers.begin(), numbers.end());
  const bool holds_longer = interval_ < online::told_sizes || holds();
  interval_ = std::min(holds_longer ? 2 * interval_ : online::told_sizes, online::longest_untold);
  tell_at_ = hear_at_ + interval_;
  const std::size_t period = std::max<std::size_t>(period_of(heard_), 1);
  places_.assign(period, 0);
  for (std::size_t i = 0; i < period; ++i)
    places_[static_cast<std::size_t>(heard_from_ + static_cast<std::int64_t>(i)) % period] =
        heaviest(heard_, i, period);
}

// Whether most of what the calls move that were told last is what they were taken for.
bool SizePattern::holds() const {
  double right = 0, all = 0;
  for (std::size_t i = 0; i < heard_.size(); ++i) {
    const int taken = taken_at(heard_from_ + static_cast<std::int64_t>(i));
    const double call = weight(std::max<int>(heard_[i], taken));
    all += call;
    if (are_alike(heard_[i], taken)) right += call;
  }
  return right >= online::repeated_share * all;
}

int SizePattern::taken_at(std::int64_t call) const {
  return places_[static_cast<std::size_t>(call) % places_.size()];
}

std::optional<SizeClass> SizePattern::next() const {
  if (places_.empty()) return std::nullopt;
  return SizeClass{taken_at(calls_)};
}

SizeClass SizePattern::learnt_as(SizeClass taken) {
  const auto same = std::find(used_.begin(), used_.end(), taken.number);
  if (same != used_.end()) return taken;
  const auto alike =
      std::find_if(used_.begin(), used_.end(), [&](int used) { return are_alike(used, taken.number); });
  if (alike != used_.end()) return SizeClass{*alike};
  used_.push_back(taken.number);
  return taken;
}

}  // namespace tutti::inline choose
