#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "dcube/collective/background.hpp"
#include "process.hpp"

namespace dcube::python {

Answer answer_of(Received received);
Answer answer_of(Payload payload);
/// The payload that a collective gives its process.
Payload values_for(const CollectiveAction& collective);

/// Collectives that a process has started and not waited for.
class StartedCollectives {
 public:
  explicit StartedCollectives(const Process& process) : process_{process}, background_{process} {}

  /// Whether none is under way.
  bool is_idle() const { return background_.is_idle(); }
  Task<std::uint64_t> start(std::unique_ptr<CollectiveAction> action);
  /// The result is values_for() or nothing.
  Task<Payload> wait(std::uint64_t number);
  /// Awaits what the process has asked for while collectives go on. Nothing: they rest meanwhile.
  Task<std::optional<Answer>> beside(Action& action);

 private:
  struct Held {
    std::unique_ptr<CollectiveAction> action{};
    Background::Started started{};
  };

  Process process_;
  Background background_;
  std::map<std::uint64_t, Held> held_;
  std::uint64_t next_ = 0;
};

}  // namespace dcube::python
