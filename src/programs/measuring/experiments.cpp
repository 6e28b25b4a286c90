#include "programs/measuring/experiments.hpp"

#include <algorithm>

#include "core/network/median.hpp"
#include "programs/measuring/trees.hpp"
#include "run/mpi/native.hpp"
#include "run/mpi/pause.hpp"

namespace tutti::run {
namespace {

constexpr int burst = 8;       // messages, and twice as many
constexpr double late = 0.02;  // seconds

// One rank's place in an experiment.
class Member {
 public:
  Member(Experiment experiment, const std::vector<Rank>& group, std::size_t bytes, Rank rank,
         HostMemory* memory)
      : experiment_(experiment),
        memory_(memory),
        group_(group),
        bytes_(static_cast<int>(bytes)),
        number_(static_cast<int>(std::find(group.begin(), group.end(), rank) - group.begin())),
        out_(bytes),
        in_(bytes * messages_at_once(experiment, group.size())) {}

  // Seconds, where this is the group's first rank.
  double run() {
    switch (experiment_) {
      case Experiment::round_trip:
        return first() ? timed([&] {
          send(1);
          receive(1);
        })
                       : (receive(0), send(0), 0);
      case Experiment::in_memory:
        return first() ? timed([&] {
          put(1);
          take(1);
        })
                       : (take(0), put(0), 0);
      case Experiment::there:
        return first() ? timed([&] {
          send(1);
          receive_nothing(1);
        })
                       : (receive(0), send_nothing(0), 0);
      case Experiment::burst:
        return (bursts(2 * burst) - bursts(burst)) / burst;
      case Experiment::both_ways:
        return timed([&] { exchange(1 - number_); });
      case Experiment::send_call:
        return send_call();
      case Experiment::receive_call:
        return receive_call();
      case Experiment::late_receiver:
        return late_receiver() / late;
      case Experiment::one_to_all:
        return one_to_all();
      case Experiment::all_to_one:
        return all_to_one();
      case Experiment::all_to_all:
        return all_to_all();
      case Experiment::crossing:
        return crossing();
    }
    return 0;
  }

 private:
  // The number of messages for which a rank has room.
  static std::size_t messages_at_once(Experiment experiment, std::size_t ranks) {
    switch (experiment) {
      case Experiment::burst:
        return 2 * burst;
      case Experiment::crossing:
        return ranks / 2;
      case Experiment::all_to_one:
      case Experiment::all_to_all:
        return ranks;
      default:
        return 1;
    }
  }

  static MPI_Comm world() { return MPI_COMM_WORLD; }
  bool first() const { return number_ == 0; }
  Rank rank(int number) const { return group_[static_cast<std::size_t>(number)]; }

  template <typename Action>
  static double timed(Action action) {
    const double begin = PMPI_Wtime();
    action();
    return PMPI_Wtime() - begin;
  }
  void send(int to) { PMPI_Send(out_.data(), bytes_, MPI_BYTE, rank(to), 0, world()); }
  void send_nothing(int to) { PMPI_Send(nullptr, 0, MPI_BYTE, rank(to), 0, world()); }
  void receive(int from) {
    PMPI_Recv(in_.data(), bytes_, MPI_BYTE, rank(from), 0, world(), MPI_STATUS_IGNORE);
  }
  void receive_nothing(int from) {
    PMPI_Recv(nullptr, 0, MPI_BYTE, rank(from), 0, world(), MPI_STATUS_IGNORE);
  }
  void put(int to) { memory_->send(memory_->channel(rank(to)), out_.data(), out_.size(), world()); }
  void take(int from) { memory_->receive(memory_->channel(rank(from)), in_.data(), in_.size(), world()); }
  void exchange(int with) {
    PMPI_Sendrecv(out_.data(), bytes_, MPI_BYTE, rank(with), 0, in_.data(), bytes_, MPI_BYTE, rank(with), 0,
                  world(), MPI_STATUS_IGNORE);
  }

  double bursts(int messages) {
    std::vector<MPI_Request> requests(static_cast<std::size_t>(messages));
    if (!first()) {
      for (std::size_t i = 0; i < requests.size(); ++i)
        PMPI_Irecv(in_.data() + i * out_.size(), bytes_, MPI_BYTE, rank(0), 0, world(), &requests[i]);
      send_nothing(0);
      PMPI_Waitall(messages, requests.data(), MPI_STATUSES_IGNORE);
      send_nothing(0);
      return 0;
    }
    receive_nothing(1);
    return timed([&] {
      for (MPI_Request& request : requests)
        PMPI_Isend(out_.data(), bytes_, MPI_BYTE, rank(1), 0, world(), &request);
      PMPI_Waitall(messages, requests.data(), MPI_STATUSES_IGNORE);
      receive_nothing(1);
    });
  }

  double send_when_asked() {
    receive_nothing(1);
    return timed([&] { send(1); });
  }

  double send_call() {
    if (!first()) {
      MPI_Request request;
      PMPI_Irecv(in_.data(), bytes_, MPI_BYTE, rank(0), 0, world(), &request);
      send_nothing(0);
      PMPI_Wait(&request, MPI_STATUS_IGNORE);
      return 0;
    }
    return send_when_asked();
  }

  double receive_call() {
    if (!first()) {
      receive_nothing(0);
      send(0);
      return 0;
    }
    MPI_Request request;
    PMPI_Irecv(in_.data(), bytes_, MPI_BYTE, rank(1), 0, world(), &request);
    send_nothing(1);
    pause(late);
    return timed([&] { PMPI_Wait(&request, MPI_STATUS_IGNORE); });
  }

  double late_receiver() {
    if (!first()) {
      send_nothing(0);
      pause(late);
      receive(0);
      return 0;
    }
    return send_when_asked();
  }

  int others() const { return static_cast<int>(group_.size()) - 1; }

  double one_to_all() {
    if (!first()) {
      receive(0);
      send_nothing(0);
      return 0;
    }
    return timed([&] {
      std::vector<MPI_Request> requests(group_.size() - 1);
      for (int to = 1; to <= others(); ++to)
        PMPI_Isend(out_.data(), bytes_, MPI_BYTE, rank(to), 0, world(),
                   &requests[static_cast<std::size_t>(to - 1)]);
      for (int from = 1; from <= others(); ++from) receive_nothing(from);
      PMPI_Waitall(others(), requests.data(), MPI_STATUSES_IGNORE);
    });
  }

  // Data have a tag of their own, apart from the word that begins and that which ends.
  static constexpr int data_tag = 1;
  void begin_receiving(int from, std::vector<MPI_Request>& requests) {
    PMPI_Irecv(in_.data() + static_cast<std::size_t>(from) * out_.size(), bytes_, MPI_BYTE, rank(from),
               data_tag, world(), &requests.emplace_back());
  }

  double all_to_one() {
    if (!first()) {
      receive_nothing(0);
      PMPI_Send(out_.data(), bytes_, MPI_BYTE, rank(0), data_tag, world());
      return 0;
    }
    return timed([&] {
      std::vector<MPI_Request> requests;
      for (int from = 1; from <= others(); ++from) begin_receiving(from, requests);
      for (int to = 1; to <= others(); ++to) send_nothing(to);
      PMPI_Waitall(others(), requests.data(), MPI_STATUSES_IGNORE);
    });
  }

  double all_to_all() {
    const auto exchange_all = [&] {
      std::vector<MPI_Request> requests;
      for (int turn = 1; turn <= others(); ++turn)
        begin_receiving((number_ + turn) % (others() + 1), requests);
      if (first())
        for (int to = 1; to <= others(); ++to) send_nothing(to);
      else
        receive_nothing(0);
      for (int turn = 1; turn <= others(); ++turn)
        PMPI_Isend(out_.data(), bytes_, MPI_BYTE, rank((number_ + turn) % (others() + 1)), data_tag, world(),
                   &requests.emplace_back());
      PMPI_Waitall(2 * others(), requests.data(), MPI_STATUSES_IGNORE);
      if (!first()) return send_nothing(0);
      for (int from = 1; from <= others(); ++from) receive_nothing(from);
    };
    if (first()) return timed(exchange_all);
    exchange_all();
    return 0;
  }

  // The first rank gives the word in its half; the receivers are ready long before what they wait
  // for is there.
  double crossing() {
    const int half = static_cast<int>(group_.size()) / 2;
    std::vector<MPI_Request> requests(static_cast<std::size_t>(half));
    if (number_ >= half) {
      for (int from = 0; from < half; ++from)
        PMPI_Irecv(in_.data() + static_cast<std::size_t>(from) * out_.size(), bytes_, MPI_BYTE, rank(from), 0,
                   world(), &requests[static_cast<std::size_t>(from)]);
      PMPI_Waitall(half, requests.data(), MPI_STATUSES_IGNORE);
      send_nothing(0);
      return 0;
    }
    const auto send_to_all = [&] {
      for (int to = 0; to < half; ++to)
        PMPI_Isend(out_.data(), bytes_, MPI_BYTE, rank(half + to), 0, world(),
                   &requests[static_cast<std::size_t>(to)]);
      PMPI_Waitall(half, requests.data(), MPI_STATUSES_IGNORE);
    };
    if (!first()) {
      receive_nothing(0);
      send_to_all();
      return 0;
    }
    std::vector<MPI_Request> words(requests.size());
    return timed([&] {
      for (int other = 1; other < half; ++other) send_nothing(other);
      for (int from = 0; from < half; ++from)
        PMPI_Irecv(nullptr, 0, MPI_BYTE, rank(half + from), 0, world(),
                   &words[static_cast<std::size_t>(from)]);
      send_to_all();
      PMPI_Waitall(half, words.data(), MPI_STATUSES_IGNORE);
    });
  }

  Experiment experiment_;
  HostMemory* memory_;
  const std::vector<Rank>& group_;
  int bytes_, number_;
  std::vector<char> out_, in_;
};

// Nanoseconds a byte are too short for one call.
double time_to_combine(MPI_Op operation, MPI_Datatype type) {
  constexpr int bytes = 1 << 15;
  int size = 0;
  PMPI_Type_size(type, &size);
  std::vector<double> in(bytes / sizeof(double)), into(bytes / sizeof(double));
  std::vector<double> samples;
  for (int repetition = 0; repetition < 21; ++repetition) {
    const double begin = PMPI_Wtime();
    for (int call = 0; call < 8; ++call)
      PMPI_Reduce_local(in.data(), into.data(), bytes / size, type, operation);
    samples.push_back((PMPI_Wtime() - begin) / 8 / bytes);
  }
  return median(std::move(samples));
}

}  // namespace

std::vector<double> run_experiment(Communicator& everybody, Experiment experiment,
                                   const std::vector<std::vector<Rank>>& groups, std::size_t bytes,
                                   int repetitions) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto mine = std::find_if(groups.begin(), groups.end(), [&](const std::vector<Rank>& group) {
    return std::find(group.begin(), group.end(), rank) != group.end();
  });
  std::vector<double> seconds(groups.size());
  if (experiment == Experiment::in_memory) everybody.share_memory();
  HostMemory* const memory = everybody.memory();
  Trees(everybody).largest(0.0);  // nobody begins before all are here
  if (mine != groups.end() && (experiment != Experiment::in_memory || memory)) {
    Member member(experiment, *mine, bytes, rank, memory);
    std::vector<double> samples;
    member.run();  // connections are made at the first message
    for (int repetition = 0; repetition < repetitions; ++repetition) samples.push_back(member.run());
    if (mine->front() == rank)
      seconds[static_cast<std::size_t>(mine - groups.begin())] = median(std::move(samples));
  }
  return Trees(everybody).largest(seconds);  // one rank of a group has measured, the others have 0
}

std::vector<Combination> measure_combining() {
  std::vector<Combination> all;
  for (const auto& [operation_name, operation] :
       {std::pair("MPI_SUM", MPI_SUM), {"MPI_PROD", MPI_PROD}, {"MPI_MIN", MPI_MIN}, {"MPI_MAX", MPI_MAX}})
    for (const auto& [type_name, type] : {std::pair("MPI_INT", MPI_INT),
                                          {"MPI_LONG", MPI_LONG},
                                          {"MPI_FLOAT", MPI_FLOAT},
                                          {"MPI_DOUBLE", MPI_DOUBLE}})
      all.push_back({operation_name, type_name, time_to_combine(operation, type)});
  return all;
}

}  // namespace tutti::run
