#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/scenario/documents.hpp"

namespace dcube {
namespace {

/// A kind of JSON file, and keys that no kind below it has.
struct KindOfFile {
  std::string_view name;
  std::array<std::string_view, 2> keys;  ///< all of them are there; an empty one asks for nothing
  std::string_view use;
  bool is_result = false;  ///< dcube wrote it, with keys of what it was made of
};

constexpr std::array<KindOfFile, 9> kinds_of_files{
    {{"the result of a run", {"outcome", "makespan_s"}, "dcube report shows it", true},
     {"a result that dcube wrote", {"dcube"}, "it says what came out, not what went in", true},
     {"what dcube embed measured",
      {"dilation", "map"},
      "{ `kind`: \"explicit\", `map`: its map } is one",
      true},
     {"a machine", {"topology"}, "`.machine` takes it, and `machine` of a scenario"},
     {"a file of experiments", {"experiments"}, "dcube reproduce runs them"},
     {"a task graph", {"tasks"}, "dcube subcubes maps it"},
     {"a study", {"scenario"}, "dcube sweep runs it"},
     {"a scenario", {"program"}, "dcube run simulates it"},
     {"an embedding", {"kind", "map"}, "`.embedding` takes it"}}};

bool has_keys_of(const Params& document, const KindOfFile& kind) {
  return std::ranges::all_of(
      kind.keys, [&](std::string_view key) { return key.empty() || document.has(key); });
}

}  // namespace

void refuse_other_document(const Params& document, std::string_view wanted) {
  const auto* const found = std::ranges::find_if(
      kinds_of_files, [&](const KindOfFile& kind) { return has_keys_of(document, kind); });
  const auto* const own = std::ranges::find(kinds_of_files, wanted, &KindOfFile::name);
  if (found != kinds_of_files.end() && (found->is_result || !has_keys_of(document, *own))) {
    throw InputError(document.place(),
                     fmt::format("is {}, not {} ({})", found->name, wanted, found->use));
  }
}

void allow_only_of(const Params& document, std::string_view wanted,
                   std::span<const std::string> known) {
  const std::vector<std::string> keys = document.keys();
  if (!std::ranges::all_of(keys, [&](const std::string& key) {
        return std::ranges::find(known, key) != known.end();
      })) {
    refuse_other_document(document, wanted);
  }
  document.allow_only(known);
}

}  // namespace dcube
