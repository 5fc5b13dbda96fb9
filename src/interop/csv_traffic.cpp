#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "catalog.hpp"
#include "core/csv_columns.hpp"
#include "core/refuse.hpp"
#include "flows.hpp"

namespace dcube {
namespace csv_traffic {
namespace {

const std::array<std::string, 4> traffic_columns{"from", "to", "bytes", "messages"};

constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t most_process = std::numeric_limits<std::uint32_t>::max() - 1;

std::string write(const Traffic& traffic) {
  std::string text = "from,to,bytes,messages\n";
  std::uint32_t processes = 0;
  for (const Flow& flow : traffic.flows()) {
    text +=
        fmt::format("{},{},{},{}\n", flow.from.index(), flow.to.index(), flow.bytes, flow.messages);
    processes = std::max({processes, flow.from.index() + 1, flow.to.index() + 1});
  }
  if (processes < traffic.process_count()) {  // shows that the last process exists
    const std::uint32_t last = traffic.process_count() - 1;
    text += fmt::format("{},{},0,0\n", last, last);
  }
  return text;
}

Traffic read(std::string_view text, const std::string& file) {
  Scanner scanner{text, file, '#'};
  CsvColumns columns{scanner, traffic_columns, 3};
  const auto process = [&](std::size_t column) {
    return ProcessId{static_cast<std::uint32_t>(
        scanner.whole(columns.cell(column), 0, most_process, "a process (a whole number)"))};
  };
  std::vector<Flow> flows;
  std::uint32_t processes = 0;
  while (columns.next_row()) {
    Flow flow{process(0), process(1)};
    flow.bytes = scanner.whole(columns.cell(2), 0, most, "a number of bytes (0 to 2^63-1)");
    flow.messages = columns.has(3) ? scanner.whole(columns.cell(3), 0, most,
                                                   "a number of messages (0 to 2^63-1)")
                                   : 1;
    processes = std::max({processes, flow.from.index() + 1, flow.to.index() + 1});
    flows.push_back(flow);
  }
  refuse_if(processes == 0, file, "holds no traffic (rows from,to,bytes,messages)");
  return traffic_of(file, processes, std::move(flows));
}

}  // namespace
}  // namespace csv_traffic

const TrafficFormat csv_traffic_format{
    "csv",
    "table of bytes and messages from process to process",
    "dcube run scenarios/quickstart.json --write traffic:csv:x.csv",
    ".csv",
    csv_traffic::write,
    csv_traffic::read};

}  // namespace dcube
