// Which of Open MPI's components serves native calls.

#include <gtest/gtest.h>

#include <map>

#include "base/json.hpp"
#include "choose/evidence/library_component.hpp"

namespace tutti {
namespace {

std::vector<LibraryComponent> components(const std::map<std::string, int>& variables) {
  std::vector<std::string> names;
  for (const auto& [name, value] : variables) names.push_back(name);
  return library_components({names, [&](const std::string& name) -> std::optional<int> {
                               const auto found = variables.find(name);
                               return found == variables.end() ? std::nullopt : std::optional(found->second);
                             }});
}

// Open MPI 5.0.7, as it says by itself.
const std::map<std::string, int> version_5{
    {"coll_han_priority", 35},           {"coll_han_use_allreduce_algorithm", 0},
    {"coll_han_use_bcast_algorithm", 0}, {"coll_han_use_dynamic_file_rules", 0},
    {"coll_inter_priority", 40},         {"coll_libnbc_priority", 10},
    {"coll_self_priority", 75},          {"coll_sync_priority", 50},
    {"coll_tuned_priority", 30}};

TEST(LibraryComponents, AreThoseThatMayServeByPriority) {
  const auto all = components(version_5);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0], (LibraryComponent{"han", 35, {Collective::bcast, Collective::allreduce}}));
  EXPECT_EQ(all[1].name, "tuned");
  EXPECT_TRUE(components({{"MPIR_CVAR_BCAST_INTRA_ALGORITHM", 0}}).empty());
  auto version_4 = version_5;
  version_4["coll_han_priority"] = 0;
  EXPECT_EQ(components(version_4).size(), 1u);
}

TEST(LibraryComponents, ServeWhereTheyCan) {
  auto variables = version_5;
  variables["coll_xhc_priority"] = 90;
  const auto all = components(variables);
  EXPECT_EQ(serving(all, Collective::bcast, 2)->name, "han");
  EXPECT_EQ(serving(all, Collective::alltoall, 2)->name, "tuned");
  EXPECT_EQ(serving(all, Collective::bcast, 1)->name, "xhc");
  EXPECT_EQ(serving(components(version_5), Collective::bcast, 1)->name, "tuned");
  EXPECT_EQ(serving({}, Collective::bcast, 1), nullptr);
  EXPECT_EQ(above_text(all, 2), "coll/han (priority 35) before coll/tuned (30)");
  EXPECT_EQ(above_text(all, 1), "coll/xhc (priority 90) before coll/tuned (30)");
  EXPECT_EQ(above_text(components(version_5), 1), "");
}

TEST(LibraryComponents, AreReadAsTheyAreWritten) {
  const auto all = components(version_5);
  EXPECT_EQ(components_from_json(parse_json(to_json(all).dump())), all);
  EXPECT_THROW(components_from_json({{{"name", "han"}, {"priority", 35}, {"operations", {"sing"}}}}),
               std::invalid_argument);
}

}  // namespace
}  // namespace tutti
