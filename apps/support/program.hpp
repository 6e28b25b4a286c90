#pragma once

#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace tutti::apps {

/// What a program can't do, in words for its user: printed once, then the program ends with status 2. On all
/// ranks alike.
struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

inline int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

/// What a program found out, in the order in which it was told; printed by rank 0.
class Report {
 public:
  template <class Value>
  void tell(const std::string& name, const Value& value) {
    values_[name] = value;
  }

  /// A result and how far off it may be. The program ends with status 1 if it is further off, or no number.
  void judge(const std::string& name, double value, double limit) {
    tell(name, value);
    tell(name + "_limit", limit);
    is_judged_ = true;
    if (!(value <= limit)) is_wrong_ = true;
  }

  bool is_judged() const { return is_judged_; }
  bool is_wrong() const { return is_wrong_; }

  void print(bool as_json) const {
    if (as_json) {
      std::printf("%s\n", values_.dump().c_str());
      return;
    }
    for (const auto& [name, value] : values_.items())
      std::printf("%-34s %s\n", name.c_str(),
                  value.is_string() ? value.get<std::string>().c_str() : value.dump().c_str());
  }

 private:
  nlohmann::ordered_json values_ = nlohmann::ordered_json::object();
  bool is_judged_ = false, is_wrong_ = false;
};

/// The whole life of an MPI program: starts MPI, parses the command line, runs the body, prints its report on
/// rank 0, ends MPI. The exit status for `main`: 0, 1 for a wrong result on any rank, 2 for what can't be
/// done.
inline int run(CLI::App& options, int argc, char** argv, const std::function<void(Report&)>& body) {
  bool as_json = false;
  options.add_flag("--json", as_json, "print the report as a JSON object");
  MPI_Init(&argc, &argv);
  const bool speaks = rank_in(MPI_COMM_WORLD) == 0;
  int status = 0;
  try {
    options.parse(argc, argv);
    Report report;
    body(report);
    int is_wrong = report.is_wrong();
    MPI_Allreduce(MPI_IN_PLACE, &is_wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (report.is_judged()) report.tell("verdict", is_wrong ? "WRONG" : "all right");
    if (speaks) report.print(as_json);
    status = is_wrong;
  } catch (const CLI::ParseError& error) {
    const int code = speaks ? options.exit(error) : error.get_exit_code();
    status = code == 0 ? 0 : 2;
  } catch (const Refusal& refusal) {
    if (speaks) std::fprintf(stderr, "%s\n", refusal.what());
    status = 2;
  }
  MPI_Finalize();
  return status;
}

}  // namespace tutti::apps
