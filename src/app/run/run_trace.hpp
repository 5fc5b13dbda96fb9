#pragma once

#include <memory>
#include <vector>

#include "app/options/command_line.hpp"
#include "app/terminal/progress.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/trace/trace.hpp"

namespace dcube::app {

/// Adds --trace-process, --trace-link and --window.
void add_trace_filter_options(Parser& parser, TraceFilter& filter);

/// Opens the traces that are asked for; null when there are none. The scenario must outlive it.
/// Throws InputError.
std::unique_ptr<TraceRecorder> trace_recorder(const TraceFilter& filter,
                                              const std::vector<TraceTarget>& targets,
                                              const Scenario& scenario);

/// Writes the traces after the run.
void write_trace(TraceRecorder& recorder, const Scenario& scenario, const RunResult& result,
                 ListOutput lists, ProgressOutput progress);

/// Says how far the writing of a trace is.
TraceProgress trace_progress(TickingProgress& progress);

}  // namespace dcube::app
