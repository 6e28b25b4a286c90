#pragma once

#include <queue>

#include "core/network/ports.hpp"

namespace tutti::inline core {

/// Messages side by side: each goes at its share of the busiest of its ports, or at the full rate
/// where ports are unlimited, which gates are not. A port gives every message as much as any other,
/// but none more than its own rate. What one port could give and another can't take is lost to
/// third messages.
class SharedPorts final : public Ports {
 public:
  SharedPorts(int ports, bool unlimited, const WidePorts& wide = {})
      : ports_(static_cast<std::size_t>(ports)), unlimited_(unlimited), wide_(wide) {}
  void hand_over(const Transfer& transfer) override;
  const std::vector<Delivery>& advance() override;
  bool idle() const override { return under_way_ == 0; }

 private:
  struct Flow {
    Transfer transfer;
    double left;       // seconds at the full rate
    double rate = 0;   // of the full one
    double since = 0;  // `left` is of then
    int version = 0;   // events of earlier ones are void
    bool flows = false, was_delayed = false;
    int held_at = Delivery::nothing;  // the port that last gave it less than the full rate
  };
  // What a message may do, and the port that is the reason where that is less than the full rate.
  struct Pace {
    double rate;
    int held_at;
  };
  struct Event {
    double time;
    int flow, version;
    bool operator<(const Event& other) const { return time > other.time; }
  };
  struct Use {
    int flow;
    double share;  // of the port, at the flow's full rate
  };
  struct Port {
    std::vector<Use> uses;
    double level = 1;  // the share that everybody may have
    bool changed = false;
  };
  Port& port(int number) { return ports_[static_cast<std::size_t>(number)]; }
  Flow& flow(int number) { return flows_[static_cast<std::size_t>(number)]; }
  void begin(int number, double now);
  void end(int number, double now);
  void change(const Transfer& transfer);
  template <typename Visit>
  static void for_each_port(const Transfer& transfer, Visit visit);
  template <typename Visit>
  static void for_each_gate(const Transfer& transfer, Visit visit);
  template <typename Visit>
  static void for_each_use(const Transfer& transfer, Visit visit);
  void make_room(int port);
  static double level(const std::vector<Use>& uses, double carries);
  double carries(int port) const;
  void share_anew(double now);
  bool meets_other_direction(const Transfer& transfer);
  Pace pace_of(const Transfer& transfer);

  std::vector<Port> ports_;
  bool unlimited_;
  WidePorts wide_;
  std::vector<Flow> flows_;
  std::vector<int> unused_;   // flows
  std::vector<int> changed_;  // ports
  std::priority_queue<Event> events_;
  int under_way_ = 0;
  std::vector<Delivery> deliveries_;
};

}  // namespace tutti::inline core
