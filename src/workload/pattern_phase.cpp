#include "pattern_phase.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

namespace dcube {
namespace {

class PhaseNames {
 public:
  static std::vector<std::string> give(std::vector<Phase>& phases) {
    PhaseNames names;
    names.count(phases, "");
    names.number(phases, "");
    return std::move(names.names_);
  }

 private:
  static std::string inside(const std::string& outer, const Phase& list) {
    return list.name.empty() ? outer : fmt::format("{}{}/", outer, list.name);
  }

  void count(const std::vector<Phase>& phases, const std::string& outer) {
    for (const Phase& phase : phases) {
      if (phase.is_list()) {
        count(phase.phases, inside(outer, phase));
      } else if (phase.name.empty()) {
        ++unnamed_[outer + phase.what].count;
      } else {
        given_.insert(outer + phase.name);
      }
    }
  }

  void number(std::vector<Phase>& phases, const std::string& outer) {
    for (Phase& phase : phases) {
      if (phase.is_list()) {
        number(phase.phases, inside(outer, phase));
      } else {
        phase.stage = stage_of(outer + phase.name, outer + phase.what, phase.name.empty());
      }
    }
  }

  std::uint32_t stage_of(const std::string& given, const std::string& what, bool is_unnamed) {
    const auto next = static_cast<std::uint32_t>(names_.size());
    const std::string name = is_unnamed ? free_name(what) : given;
    const auto [stage, is_new] = stages_.emplace(name, next);
    if (is_new) {
      names_.push_back(name);
    }
    return stage->second;
  }

  /// "compute", or "compute 2" if there are several.
  std::string free_name(const std::string& what) {
    Unnamed& alike = unnamed_[what];
    std::string name = alike.count > 1 ? std::string{} : what;
    while (name.empty() || given_.contains(name) || stages_.contains(name)) {
      name = fmt::format("{} {}", what, ++alike.last);
    }
    return name;
  }

  struct Unnamed {
    std::uint32_t count = 0;
    std::uint32_t last = 0;  ///< number used last
  };

  std::vector<std::string> names_;
  std::map<std::string, std::uint32_t> stages_;
  std::set<std::string> given_;
  std::map<std::string, Unnamed> unnamed_;
};

}  // namespace

std::vector<std::string> name_stages(std::vector<Phase>& phases) {
  return PhaseNames::give(phases);
}

}  // namespace dcube
