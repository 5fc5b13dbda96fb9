#include "process_table.hpp"

#include <fmt/format.h>

#include "app/terminal/table.hpp"

namespace dcube::app {
namespace {

std::string waiting_text(const std::vector<Interval>& waits) {
  std::vector<std::string> texts;
  texts.reserve(waits.size());
  for (const Interval& wait : waits) {
    texts.push_back(fmt::format("[{}, {})", format_time(wait.begin), format_time(wait.end)));
  }
  return fmt::format("{}", fmt::join(texts, " "));
}

}  // namespace

ProcessRecords::ProcessRecords(std::uint32_t process_count, std::uint32_t stage_count)
    : stage_count_{stage_count}, records_(process_count) {
  for (Record& record : records_) {
    record.stage_ends.resize(stage_count, "-");
  }
}

void ProcessRecords::on_interval(const Interval& interval) {
  if (interval.activity == Activity::waiting) {
    records_[interval.process.index()].waits.push_back(interval);
  }
}

void ProcessRecords::on_stage_end(ProcessId process, std::uint32_t stage, Ticks time) {
  records_[process.index()].stage_ends[stage] = format_time(time);
}

std::string ProcessRecords::table(const Embedding& embedding, const RunReport& report) const {
  std::vector<Table::Column> columns{{"process"}, {"node"}};
  for (std::uint32_t stage = 0; stage < stage_count_; ++stage) {
    columns.push_back({fmt::format("stage {}", stage)});
  }
  columns.push_back({"end"});
  columns.push_back({"waiting", Table::Align::left});
  Table table{columns};
  for (std::uint32_t i = 0; i < records_.size(); ++i) {
    const Record& record = records_[i];
    const bool is_host = i >= embedding.process_count();
    std::vector<std::string> cells{
        std::to_string(i),
        is_host ? "host" : std::to_string(embedding.node_of(ProcessId{i}).index())};
    cells.insert(cells.end(), record.stage_ends.begin(), record.stage_ends.end());
    cells.push_back(i < report.process_ends.size() ? format_time(report.process_ends[i]) : "-");
    cells.push_back(waiting_text(record.waits));
    table.add_row(std::move(cells));
  }
  return table.text();
}

}  // namespace dcube::app
