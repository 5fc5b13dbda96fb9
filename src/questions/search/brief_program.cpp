#include <fmt/format.h>

#include <utility>

#include "core/mapped.hpp"
#include "core/text.hpp"
#include "dcube/core/errors.hpp"
#include "search_run.hpp"

namespace dcube {
namespace {

/// A single one would not show how rounds follow each other.
constexpr std::uint64_t brief_repeats = 2;
constexpr std::uint64_t least_repeats = 8;

/// The outermost repetitions of a program.
void find_repeats(const Params& settings, const std::string& pointer,
                  std::vector<BriefRuns::Repeats>& found) {
  for (const char* const key : {"rounds", "repeat"}) {
    const Setting* const setting = settings.find(key);
    const Setting::Number* const number = setting == nullptr ? nullptr : setting->number();
    const std::uint64_t repeats =
        number == nullptr ? 0 : parsed<std::uint64_t>(number->text).value_or(0);
    if (repeats >= least_repeats) {
      found.push_back({fmt::format("{}/{}", pointer, key), repeats, brief_repeats});
      return;
    }
  }
  const Setting* const phases = settings.find("phases");
  const Setting::List* const list = phases == nullptr ? nullptr : phases->list();
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    if (const Params* const phase = (*list)[i].group()) {
      find_repeats(*phase, fmt::format("{}/phases/{}", pointer, i), found);
    }
  }
}

}  // namespace

std::uint64_t messages_of(const Traffic& traffic) {
  return sum_of(traffic.flows(), &Flow::messages);
}

std::optional<BriefScenario> brief_scenario(const Scenario& whole, std::uint64_t messages,
                                            SearchWatch& watch) {
  constexpr double most_share = 0.3;
  const Setting* const program = whole.document.find("program");
  if (program == nullptr || program->group() == nullptr) {
    return std::nullopt;
  }
  BriefRuns runs;
  find_repeats(*program->group(), "/program", runs.repeats);
  if (runs.repeats.empty()) {
    return std::nullopt;
  }
  const auto changes = mapped(runs.repeats, [](const BriefRuns::Repeats& one) {
    return Override{one.setting, std::to_string(one.brief)};
  });
  try {
    Scenario scenario = build_scenario(whole.document, whole.source, changes);
    const std::optional<RecordedTraffic> recorded = recorded_traffic(scenario, watch);
    if (!recorded) {
      return std::nullopt;
    }
    runs.share =
        static_cast<double>(messages_of(recorded->traffic)) / static_cast<double>(messages);
    if (!(runs.share > 0 && runs.share <= most_share)) {  // or no program sends anything
      return std::nullopt;
    }
    return BriefScenario{std::move(scenario), std::move(runs)};
  } catch (const InputError&) {
    return std::nullopt;  // it makes no sense so short
  }
}

}  // namespace dcube
