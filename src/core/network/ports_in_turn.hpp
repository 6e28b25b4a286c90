#pragma once

#include <compare>
#include <queue>
#include <tuple>

#include "core/network/ports.hpp"

namespace tutti::inline core {

/// One message at a time through each port, first come, first served. A gate lets the next one in
/// when it has been busy for as long as its rate says; where that is longer than a message takes by
/// itself, this keeps its ports busy, too. A port that carries several messages at a time lets the
/// next one start after that part of the time.
///
/// What finds a port busy stands in line at the one that keeps it longest. Of a line only the first
/// one is looked at when the port is free; if it then has to wait for its other port it goes to
/// stand there.
class PortsInTurn final : public Ports {
 public:
  explicit PortsInTurn(int ports, const WidePorts& wide = {})
      : ports_(static_cast<std::size_t>(ports)), wide_(wide) {}
  void hand_over(const Transfer& transfer) override;
  const std::vector<Delivery>& advance() override;
  bool idle() const override { return coming_.empty() && turns_.empty(); }

 private:
  // In the order in which things are looked at.
  struct Place {
    double start, ready;
    std::uint64_t precedence;
    long order;
    auto operator<=>(const Place&) const = default;
  };
  // Nothing has kept it so far.
  struct Coming {
    Place place;
    Transfer transfer;
    bool operator<(const Coming& other) const { return place > other.place; }
  };
  struct InLine {
    double ahead;  // seconds before its port is free it may start: on the way it keeps none busy
    long order;
    Transfer transfer;
    auto key() const { return std::tuple(-ahead, transfer.ready, transfer.precedence, order); }
    bool operator<(const InLine& other) const { return key() > other.key(); }
  };
  struct Port {
    double free = 0;
    int last = Delivery::nothing;  // message
    std::priority_queue<InLine> line;
  };
  // The first in a port's line.
  struct Turn {
    Place place;
    int port;
    bool operator<(const Turn& other) const { return place > other.place; }
  };
  // Where a message has to wait longest.
  struct Hold {
    int port;
    double ahead;  // as in a line
    double until;  // the message can't start before
  };
  Port& port(int number) { return ports_[static_cast<std::size_t>(number)]; }
  const Port& port(int number) const { return ports_[static_cast<std::size_t>(number)]; }
  void make_room(int port);
  double carries(int port, double at) const;
  Hold hold_of(const Transfer& transfer) const;
  void look_at(const Transfer& transfer, const Place& place);
  Place first_of(const Port& port) const;
  void call_next(int port);
  void start(const Transfer& transfer, double at);

  std::vector<Port> ports_;
  WidePorts wide_;
  std::priority_queue<Coming> coming_;
  std::priority_queue<Turn> turns_;
  long order_ = 0;
  std::vector<Delivery> deliveries_;
};

}  // namespace tutti::inline core
