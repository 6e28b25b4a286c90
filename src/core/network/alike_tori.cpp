#include "core/network/alike_tori.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace tutti::inline core {
namespace {

// A side of 2, as which a side of 4 counts twice: neighbours differ in one of them, as in a Gray
// code.
struct Half {
  std::size_t dimension;
  bool high;
  bool is_at(const Torus& torus, std::size_t host) const {
    const int at = torus.coordinates[host][dimension];
    return ((at ^ (at >> 1)) >> high & 1) != 0;
  }
};

// Which halves each side of 4 is made of, and each of 2, in the order of the dimensions.
struct Dealt {
  std::vector<std::pair<std::size_t, std::size_t>> pairs = {};
  std::vector<std::size_t> singles = {};
};

class Dealing {
 public:
  Dealing(const Torus& torus, std::size_t most) : torus_(torus), most_(most) {
    for (std::size_t i = 0; i < torus.sides.size(); ++i) {
      if (torus.sides[i] == 4) {
        fours_.push_back(i);
        halves_.insert(halves_.end(), {{i, true}, {i, false}});
      } else if (torus.sides[i] == 2) {
        twos_.push_back(i);
        halves_.push_back({i, false});
      }
    }
  }

  std::vector<Torus> run() {
    std::vector<std::size_t> left(halves_.size());
    std::iota(left.begin(), left.end(), 0);
    deal({}, left);
    return std::move(all_);
  }

 private:
  void deal(const Dealt& dealt, const std::vector<std::size_t>& left) {
    if (all_.size() >= most_) return;
    if (left.empty()) return all_.push_back(made_of(dealt));
    const std::size_t first = left.front();
    for (std::size_t i = 1; i < left.size() && dealt.pairs.size() < fours_.size(); ++i) {
      Dealt more = dealt;
      more.pairs.emplace_back(first, left[i]);
      std::vector<std::size_t> others(left.begin() + 1, left.end());
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i - 1));
      deal(more, others);
    }
    if (dealt.singles.size() == twos_.size()) return;
    Dealt more = dealt;
    more.singles.push_back(first);
    deal(more, {left.begin() + 1, left.end()});
  }

  Torus made_of(const Dealt& dealt) const {
    Torus torus = torus_;
    for (std::size_t host = 0; host < torus.coordinates.size(); ++host) {
      for (std::size_t i = 0; i < fours_.size(); ++i) {
        const int high = halves_[dealt.pairs[i].first].is_at(torus_, host),
                  low = halves_[dealt.pairs[i].second].is_at(torus_, host);
        torus.coordinates[host][fours_[i]] = 2 * high + (high ^ low);
      }
      for (std::size_t i = 0; i < twos_.size(); ++i)
        torus.coordinates[host][twos_[i]] = halves_[dealt.singles[i]].is_at(torus_, host);
    }
    return torus;
  }

  const Torus& torus_;
  std::size_t most_;
  std::vector<std::size_t> fours_, twos_;  // dimensions
  std::vector<Half> halves_;
  std::vector<Torus> all_;
};

Torus in_order(const Torus& torus, const std::vector<std::size_t>& order) {
  Torus other{.seconds_per_byte = torus.seconds_per_byte, .hop = torus.hop};
  for (const std::size_t dimension : order) other.sides.push_back(torus.sides[dimension]);
  for (const auto& at : torus.coordinates) {
    auto& there = other.coordinates.emplace_back();
    for (const std::size_t dimension : order) there.push_back(at[dimension]);
  }
  return other;
}

}  // namespace

std::vector<Torus> alike_tori(const Torus& torus, std::size_t most) {
  std::size_t orders = 1;
  for (std::size_t i = 2; i <= torus.sides.size(); ++i) orders *= i;
  std::vector<Torus> all;
  for (const Torus& dealt : Dealing(torus, std::max<std::size_t>(1, most / orders)).run()) {
    std::vector<std::size_t> order(torus.sides.size());
    std::iota(order.begin(), order.end(), 0);
    do all.push_back(in_order(dealt, order));
    while (std::ranges::next_permutation(order).found);
  }
  return all;
}

Torus turned(Torus torus, std::size_t dimension) {
  const int side = torus.sides[dimension];
  for (auto& at : torus.coordinates) at[dimension] = (side - at[dimension]) % side;
  return torus;
}

}  // namespace tutti::inline core
