// Profiles: what is accepted is written, and read again, as the same, and can be advised on.

#include "choose/profile/advice.hpp"
#include "fuzz.hpp"

void try_text(const std::string& text) {
  using namespace tutti;
  const auto profile = parse_profile(text, "fuzzed");
  if (!profile) return require(!profile.error().message.empty());
  const std::string written = to_text(*profile);
  const auto again = parse_profile(written, "written");
  require(again && to_text(*again) == written);
  for (const CallGroup& group : groups_of(*profile)) {
    (void)saving_of(*profile, group, {.plan = "binomial", .ratio = 0.5});
    const Saving priced = saving_of(*profile, group, {.plan = "binomial", .price = 1e-6});
    require(!(priced.at_least_s < 0));
  }
}
