#include "programs/examining/examination.hpp"

#include <nlohmann/json.hpp>

namespace tutti {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankExamination, rank, host, processors, mpi, transport, fabric,
                                   components, providers, library, library_digest, settings, complaints, off,
                                   knowledge_trouble, memory_trouble, most_files, most_memory,
                                   threads_may_call, device_library)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Examination, ranks)

namespace {

// Paths and messages may hold bytes that are no text.
template <typename T>
std::string line_of(const T& value) {
  return nlohmann::json(value).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

template <typename T>
Result<T> read(const std::string& line) {
  try {
    return nlohmann::json::parse(line).get<T>();
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
