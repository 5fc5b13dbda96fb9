#include "comparison_folder.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "app/runs/runs_options.hpp"
#include "core/json_reading.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/params.hpp"

namespace dcube::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* output_option = "--output";

/// The JSON object in the file; nothing where there is no file, empty where it holds no JSON
/// object.
std::optional<Params> read_if_there(const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    return std::nullopt;
  }
  try {
    return read_json_file(file);
  } catch (const InputError&) {
    return Params{};
  }
}

std::string text_in(const Params& group, const char* key) {
  const Setting* setting = group.find(key);
  return setting != nullptr && setting->text() != nullptr ? *setting->text() : std::string{};
}

/// Whether the file is directly in runs/: a comparison from somebody else may name any file.
bool is_file_of_run(const fs::path& file) {
  return file.parent_path() == "runs" && file.has_filename() && file.filename() != "..";
}

/// The files of the runs that a comparison lists, and the pictures of them.
std::vector<fs::path> files_of(const Params& comparison) {
  std::vector<fs::path> files{"index.html", "comparison.png", "scaling.png"};
  const Setting* runs = comparison.find("runs");
  if (runs == nullptr || runs->list() == nullptr) {
    return files;
  }
  for (const Setting& run : *runs->list()) {
    for (const char* key : {"result", "trace"}) {
      const fs::path file = run.group() != nullptr ? text_in(*run.group(), key) : std::string{};
      if (!is_file_of_run(file)) {
        continue;
      }
      files.push_back(file);
      for (const char* picture : {"link-load", "embedding", "gantt"}) {
        files.emplace_back(fmt::format("{}-{}.png", file.stem().string(), picture));
      }
    }
  }
  return files;
}

}  // namespace

ComparisonFolder::ComparisonFolder(fs::path folder, std::string_view id, Replacement replacement)
    : folder_{std::move(folder)} {
  refuse_other_results(output_option, folder_, "compare");
  make_folder(output_option, folder_ / "runs");
  const std::optional<Params> comparison = read_if_there(folder_ / "comparison.json");
  const std::optional<Params> study = read_if_there(records_of(folder_) / "study.json");
  const auto is_other = [&](const std::optional<Params>& document) {
    return document && text_in(*document, "id") != id;
  };
  if (!is_other(comparison) && !is_other(study)) {
    return;
  }
  refuse_if(replacement == Replacement::refused, output_option,
            "{} holds another comparison; name another folder, or add --force to replace it",
            folder_.string());
  is_replaced_ = true;
  if (comparison) {
    replaced_ = files_of(*comparison);
  }
  const fs::path records = records_of("x").filename();
  replaced_.insert(replaced_.end(), {records / "study.json", records / "claims"});
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator{records_of(folder_) / "runs", ignored}) {
    if (entry.path().extension() == ".jsonl") {
      replaced_.push_back(records / "runs" / entry.path().filename());
    }
  }
}

void ComparisonFolder::plan(OutputPlan& plan, const std::vector<std::string>& names) const {
  for (const std::string& name : names) {
    plan.writes(output_option, folder_ / name);
  }
}

void ComparisonFolder::remove_replaced() {
  for (const fs::path& name : replaced_) {
    std::error_code error;
    if (fs::is_directory(folder_ / name, error)) {
      continue;
    }
    fs::remove(folder_ / name, error);
    refuse_if(error.value() != 0, (folder_ / name).string(), "cannot be removed ({})",
              error.message());
  }
}

}  // namespace dcube::app
