#include "programs/examining/examination.hpp"

#include <tuple>

#include "base/json.hpp"

namespace tutti {
namespace {

template <typename Member>
struct Named {
  const char* name;
  Member RankExamination::*member;
};

constexpr std::tuple members{Named{"rank", &RankExamination::rank},
                             Named{"host", &RankExamination::host},
                             Named{"processors", &RankExamination::processors},
                             Named{"mpi", &RankExamination::mpi},
                             Named{"transport", &RankExamination::transport},
                             Named{"fabric", &RankExamination::fabric},
                             Named{"components", &RankExamination::components},
                             Named{"providers", &RankExamination::providers},
                             Named{"library", &RankExamination::library},
                             Named{"library_digest", &RankExamination::library_digest},
                             Named{"settings", &RankExamination::settings},
                             Named{"complaints", &RankExamination::complaints},
                             Named{"off", &RankExamination::off},
                             Named{"knowledge_trouble", &RankExamination::knowledge_trouble},
                             Named{"memory_trouble", &RankExamination::memory_trouble},
                             Named{"most_files", &RankExamination::most_files},
                             Named{"most_memory", &RankExamination::most_memory},
                             Named{"threads_may_call", &RankExamination::threads_may_call},
                             Named{"device_library", &RankExamination::device_library}};

}  // namespace

void to_json(Json& json, const RankExamination& rank) {
  std::apply([&](auto... one) { ((json[one.name] = rank.*one.member), ...); }, members);
}

void from_json(const Json& json, RankExamination& rank) {
  std::apply([&](auto... one) { (json.at(one.name).get_to(rank.*one.member), ...); }, members);
}

void to_json(Json& json, const Examination& examination) {
  json["ranks"] = examination.ranks;
}

void from_json(const Json& json, Examination& examination) {
  json.at("ranks").get_to(examination.ranks);
}

namespace {

// Paths and messages may hold bytes that are no text.
template <typename T>
std::string line_of(const T& value) {
  return Json(value).dump(-1, ' ', true, Json::error_handler_t::replace);
}

template <typename T>
Result<T> read(const std::string& line) {
  try {
    return parse_json(line).get<T>();
  } catch (const std::exception& error) {
    return failure(error.what());
  }
}

}  // namespace

std::string to_line(const Examination& examination) {
  return line_of(examination);
}
Result<Examination> examination_from_line(const std::string& line) {
  return read<Examination>(line);
}

std::string to_line(const RankExamination& rank) {
  return line_of(rank);
}
Result<RankExamination> rank_examination_from_line(const std::string& line) {
  return read<RankExamination>(line);
}

}  // namespace tutti
