#include <fmt/format.h>

#include <array>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/decimal.hpp"
#include "core/file_text.hpp"
#include "core/mapped.hpp"
#include "core/number_setting.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "machine_files.hpp"

// Fat trees of htsim (.topo), of two or three tiers. A tier's `downlink` leads to the tier below
// it, the lowest to hosts; `bundle` links are parallel. Half of a switch's latency goes to each of
// the two links of a way through it: a way of any height then has the latencies of all its
// switches.

namespace dcube {
namespace {

constexpr std::size_t most_tiers = 3;

struct Tier {
  bool is_there = false;
  std::optional<std::uint64_t> speed_gbps;
  std::optional<std::uint64_t> radix_down;
  std::optional<std::uint64_t> radix_up;
  std::optional<std::uint64_t> bundle;
  std::optional<std::uint64_t> oversubscribed;
  std::optional<std::uint64_t> downlink_ns;
  std::optional<std::uint64_t> switch_ns;
  std::optional<std::uint64_t> queue_up;  ///< queues have no bounds here
  std::optional<std::uint64_t> queue_down;
};

class TopoReader {
 public:
  TopoReader(std::string_view text, std::string file) : file_{std::move(file)} {
    for (std::string_view line : split_at(text, '\n')) {
      ++line_;
      const std::vector<std::string_view> words = blank_separated(line.substr(0, line.find('#')));
      if (!words.empty()) {
        read(words);
      }
    }
    check();
  }

  /// Settings of the topology and of the classes of links.
  Params document() const {
    std::vector<std::uint64_t> down;
    std::vector<std::uint64_t> up;
    std::vector<std::uint64_t> parallel;
    Params classes;
    std::uint64_t below_ns = 0;
    for (std::size_t t = 0; t < *tier_count_; ++t) {
      const Tier& tier = tiers_[t];
      const std::uint64_t bundle = tier.bundle.value_or(1);
      down.push_back(*tier.radix_down / bundle);
      up.push_back(t == 0 ? 1 : *tiers_[t - 1].radix_up / bundle);
      parallel.push_back(bundle);
      const std::uint64_t own_ns = tier.switch_ns.value_or(0);
      const std::uint64_t latency_ps = *tier.downlink_ns * 1000 + (below_ns + own_ns) * 500;
      classes.set(fmt::format("level {}", t + 1),
                  group_of({{"latency", fmt::format("{}ps", latency_ps)},
                            {"bandwidth", fmt::format("{}Gbps", *tier.speed_gbps)}}));
      below_ns = own_ns;
    }
    const std::uint64_t hosts =
        std::accumulate(down.begin(), down.end(), std::uint64_t{1}, std::multiplies{});
    refuse_if(hosts != *nodes_, file_,
              "its tiers join {} nodes and not {}; a tree that is cut short is none that dcube "
              "reads",
              hosts, *nodes_);
    const std::uint64_t pod = *tier_count_ == 2 ? hosts : down[0] * down[1];
    refuse_if(pod_.value_or(pod) != pod, file_, "its tiers make pods of {} and not {} nodes", pod,
              pod_.value_or(pod));
    Params topology =
        Params::parse(fmt::format("kind=fat_tree,down=[{}],up=[{}],parallel=[{}]",
                                  joined(down, ","), joined(up, ","), joined(parallel, ",")),
                      file_ + ": ");
    return network_document_of(std::move(topology), std::move(classes));
  }

 private:
  std::string place() const { return fmt::format("{}:{}", file_, line_); }

  void read(const std::vector<std::string_view>& words) {
    const std::string key = lower_case(words[0]);
    const std::optional<std::uint64_t> value =
        words.size() == 2 ? parsed<std::uint64_t>(words[1]) : std::nullopt;
    constexpr std::uint64_t most = 1'000'000'000;
    refuse_if(!value || *value > most, place(),
              "{} has no value (a whole number up to {} after the key)", shown(words[0]), most);
    if (key == "tier") {
      refuse_if(*value >= most_tiers, place(), "tier {} (0 to {})", *value, most_tiers - 1);
      current_ = &tiers_[*value];
      refuse_if(current_->is_there, place(), "tier {} is given twice", *value);
      current_->is_there = true;
      return;
    }
    std::optional<std::uint64_t>* const setting = setting_of(key);
    refuse_if(setting == nullptr, place(), "{} is no key of {} of htsim", shown(words[0]),
              current_ == nullptr ? "the head of a topology" : "a tier");
    refuse_if(setting->has_value(), place(), "{} is given twice", shown(words[0]));
    *setting = value;
  }

  std::optional<std::uint64_t>* setting_of(std::string_view key) {
    if (current_ == nullptr) {
      return key == "nodes"     ? &nodes_
             : key == "tiers"   ? &tier_count_
             : key == "podsize" ? &pod_
                                : nullptr;
    }
    const std::array<std::pair<std::string_view, std::optional<std::uint64_t>*>, 9> settings{
        {{"downlink_speed_gbps", &current_->speed_gbps},
         {"radix_down", &current_->radix_down},
         {"radix_up", &current_->radix_up},
         {"bundle", &current_->bundle},
         {"oversubscribed", &current_->oversubscribed},
         {"downlink_latency_ns", &current_->downlink_ns},
         {"switch_latency_ns", &current_->switch_ns},
         {"queue_up", &current_->queue_up},
         {"queue_down", &current_->queue_down}}};
    for (const auto& [name, setting] : settings) {
      if (name == key) {
        return setting;
      }
    }
    return nullptr;
  }

  void check() const {
    refuse_if(!nodes_ || !tier_count_, file_,
              "`{}` is missing (a topology of htsim begins with Nodes, Tiers and Podsize)",
              nodes_ ? "Tiers" : "Nodes");
    refuse_if(*tier_count_ < 2 || *tier_count_ > most_tiers, file_, "{} tiers (2 or 3)",
              *tier_count_);
    for (std::size_t t = 0; t < most_tiers; ++t) {
      const Tier& tier = tiers_[t];
      const bool is_used = t < *tier_count_;
      const bool is_top = t + 1 == *tier_count_;
      refuse_if(tier.is_there != is_used, file_, "tier {} is {} (Tiers is {})", t,
                is_used ? "missing" : "given", *tier_count_);
      if (!is_used) {
        continue;
      }
      const auto demand = [&](const std::optional<std::uint64_t>& value, const char* key) {
        refuse_if(value.value_or(0) == 0, file_, "tier {} has no {}", t, key);
      };
      demand(tier.speed_gbps, "Downlink_speed_Gbps");
      demand(tier.downlink_ns, "Downlink_Latency_ns");
      demand(tier.radix_down, "Radix_Down");
      refuse_if(is_top && tier.radix_up.value_or(0) != 0, file_,
                "tier {} has Radix_Up, and nothing is above it", t);
      const std::uint64_t bundle = tier.bundle.value_or(1);
      refuse_if(bundle == 0 || *tier.radix_down % bundle != 0 || (t == 0 && bundle != 1), file_,
                "tier {} has bundles of {} links ({})", t, bundle,
                t == 0 ? "a host has one link" : "Radix_Down is a multiple");
      if (!is_top) {
        demand(tier.radix_up, "Radix_Up");
        const Tier& above = tiers_[t + 1];
        const std::uint64_t above_bundle = above.bundle.value_or(1);
        refuse_if(above_bundle == 0 || *tier.radix_up % above_bundle != 0, file_,
                  "Radix_Up {} of tier {} is no multiple of the bundles of {} above it",
                  *tier.radix_up, t, above_bundle);
        const std::uint64_t below_gbps = *tier.radix_down * *tier.speed_gbps;
        const std::uint64_t above_gbps = *tier.radix_up * above.speed_gbps.value_or(0);
        const std::uint64_t ratio = tier.oversubscribed.value_or(1);
        refuse_if(tier.oversubscribed && below_gbps != ratio * above_gbps, file_,
                  "tier {} is not oversubscribed {} to 1 ({} Gbps below, {} above)", t, ratio,
                  below_gbps, above_gbps);
      }
    }
  }

  std::string file_;
  std::size_t line_ = 0;
  std::optional<std::uint64_t> nodes_;
  std::optional<std::uint64_t> tier_count_;
  std::optional<std::uint64_t> pod_;
  std::array<Tier, most_tiers> tiers_{};
  Tier* current_ = nullptr;
};

Params read_topo(const std::filesystem::path& file) {
  const std::string text = file_text(file);
  return TopoReader{text, file.string()}.document();
}

}  // namespace

const MachineFormat htsim_machines{"htsim", "a fat tree of htsim", ".topo", read_topo};

}  // namespace dcube
