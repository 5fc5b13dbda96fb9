#include "cause_chain.hpp"

#include "dcube/core/errors.hpp"

namespace dcube {

std::optional<Cause> cause_at(const CausalRecord& record, ProcessId process, Ticks time) {
  if (time == Ticks{0}) {
    return std::nullopt;
  }
  const std::optional<std::uint32_t> index = record.step_ending_at(process, time);
  expects(index.has_value(), "a chain of causes goes from the end of an interval to another");
  return Cause{process, *index};
}

std::optional<Cause> cause_before(const CausalRecord& record, const Cause& cause) {
  const CausalRecord::Step step = record.step(cause.process, cause.step);
  switch (step.activity) {
    case Activity::communication:
      return cause_at(record, step.peer, record.message(cause.process, cause.step).start);
    case Activity::waiting:
      return cause_at(record, step.peer, step.end);
    default:
      return cause.step == 0 ? std::nullopt : std::optional{Cause{cause.process, cause.step - 1}};
  }
}

}  // namespace dcube
