#include "app/terminal/json_values.hpp"
#include "core/json_writing.hpp"
#include "reproduction.hpp"

namespace dcube::app {
namespace {

using nlohmann::ordered_json;

ordered_json reference_json(const Reference& reference) {
  return reference.is_range ? ordered_json{reference.low, reference.high}
                            : ordered_json(reference.low);
}

ordered_json point_json(const ExperimentPoint& point, const PointResult& result) {
  ordered_json json{{"label", point.label}};
  json[point.reference.is_printed ? "printed" : "expected"] = reference_json(point.reference);
  json["simulated"] = json_or_null(result.figure);
  json["error_percent"] = json_or_null(result.error_percent);
  json["passed"] = result.is_within_limit;
  json["problem"] = json_or_null(result.problem);
  return json;
}

ordered_json experiment_json(const Experiment& experiment, const ExperimentResult& result) {
  ordered_json json{{"name", experiment.name},
                    {"quantity", to_string(experiment.quantity)},
                    {"passed", result.has_passed},
                    {"largest_error_percent", json_or_null(result.largest_error_percent)},
                    {"limit_percent", json_or_null(experiment.limit_percent)},
                    {"mean_error_percent", json_or_null(result.mean_error_percent)},
                    {"mean_limit_percent", json_or_null(experiment.mean_limit_percent)},
                    {"points", ordered_json::array()}};
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    json["points"].push_back(point_json(experiment.points[i], result.points[i]));
  }
  return json;
}

}  // namespace

std::string reproduction_json(const Reproduction& reproduction) {
  const ExperimentFile& file = reproduction.experiments;
  ordered_json json{{"file", reproduction.file},
                    {"title", file.title},
                    {"source", file.source},
                    {"passed", reproduction.has_passed()},
                    {"experiments", ordered_json::array()}};
  for (std::size_t i = 0; i < reproduction.results.size(); ++i) {
    json["experiments"].push_back(experiment_json(file.experiments[i], reproduction.results[i]));
  }
  json["dcube"] = json_of_dcube();
  return json_layout(json);
}

}  // namespace dcube::app
