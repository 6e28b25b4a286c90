#include "core/network/ports.hpp"

#include "core/network/ports_in_turn.hpp"
#include "core/network/shared_ports.hpp"

namespace tutti::inline core {

std::unique_ptr<Ports> make_ports(PortUse use, int ports, const WidePorts& wide) {
  if (use == PortUse::in_turn) return std::make_unique<PortsInTurn>(ports, wide);
  return std::make_unique<SharedPorts>(ports, use == PortUse::multiport, wide);
}

}  // namespace tutti::inline core
