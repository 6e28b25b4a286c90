#include "programs/measuring/rounds.hpp"

namespace tutti::run {

bool Rounds::time_is_up() const {
  const std::chrono::duration<double> passed = Clock::now() - begin_;
  return trees_.tell(passed.count() >= effort_.seconds);
}

std::vector<std::vector<double>> Rounds::slowest(std::size_t things,
                                                 const std::function<double(std::size_t)>& time) const {
  std::vector<double> mine;  // by repetition, then thing
  for (int repetition = 0, more = 1; more; ++repetition) {
    std::vector<double> round(things);
    for (std::size_t i = 0; i < things; ++i) {
      // Everyone begins a round once in a while, so that none always comes after the same other.
      const std::size_t turn = (i + static_cast<std::size_t>(repetition)) % things;
      round[turn] = time(turn);
    }
    mine.insert(mine.end(), round.begin(), round.end());
    more = repetition + 1 < effort_.repetitions && !time_is_up();
  }
  std::vector<std::vector<double>> by_thing(things);
  const std::vector<double> of_all = trees_.largest(mine);
  for (std::size_t i = 0; i < of_all.size(); ++i) by_thing[i % things].push_back(of_all[i]);
  return by_thing;
}

}  // namespace tutti::run
