// Linear gathers and scatters that a probe repeats, whose times show where they escalate or leap.

#include <gtest/gtest.h>

#include "choose/probing/probing.hpp"
#include "core/network/escalation.hpp"

namespace tutti {
namespace {

// Four ranks on which calls of more bytes than that are left out.
class SmallSite final : public Measurer {
 public:
  std::size_t largest = 0;
  int left_out = 0;

  const Site& site() const override { return site_; }
  Result<Samples> measure(const Point& point, const std::vector<Plan>& plans, Effort) override {
    Samples samples{.hosts = 1, .seconds = std::vector<std::vector<double>>(plans.size())};
    if (point.size > largest) {
      samples.left_out = "it takes too much memory";
      ++left_out;
      return samples;
    }
    for (auto& seconds : samples.seconds) seconds = {1e-9 * static_cast<double>(point.size)};
    return samples;
  }

 private:
  Site site_{.fingerprint = {"Some MPI 1.0", "some machine"}, .ranks = 4, .hosts = {0, 0, 0, 0}};
};

TEST(Thresholds, EndAtASizeThatIsLeftOut) {
  SmallSite site;
  site.largest = 4096;
  const auto runs = repeat_linear(Collective::gather, site, 1 << 20, 1, {});
  ASSERT_TRUE(runs) << runs.error().message;
  ASSERT_EQ(runs->size(), 3u);
  for (const auto& [bytes, seconds] : *runs) EXPECT_FALSE(seconds.empty()) << bytes;
  EXPECT_EQ(runs->rbegin()->first, 4096u);
  EXPECT_EQ(site.left_out, 1) << "nothing larger is asked for";
  site.largest = 0;
  const auto nothing = repeat_linear(Collective::scatter, site, 1 << 20, 1, {});
  ASSERT_TRUE(nothing);
  EXPECT_TRUE(nothing->empty());
  EXPECT_FALSE(find_leap(*nothing));
  EXPECT_FALSE(find_escalations(*nothing));
}

}  // namespace
}  // namespace tutti
