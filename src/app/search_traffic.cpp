#include "search_traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <type_traits>
#include <vector>

#include "child_batch.hpp"
#include "dcube/engine/observer.hpp"
#include "progress.hpp"

namespace dcube::app {
namespace {

/// The only place that reads traffic from a file: lines "from,to,bytes" or "from,to,bytes,messages"
/// below an optional header, blank lines and # comments apart.
class TrafficReader {
 public:
  explicit TrafficReader(const std::string& file) : file_{file} {}

  Traffic read() {
    std::ifstream stream{file_};
    if (!stream) {
      throw InputError("--traffic", fmt::format("{} is neither a process shape (cube:8, mesh:4x4) "
                                                "nor a file that can be read",
                                                file_));
    }
    for (std::string line; std::getline(stream, line);) {
      ++line_number_;
      if (!line.empty() && line.back() == '\r') {
        line.pop_back();
      }
      const bool is_header = line_number_ == 1 && line.starts_with("from,");
      if (!line.empty() && line.front() != '#' && !is_header) {
        read_flow(line);
      }
    }
    if (flows_.empty()) {
      throw InputError(file_, "no flows (lines of from,to,bytes)");
    }
    return at(file_, [&] { return Traffic{processes_, std::move(flows_)}; });
  }

 private:
  void read_flow(const std::string& line) {
    std::vector<std::uint64_t> fields;
    std::istringstream stream{line};
    for (std::string field; std::getline(stream, field, ',');) {
      fields.push_back(number(field));
    }
    if (fields.size() != 3 && fields.size() != 4) {
      reject(fmt::format("{} fields (from,to,bytes or from,to,bytes,messages)", fields.size()));
    }
    constexpr std::uint64_t most_processes = 1'000'000;
    if (std::max(fields[0], fields[1]) >= most_processes) {
      reject(fmt::format("a process above {}", most_processes - 1));
    }
    processes_ =
        std::max(processes_, static_cast<std::uint32_t>(std::max(fields[0], fields[1]) + 1));
    flows_.push_back({ProcessId{static_cast<std::uint32_t>(fields[0])},
                      ProcessId{static_cast<std::uint32_t>(fields[1])}, fields[2],
                      fields.size() == 4 ? fields[3] : 1});
  }

  std::uint64_t number(std::string_view field) const {
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc{} || stop != field.data() + field.size()) {
      reject(fmt::format("{} is not a whole number of 0 or more",
                         Setting{std::string{field}}.describe()));
    }
    return value;
  }

  [[noreturn]] void reject(const std::string& problem) const {
    throw InputError(fmt::format("{}: line {}", file_, line_number_), problem);
  }

  std::string file_;
  std::size_t line_number_ = 0;
  std::uint32_t processes_ = 0;
  std::vector<Flow> flows_;
};

std::vector<std::uint64_t> read_weights(const std::string& text, std::size_t dimensions) {
  std::vector<std::uint64_t> weights;
  if (text == "doubling" || text == "halving") {
    if (dimensions > 62) {
      throw InputError("--weights", fmt::format("{} has no more than 62 steps", text));
    }
    for (std::size_t i = 0; i < dimensions; ++i) {
      weights.push_back(std::uint64_t{1} << i);
    }
    if (text == "halving") {
      std::ranges::reverse(weights);
    }
    return weights;
  }
  Params params = at("--weights", [&] { return Params::parse("weights=[" + text + "]"); });
  for (const std::uint32_t weight : at("--weights", [&] {
         return params.non_negative_ints("weights",
                                         "a weight (doubling, halving or whole numbers)");
       })) {
    weights.push_back(weight);
  }
  if (weights.size() != dimensions) {
    throw InputError("--weights", fmt::format("{} weights for {} dimensions; give one for each",
                                              weights.size(), dimensions));
  }
  return weights;
}

std::string sent_flows(const std::vector<Flow>& flows) {
  static_assert(std::is_trivially_copyable_v<Flow>);
  std::string bytes(flows.size() * sizeof(Flow), '\0');
  if (!flows.empty()) {
    std::memcpy(bytes.data(), flows.data(), bytes.size());
  }
  return bytes;
}

std::vector<Flow> received_flows(const std::string& bytes) {
  std::vector<Flow> flows(bytes.size() / sizeof(Flow));
  if (!flows.empty()) {
    std::memcpy(flows.data(), bytes.data(), flows.size() * sizeof(Flow));
  }
  return flows;
}

/// Adds up what each process sends every other; a run may have far more messages than pairs.
class FlowRecorder final : public Observer {
 public:
  explicit FlowRecorder(std::uint32_t processes) : processes_{processes} {}

  void on_delivery(const Delivery& delivery) override {
    if (std::max(delivery.source, delivery.destination).index() >= processes_) {
      return;  // the host computer stays where it is
    }
    flows_.push_back({delivery.source, delivery.destination, delivery.bytes, 1});
    if (flows_.size() >= next_merge_) {
      merge();
      next_merge_ = std::max<std::size_t>(2 * flows_.size(), std::size_t{1} << 20);
    }
  }

  std::vector<Flow> take() {
    merge();
    return std::move(flows_);
  }

 private:
  void merge() {
    const Traffic merged{processes_, std::move(flows_)};
    flows_.assign(merged.flows().begin(), merged.flows().end());
  }

  std::uint32_t processes_;
  std::size_t next_merge_ = std::size_t{1} << 20;
  std::vector<Flow> flows_;
};

std::string record(const ScenarioOptions& options) {
  Scenario scenario = load(options);
  FlowRecorder recorder{scenario.program->guest().process_count()};
  const RunResult result = run_scenario(scenario, &recorder);
  if (result.report.outcome != Outcome::completed) {
    throw InputError(options.file, fmt::format("its run ends in {}, so it shows no whole traffic",
                                               to_string(result.report.outcome)));
  }
  return sent_flows(recorder.take());
}

}  // namespace

NamedTraffic traffic_option(const std::string& shape_or_file, const std::string& weights) {
  const bool is_shape =
      shape_or_file.find(':') != std::string::npos && !std::filesystem::exists(shape_or_file);
  if (!is_shape) {
    if (!weights.empty()) {
      throw InputError("--weights",
                       "a file has its own weights (for process shapes such as cube:8)");
    }
    return {shape_or_file, std::nullopt, TrafficReader{shape_or_file}.read()};
  }
  const Guest guest = at("--traffic", [&] { return Guest::parse(shape_or_file); });
  if (weights.empty()) {
    return {guest.name(), guest, at("--traffic", [&] { return Traffic::of(guest); })};
  }
  const auto by_dimension = read_weights(weights, guest.dimension_count());
  return {fmt::format("{}, weights {}", guest.name(), weights), guest,
          at("--weights", [&] { return Traffic::of(guest, by_dimension); })};
}

std::optional<NamedTraffic> recorded_traffic(const ScenarioOptions& options,
                                             const Scenario& scenario,
                                             const InterruptWatch& interrupt) {
  const Guest guest = scenario.program->guest();
  Progress progress{ProgressOutput::on_terminal, "recording the traffic"};
  const auto results = run_in_children({[&] { return record(options); }}, BatchLimits{}, interrupt,
                                       [&](std::size_t) { progress.show("simulating"); });
  const ChildResult& result = results.front();
  if (result.end == ChildEnd::interrupted) {
    return std::nullopt;
  }
  if (result.end != ChildEnd::finished) {
    throw InputError(options.file, fmt::format("no traffic to place ({})", result.problem));
  }
  return NamedTraffic{std::string{scenario.program->kind()}, guest,
                      Traffic{guest.process_count(), received_flows(result.output)}};
}

}  // namespace dcube::app
