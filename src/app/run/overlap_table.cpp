#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/mapped.hpp"
#include "dcube/scenario/phases.hpp"
#include "dcube/show/columns.hpp"
#include "dcube/show/readable.hpp"
#include "explanation_parts.hpp"

namespace dcube::app {
namespace {

constexpr std::size_t most_collectives = 12;
constexpr std::size_t most_losses = 3;

class OverlapWriter {
 public:
  OverlapWriter(const Writer& writer, const Overlap& overlap)
      : writer_{writer}, overlap_{overlap} {}

  /// "gradients: allreduce".
  std::string name(const CollectiveOverlap& of) const {
    const std::string phase = phase_name(*writer_.scenario.program, of.stage);
    return phase.empty() ? of.operation : phase + ": " + of.operation;
  }

  /// "gradients: allreduce loses 2 s to its own time, 1 s to late starts (process 3).\n"
  std::string losses(const CollectiveOverlap& of) const {
    std::vector<std::string> all;
    if (const double own_s = of.lost_s[static_cast<std::size_t>(LostTo::own_time)]; own_s > 0) {
      all.push_back(readable_seconds(own_s) + " to its own time");
    }
    using Kind = std::pair<LostTo, std::optional<std::size_t>>;
    std::vector<std::pair<Kind, std::vector<CollectiveOverlap::Loss>>> kinds;  // longest first
    for (const CollectiveOverlap::Loss& loss : of.losses) {
      const Kind kind{loss.to, loss.behind};
      auto known = std::ranges::find(kinds, kind, [](const auto& one) { return one.first; });
      if (known == kinds.end()) {
        known = kinds.insert(kinds.end(), {kind, {}});
      }
      known->second.push_back(loss);
    }
    for (const auto& [kind, losses] : kinds) {
      all.push_back(text(losses));
    }
    return all.empty() ? "" : fmt::format("{} loses {}.\n", name(of), joined(all, ", "));
  }

 private:
  /// "3 s to late starts (process 1 2 s, process 4 1 s)".
  std::string text(const std::vector<CollectiveOverlap::Loss>& losses) const {
    const double sum_s = sum_of(losses, &CollectiveOverlap::Loss::time_s);
    std::string where = joined(first_of(losses, most_losses), ", ", [&](const auto& loss) {
      return losses.size() == 1 ? place(loss)
                                : fmt::format("{} {}", place(loss), readable_seconds(loss.time_s));
    });
    if (losses.size() > most_losses) {
      where += fmt::format(", {} more", losses.size() - most_losses);
    }
    return fmt::format("{} to {} ({})", readable_seconds(sum_s), what(losses.front()), where);
  }
  std::string what(const CollectiveOverlap::Loss& loss) const {
    switch (loss.to) {
      case LostTo::late_start:
        return "late starts";
      case LostTo::busy_process:
        return "busy processes";
      case LostTo::own_messages:
        return "queues of its own messages";
      default:
        return "queues behind " + (loss.behind ? name(overlap_.collectives[*loss.behind])
                                               : std::string{"other messages"});
    }
  }
  std::string place(const CollectiveOverlap::Loss& loss) const {
    if (loss.to != LostTo::late_start && loss.to != LostTo::busy_process) {
      return link_name(*writer_.scenario.run_machine, loss.link);
    }
    return writer_.process(loss.process);
  }

  const Writer& writer_;
  const Overlap& overlap_;
};

}  // namespace

std::string overlap_table(const Writer& of_run, const Overlap& overlap) {
  std::vector<const CollectiveOverlap*> shown = overlap.started();
  if (shown.empty()) {
    return {};
  }
  const std::size_t more = shown.size() - std::min(most_collectives, shown.size());
  keep_greatest(shown, most_collectives, &CollectiveOverlap::exposed_s);
  const OverlapWriter writer{of_run, overlap};
  using Row = const CollectiveOverlap&;
  const auto seconds = [](double CollectiveOverlap::*time) {
    return [time](Row of) { return readable_seconds(of.*time); };
  };
  const Columns<CollectiveOverlap> columns{
      {"started collectives", Shown::text, [&](Row of) { return "  " + writer.name(of); }},
      {"times", Shown::count, &CollectiveOverlap::count},
      {"in all", Shown::figure, seconds(&CollectiveOverlap::time_s)},
      {"beside computing", Shown::figure, seconds(&CollectiveOverlap::beside_compute_s)},
      {"beside other", Shown::figure, seconds(&CollectiveOverlap::beside_other_s)},
      {"exposed", Shown::figure, seconds(&CollectiveOverlap::exposed_s)},
      {"hidden", Shown::share, [](Row of) {
         return of.time_s > 0 ? CellValue{1 - of.exposed_s / of.time_s} : CellValue{};
       }}};
  std::string text = "\n" + text_table(columns, shown).text();
  if (more > 0) {
    text += fmt::format("  and {} more (--json has all)\n", more);
  }
  for (const CollectiveOverlap* const of : shown) {
    text += writer.losses(*of);
  }
  return text;
}

}  // namespace dcube::app
