#include "cores.hpp"

namespace dcube::detail {

Cores::Cores(const NodeModel& node, std::span<const NodeId> map) {
  if (!node.cores || *node.cores >= node.slots) {
    return;
  }
  std::map<NodeId, std::uint32_t> processes;
  for (const NodeId host : map) {
    ++processes[host];
  }
  for (const auto& [host, count] : processes) {
    if (count > *node.cores) {
      Node& scarce = nodes_[host];
      for (std::uint32_t core = 0; core < *node.cores; ++core) {
        scarce.cores.push({});
      }
    }
  }
}

void Cores::ask(NodeId node, ProcessId process, Ticks ready, Ticks duration) {
  nodes_.at(node).ready.push({ready, process, duration});
}

void Cores::serve(Ticks now, const std::function<void(ProcessId, Ticks, ProcessId)>& start,
                  const std::function<void(NodeId, Ticks)>& call_again) {
  for (const NodeId host : asked_) {
    Node& node = nodes_.at(host);
    while (!node.ready.empty() && node.ready.top().time <= now && node.cores.top().free_at <= now) {
      const Ready next = node.ready.top();
      const Core core = node.cores.top();
      node.ready.pop();
      node.cores.pop();
      node.cores.push({checked_add(now, next.duration), next.process, true});
      start(next.process, next.duration, core.was_used ? core.last : next.process);
    }
    if (!node.ready.empty() && node.ready.top().time <= now) {
      call_again(host, node.cores.top().free_at);
    }
  }
  asked_.clear();
}

}  // namespace dcube::detail
