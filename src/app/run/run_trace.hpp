#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/options/command_line.hpp"
#include "app/terminal/progress.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/trace/trace.hpp"

namespace dcube::app {

/// What part of a run is traced, as options say it.
struct TraceFilterOptions {
  std::string processes;
  std::string links;
  std::string window;
};

/// The traces of a run, as its options describe them.
struct TraceOptions {
  std::vector<std::string> targets;
  TraceFilterOptions filter;
};

/// Adds --trace-process, --trace-link and --window.
void add_trace_filter_options(Parser& parser, TraceFilterOptions& options);
/// Throws InputError.
TraceFilter trace_filter(const TraceFilterOptions& options);

/// Reads the targets of an option that may be repeated. Throws InputError, also when one file is
/// named twice.
std::vector<TraceTarget> trace_targets(const char* option, const std::vector<std::string>& texts);

/// Adds --trace and the filters.
void add_trace_options(Parser& parser, TraceOptions& options);

/// Opens the traces that are asked for; null when there are none. The scenario must outlive it.
/// Throws InputError.
std::unique_ptr<TraceRecorder> trace_recorder(const TraceOptions& options,
                                              const Scenario& scenario);

/// After the run.
void write_trace(TraceRecorder& recorder, const Scenario& scenario, const RunResult& result,
                 ListOutput lists, ProgressOutput progress);

/// Says how far the writing of a trace is.
TraceProgress trace_progress(TickingProgress& progress);

}  // namespace dcube::app
