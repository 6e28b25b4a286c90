#pragma once

#include <queue>

#include "network/ports.hpp"

namespace tutti {

/// One message at a time through each port, first come, first served.
class PortsInTurn final : public Ports {
 public:
  explicit PortsInTurn(int ports) : ports_(static_cast<std::size_t>(ports)) {}
  void hand_over(const Transfer& transfer) override;
  const std::vector<Delivery>& advance() override;
  bool idle() const override { return queue_.empty(); }

 private:
  struct Port {
    double free = 0;
    int last = Delivery::nothing;  // message
  };
  struct Waiting {
    double start;
    long order;
    Transfer transfer;
    bool operator<(const Waiting& other) const {
      return start != other.start ? start > other.start : order > other.order;
    }
  };
  static std::size_t index(int port) { return static_cast<std::size_t>(port); }
  double earliest_start(const Transfer& transfer) const;

  std::vector<Port> ports_;
  std::priority_queue<Waiting> queue_;
  long order_ = 0;
  std::vector<Delivery> deliveries_;
};

}  // namespace tutti
