#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "base/document.hpp"
#include "base/file.hpp"
#include "base/uninterrupted.hpp"

namespace tutti {
namespace {

using testing::HasSubstr;

TEST(Files, AreWrittenWholeOrNotAtAll) {
  const auto folder = std::filesystem::temp_directory_path() / ("tutti-files-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::string path = folder / "table.json";
  EXPECT_TRUE(write_file(path, "one"));
  EXPECT_TRUE(write_file(path, "two"));
  EXPECT_EQ(read_file(path).value(), "two");
  EXPECT_THAT(write_file(folder / "no" / "table.json", "x").error().message,
              HasSubstr("No such file or directory"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  std::filesystem::remove_all(folder);
  EXPECT_THAT(read_file(path).error().message, HasSubstr("can't read"));
}

TEST(Files, AreReadWholeAndFoldersNotAtAll) {
  const auto folder = std::filesystem::temp_directory_path() / ("tutti-read-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  for (const std::size_t size : {0u, 1u, 100'000u}) {
    const std::string text(size, 'x');
    ASSERT_TRUE(write_file(folder / "file", text));
    EXPECT_EQ(read_file(folder / "file").value(), text);
  }
  const auto read = read_file(folder);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("Is a directory"));
  std::filesystem::remove_all(folder);
}

// A group that shares a table may still write it when one of them has.
TEST(Files, StayAsOpenToOthers) {
  namespace fs = std::filesystem;
  const auto folder = fs::temp_directory_path() / ("tutti-open-" + std::to_string(getpid()));
  fs::create_directory(folder);
  const fs::path path = folder / "table.json";
  const mode_t mask = umask(022);
  ASSERT_TRUE(write_file(path, "one"));
  EXPECT_EQ(fs::status(path).permissions(), fs::perms(0644));
  fs::permissions(path, fs::perms(0664));
  ASSERT_TRUE(write_file(path, "two"));
  EXPECT_EQ(fs::status(path).permissions(), fs::perms(0664));
  umask(mask);
  fs::remove_all(folder);
}

TEST(Files, OfALinkTheTargetIsReplacedAndDevicesAreWrittenTo) {
  const auto folder = std::filesystem::temp_directory_path() / ("tutti-links-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "there");
  std::filesystem::create_symlink("there/file", folder / "link");
  std::filesystem::create_symlink("loop", folder / "loop");
  EXPECT_TRUE(write_file(folder / "link", "first"));  // the target is not there yet
  EXPECT_TRUE(write_file(folder / "link", "second"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "there/file").value(), "second");
  EXPECT_EQ(replaced_file(folder / "link").value(), (folder / "there/file").string());
  EXPECT_THAT(write_file(folder / "loop", "x").error().message, HasSubstr("symbolic links"));
  EXPECT_THAT(check_output(folder).error().message, HasSubstr("Is a directory"));
  EXPECT_TRUE(check_output(folder / "new"));
  EXPECT_FALSE(std::filesystem::exists(folder / "new"));
  EXPECT_FALSE(replaced_file("/dev/null"));
  EXPECT_TRUE(write_file("/dev/null", "x"));
  EXPECT_THAT(write_file("/dev/full", "x").error().message, HasSubstr("No space left on device"));
  EXPECT_TRUE(is_standard_output("/dev/stdout"));
  std::filesystem::remove_all(folder);
}

TEST(Files, SystemCallsAreMadeAgainWhereSignalsInterruptThem) {
  int calls = 0;
  const auto call = [&](int interrupted, int cause) {
    calls = 0;
    return uninterrupted([&] {
      errno = calls++ < interrupted ? EINTR : cause;
      return errno == 0 ? 7 : -1;
    });
  };
  EXPECT_EQ(call(3, 0), 7);
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(call(2, EIO), -1);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(errno, EIO);
}

// Commands and paths may hold any bytes; what is written can be read again.
TEST(Documents, HoldNoBytesThatAreNoUtf8) {
  const Json json{{"command", "tutti tune -o caf\xe9.json"}, {"last", 1}};
  EXPECT_EQ(json_text(json), "{\"command\":\"tutti tune -o caf\xef\xbf\xbd.json\",\"last\":1}");
  EXPECT_EQ(parse_json(json_text(json, 1))["last"], 1);
}

// Sums and products of what is read are finite, and nothing is divided by what is nearly nothing.
TEST(Documents, QuantitiesAreNeitherNegativeNorBeyondAllMeasure) {
  EXPECT_EQ(quantity(Json(0.5), "a"), 0.5);
  EXPECT_EQ(quantity(Json(3), "a"), 3);
  EXPECT_EQ(quantity(Json(-2.5), "a", -largest_quantity), -2.5);
  EXPECT_EQ(quantity(parse_json("1e-300"), "a"), 0);
  for (const char* text : {"-1e-9", "1e308", "null", "\"7\"", "[7]", "true"})
    EXPECT_THROW(quantity(parse_json(text), "a"), std::invalid_argument) << text;
  EXPECT_EQ(quantities(parse_json("[1, 2.5]"), "a"), (std::vector<double>{1, 2.5}));
  EXPECT_THROW(quantities(parse_json("1"), "a"), std::invalid_argument);
  EXPECT_THROW(quantities(parse_json("[1, 1e99]"), "a"), std::invalid_argument);
  // What is wrong is named, however deep it is.
  EXPECT_EQ(shown(parse_json(std::string(100'000, '[') + std::string(100'000, ']'))), "array");
}

TEST(Documents, WholeNumbersAreWholeAndFit) {
  EXPECT_EQ(whole<int>(Json(7)), 7);
  EXPECT_EQ(whole<int>(Json(7.0)), 7);
  EXPECT_EQ(whole<std::size_t>(Json(5000000000)), 5000000000u);
  for (const char* text : {"5000000000", "-5000000000", "1e30", "7.5", "\"7\"", "null", "[7]"})
    EXPECT_THROW(whole<int>(parse_json(text)), std::invalid_argument) << text;
  EXPECT_THROW(whole<std::size_t>(Json(-1)), std::invalid_argument);
}

}  // namespace
}  // namespace tutti
