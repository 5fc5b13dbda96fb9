#include "random_costs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>

#include "dcube/collective/calls.hpp"

namespace dcube::testing {

TransferCost random_cost(Draw& draw, Ticks unit) {
  const auto fixed = static_cast<Ticks::rep>(draw.below(4));
  const auto per_byte = static_cast<Ticks::rep>(draw.below(3));
  return {ExactTime{fixed * unit}, ExactTime{per_byte * unit}};
}

EndpointModel random_endpoint(Draw& draw, Ticks unit, std::uint32_t bytes) {
  EndpointModel endpoint;
  if (draw.one_in(2)) {
    endpoint.send = random_cost(draw, unit);
    endpoint.receive = random_cost(draw, unit);
  }
  if (draw.one_in(4)) {
    endpoint.gap = random_cost(draw, unit);
  }
  if (draw.one_in(3)) {
    endpoint.eager_limit_bytes = draw.below(4) * bytes;
  }
  for (std::uint32_t above = 0; above < 6 && draw.one_in(above == 0 ? 4 : 2); above += 3) {
    endpoint.larger.push_back(
        {(above + draw.below(3)) * bytes, random_cost(draw, unit), random_cost(draw, unit)});
  }
  SeveralPorts& several = endpoint.several_ports;
  for (std::optional<ExactTime>* const time :
       {&several.combine, &several.combine_per_byte, &several.copy_per_byte, &several.plan}) {
    if (draw.one_in(2)) {
      time->emplace();
    }
  }
  for_each_cost_of_collectives(endpoint, [&](ExactTime& time) {
    time = ExactTime{static_cast<Ticks::rep>(draw.one_in(3) ? 0 : draw.below(20)) * unit};
  });
  several.in_step = draw.one_in(2);
  several.threads = draw.one_in(2);
  return endpoint;
}

namespace {

/// Sides whose product that is.
std::vector<std::uint32_t> random_sides(Draw& draw, std::uint32_t size) {
  std::vector<std::uint32_t> sides;
  for (std::uint32_t side = 2; size > 1; side = size % side == 0 ? side : side + 1) {
    if (size % side != 0) {
      continue;
    }
    size /= side;
    if (sides.empty() || draw.one_in(2)) {
      sides.push_back(side);
    } else {
      sides.back() *= side;
    }
  }
  return sides;
}

std::vector<std::uint64_t> random_counts(Draw& draw, std::uint32_t size, std::uint32_t bytes) {
  std::vector<std::uint64_t> counts;
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    counts.push_back(std::uint64_t{draw.below(5)} * bytes);
  }
  return counts;
}

/// Wraps around some sides shift other coordinates.
std::vector<std::uint32_t> random_twist(Draw& draw, std::span<const std::uint32_t> sides) {
  std::vector<std::uint32_t> twist;
  const auto shifted = draw.below(static_cast<std::uint32_t>(sides.size()));
  for (std::uint32_t from = 0; from < sides.size(); ++from) {
    for (std::uint32_t to = 0; to < sides.size(); ++to) {
      const bool shifts = from != shifted && to == shifted && sides[from] > 1;
      twist.push_back(shifts ? draw.below(sides[to]) : 0);
    }
  }
  return twist;
}

/// What a call of the kind names, if anything.
CallNumbers random_numbers(Draw& draw, const CollectiveCall& call, std::uint32_t size,
                           std::uint32_t bytes) {
  CallNumbers numbers;
  if (call.kind == CollectiveKind::all_to_allv) {
    numbers.received.resize(size);
    for (std::uint32_t rank = 0; rank < size; ++rank) {
      numbers.sent.push_back(random_counts(draw, size, bytes));
      for (std::uint32_t partner = 0; partner < size; ++partner) {
        numbers.received[partner].push_back(numbers.sent[rank][partner]);
      }
    }
  } else if (has_shares(call.kind) && draw.one_in(2)) {
    numbers.shares = random_counts(draw, size, bytes);
  }
  if (!call.options.sides.sides().empty() && draw.one_in(3)) {
    numbers.twist = random_twist(draw, call.options.sides.sides());
  }
  return numbers;
}

}  // namespace

CollectiveCall RandomCall::of(std::uint32_t rank) const {
  CollectiveCall given = call;
  if (call.kind == CollectiveKind::all_to_allv) {
    given.send_counts = numbers->sent[rank];
    given.receive_counts = numbers->received[rank];
  }
  return given;
}

RandomCall random_call(Draw& draw, std::uint32_t size, std::uint32_t bytes) {
  const auto one_of = [&draw](const auto& list) {
    return list[draw.below(static_cast<std::uint32_t>(list.size()))];
  };
  CollectiveCall call;
  CollectiveOptions& options = call.options;
  const CollectiveAlgorithm* algorithm = nullptr;
  std::shared_ptr<const CallNumbers> numbers;
  do {
    call.kind = one_of(collective_kinds());
    algorithm = one_of(collective_catalog(call.kind));
    call.root = has_root(call.kind) ? draw.below(size) : 0;
    options.sides = TorusSides{};
    if (algorithm->needs.sides && draw.one_in(2)) {
      options.sides = TorusSides{random_sides(draw, size)};
    }
    options.node_size = draw.one_in(2) ? 1 : 1 + draw.below(size);
    numbers = std::make_shared<CallNumbers>(random_numbers(draw, call, size, bytes));
    call.counts = numbers->shares;
    options.twist = numbers->twist;
  } while (collective_obstacle(*algorithm, call, size));
  options.algorithm = algorithm->name;
  options.ports = 0;
  const std::uint32_t most = ports_for(*algorithm, call);
  options.ports = draw.one_in(4) ? 1 : draw.below(most + 1);
  options.sends_block = draw.one_in(6);
  options.element_bytes = 1 + draw.below(2);
  options.segment_bytes = draw.one_in(2) ? 0 : (1 + draw.below(4)) * bytes;
  options.distances = draw.one_in(2) ? TreeDistances::halving : TreeDistances::doubling;
  options.radix = 2 + draw.below(3);
  options.child_by_child = draw.one_in(3);
  call.count = (1 + draw.below(6)) * bytes;
  if (reduces(call.kind) && draw.one_in(3)) {
    options.compute = ExactTime{Ticks{1 + draw.below(3)}};
  }
  if (draw.one_in(2)) {
    options.copies = draw.below(3);
  }
  options.serial_copies = draw.below(3);
  options.serial_parts = options.serial_copies == 1 ? 1 + draw.below(3) : 1;
  options.exchanges = draw.below(3);
  options.plans = draw.below(3);
  options.sends_pieces = draw.one_in(2);
  return {call, std::move(numbers)};
}

namespace {

std::string quoted(const ExactTime& time) {
  return fmt::format(R"("{}ps")", Ticks{time.numerator() / time.denominator()}.count());
}

std::string message_costs(const TransferCost& send, const TransferCost& receive) {
  return fmt::format(R"("send": {}, "send_per_byte": {}, "receive": {}, "receive_per_byte": {})",
                     quoted(send.fixed), quoted(send.per_byte), quoted(receive.fixed),
                     quoted(receive.per_byte));
}

}  // namespace

std::string endpoint_json(const EndpointModel& endpoint) {
  std::vector<std::string> keys{message_costs(endpoint.send, endpoint.receive)};
  const auto add = [](std::vector<std::string>& to, const char* key, const ExactTime& time) {
    to.push_back(fmt::format(R"("{}": {})", key, quoted(time)));
  };
  add(keys, "gap", endpoint.gap.fixed);
  add(keys, "gap_per_byte", endpoint.gap.per_byte);
  if (endpoint.eager_limit_bytes) {
    keys.push_back(fmt::format(R"("eager_limit": {})", *endpoint.eager_limit_bytes));
  }
  std::vector<std::string> steps;
  for (const EndpointStep& step : endpoint.larger) {
    steps.push_back(
        fmt::format(R"({{"above": {}, {}}})", step.above, message_costs(step.send, step.receive)));
  }
  if (!steps.empty()) {
    keys.push_back(fmt::format(R"("larger": [{}])", fmt::join(steps, ", ")));
  }
  add(keys, "call", endpoint.call);
  add(keys, "call_per_port", endpoint.call_per_port);
  add(keys, "combine", endpoint.combine);
  add(keys, "combine_per_byte", endpoint.combine_per_byte);
  add(keys, "copy_per_byte", endpoint.copy_per_byte);
  add(keys, "plan", endpoint.plan);
  add(keys, "piece", endpoint.piece);
  add(keys, "exchange", endpoint.exchange);
  const SeveralPorts& several = endpoint.several_ports;
  std::vector<std::string> of_several{fmt::format(R"("in_step": {})", several.in_step),
                                      fmt::format(R"("threads": {})", several.threads)};
  for (const auto& [key, time] : {std::pair{"combine", several.combine},
                                  {"combine_per_byte", several.combine_per_byte},
                                  {"copy_per_byte", several.copy_per_byte},
                                  {"plan", several.plan}}) {
    if (time) {
      add(of_several, key, *time);
    }
  }
  keys.push_back(fmt::format(R"("several_ports": {{{}}})", fmt::join(of_several, ", ")));
  return fmt::format("{{{}}}", fmt::join(keys, ", "));
}

std::string call_json(const RandomCall& random, std::uint32_t size) {
  const CollectiveCall& call = random.call;
  const CollectiveOptions& options = call.options;
  const std::vector<std::uint64_t>& shares = random.numbers->shares;
  const bool is_of_shares = has_shares(call.kind) || call.kind == CollectiveKind::all_to_all;
  const std::uint64_t elements =
      shares.empty() ? call.count * (is_of_shares ? size : 1)
                     : std::accumulate(shares.begin(), shares.end(), std::uint64_t{0});
  std::string text =
      fmt::format(R"({{"kind": "collective", "operation": "{}", "processes": {}, "algorithm": "{}")"
                  R"(, "ports": {}, "blocking": {}, "exchanges": {}, "plans": {}, "pieces": {})"
                  R"(, "serial_copies": )",
                  name_of(call.kind), size, options.algorithm, options.ports, options.sends_block,
                  options.exchanges, options.plans, options.sends_pieces);
  text += options.serial_copies == 1 ? fmt::format(R"("1/{}")", options.serial_parts)
                                     : std::to_string(options.serial_copies);
  if (options.compute && reduces(call.kind)) {
    text += fmt::format(R"(, "compute": {})", quoted(*options.compute));
  }
  const bool is_barrier = call.kind == CollectiveKind::barrier;
  if (!is_barrier) {
    text +=
        fmt::format(R"(, "bytes": {}, "value_bytes": {}, "segment": {})",
                    elements * options.element_bytes, options.element_bytes, options.segment_bytes);
  }
  if (has_root(call.kind)) {
    text += fmt::format(R"(, "root": {}, "distances": "{}")", call.root,
                        options.distances == TreeDistances::halving ? "halving" : "doubling");
  }
  if (call.kind == CollectiveKind::allreduce) {
    text += fmt::format(R"(, "node_size": {})", options.node_size);
  }
  if (call.kind == CollectiveKind::broadcast || call.kind == CollectiveKind::reduce) {
    text += fmt::format(R"(, "radix": {})", options.radix);
  }
  if (call.kind == CollectiveKind::allreduce || call.kind == CollectiveKind::reduce) {
    text += fmt::format(R"(, "child_by_child": {})", options.child_by_child);
  }
  if (options.copies) {
    text += fmt::format(R"(, "copies": {})", *options.copies);
  }
  if (!options.sides.sides().empty() && !is_barrier) {
    text += fmt::format(R"(, "shape": [{}])", fmt::join(options.sides.sides(), ", "));
  }
  if (!options.twist.empty() && !is_barrier) {
    std::vector<std::string> rows;
    const std::size_t sides = options.sides.sides().size();
    for (std::size_t from = 0; from < sides; ++from) {
      rows.push_back(
          fmt::format("[{}]", fmt::join(options.twist.subspan(from * sides, sides), ", ")));
    }
    text += fmt::format(R"(, "twist": [{}])", fmt::join(rows, ", "));
  }
  return text + "}";
}

}  // namespace dcube::testing
