// Members of JSON objects as the objects' texts have them.

#include "base/json_members.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti {
namespace {

using TextsByName = std::vector<std::pair<std::string, std::string>>;

TextsByName texts_of(std::string_view object) {
  TextsByName all;
  JsonMembers members(object);
  while (const auto member = members.next()) all.emplace_back(member->name, member->value);
  return all;
}

TEST(JsonMembers, AreToldApartByStringsAndBrackets) {
  const std::string text =
      "\n{\"a\": [1, {\"b\": \"]}\"}, [2]],\"c\" : {\"d\": \"\\\"}\"} , \"e\": -1.5e3, \"f\":null,\n"
      "\"g\": \"x\\\\\", \"h\": 7 \n }\n";
  const TextsByName expected{{"a", "[1, {\"b\": \"]}\"}, [2]]"},
                             {"c", "{\"d\": \"\\\"}\"}"},
                             {"e", "-1.5e3"},
                             {"f", "null"},
                             {"g", "\"x\\\\\""},
                             {"h", "7"}};
  EXPECT_EQ(texts_of(text), expected);
  EXPECT_EQ(member_named(text, "f"), "null");
  EXPECT_EQ(member_named(text, "b"), std::nullopt) << "it is a member of another object";
  EXPECT_EQ(member_named("{\"a\": 1, \"a\": 2}", "a"), "1");
}

TEST(JsonMembers, EndWhereTheTextIsNoObject) {
  const TextsByName none, one{{"a", "1"}};
  for (const char* text :
       {"", " ", "[]", "[{\"a\": 1}]", "{}", "{", "{\"a", "{\"a\"", "{\"a\" 1}",
        "{\"a\":", "{\"a\": ", "{\"a\": \"1}", "{\"a\": \"1\\\"}", "{\"a\": [1, {}", "{a: 1}", "{\"a\": 1"})
    EXPECT_EQ(texts_of(text), none) << text;
  for (const char* text :
       {"{\"a\": 1,", "{\"a\": 1,}", "{\"a\": 1, 2}", "{\"a\": 1}, \"b\": 2}", "{\"a\": 1, \"b\": ["})
    EXPECT_EQ(texts_of(text), one) << text;
}

TEST(JsonElements, AreToldApartByStringsAndBrackets) {
  using Texts = std::vector<std::string_view>;
  EXPECT_EQ(elements_of(" [1, {\"b\": \"]}\"}, [2, 3],\"c,]\" , null\n]x"),
            (Texts{"1", "{\"b\": \"]}\"}", "[2, 3]", "\"c,]\"", "null"}));
  for (const char* none : {"[]", "[ ]", " [\n]"}) EXPECT_EQ(elements_of(none), Texts{}) << none;
  for (const char* wrong : {"", " ", "[", "{}", "{\"a\": [1]}", "1", "[\"", "[{", "[,", "[1, {", "[1", "[1,",
                            "[1,]", "[{} {}]", "[{}, [] {}]"})
    EXPECT_EQ(elements_of(wrong), std::nullopt) << wrong;
}

}  // namespace
}  // namespace tutti
