// The lines between the command and the measuring program, either way: what is accepted says itself
// again.

#include "choose/offline/worker_protocol.hpp"
#include "fuzz.hpp"

void try_text(const std::string& text) {
  using namespace tutti;
  if (const auto request = protocol::parse_request(text, 4)) {
    const std::string line = protocol::to_text(*request);
    require(line.find('\n') == line.npos);
    const auto again = protocol::parse_request(line, 4);
    require(again && protocol::to_text(*again) == line);
  } else {
    require(!request.error().message.empty());
  }
  if (const auto reply = protocol::parse_reply(text)) {
    const std::string line = protocol::to_text(*reply);
    require(line.find('\n') == line.npos && protocol::parse_reply(line));
  }
}
