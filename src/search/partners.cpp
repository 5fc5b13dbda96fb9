#include "partners.hpp"

#include <algorithm>
#include <numeric>

namespace dcube {
namespace {

/// What each process receives, ascending by sender: flows are ascending by (from, to).
struct Received {
  std::vector<std::size_t> first;  ///< by receiver; one more at the end
  std::vector<Partner> flows;
};

Received received(const Traffic& traffic, bool by_bytes) {
  Received result{std::vector<std::size_t>(traffic.process_count() + std::size_t{2}),
                  std::vector<Partner>(traffic.flows().size())};
  // Counts two places ahead, so that filling in moves every entry to where its process begins.
  for (const Flow& flow : traffic.flows()) {
    ++result.first[flow.to.index() + std::size_t{2}];
  }
  std::partial_sum(result.first.begin(), result.first.end(), result.first.begin());
  for (const Flow& flow : traffic.flows()) {
    result.flows[result.first[flow.to.index() + std::size_t{1}]++] = {flow.from,
                                                                      by_bytes ? flow.bytes : 1};
  }
  return result;
}

}  // namespace

Partners::Partners(const Traffic& traffic, Objective objective) {
  const bool by_bytes = objective == Objective::hop_bytes || objective == Objective::link_load;
  const Received in = received(traffic, by_bytes);
  const std::span<const Flow> out = traffic.flows();
  std::size_t sent = 0;
  first_.push_back(0);
  partners_.reserve(out.size());
  for (std::uint32_t process = 0; process < traffic.process_count(); ++process) {
    std::size_t got = in.first[process];
    const std::size_t end = in.first[process + std::size_t{1}];
    while (true) {
      const bool sends = sent < out.size() && out[sent].from.index() == process;
      const bool gets = got < end;
      if (!sends && !gets) {
        break;
      }
      const bool takes_sent = sends && (!gets || out[sent].to <= in.flows[got].process);
      const bool takes_got = gets && (!sends || in.flows[got].process <= out[sent].to);
      Partner partner{takes_sent ? out[sent].to : in.flows[got].process};
      if (takes_sent) {
        partner.weight += by_bytes ? out[sent].bytes : 1;
        total_weight_ += by_bytes ? out[sent].bytes : 1;
        ++sent;
      }
      if (takes_got) {
        partner.weight += in.flows[got++].weight;
      }
      partners_.push_back(partner);
    }
    first_.push_back(partners_.size());
  }
}

std::size_t Partners::most_partners() const {
  std::size_t most = 0;
  for (std::uint32_t process = 0; process < process_count(); ++process) {
    most = std::max(most, of(process).size());
  }
  return most;
}

}  // namespace dcube
