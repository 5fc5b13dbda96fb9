#include "dcube/runs/cases.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/json_writing.hpp"
#include "core/mapped.hpp"

namespace dcube {

std::string cases_difference(const std::string& one, const std::string& other) {
  using json = nlohmann::ordered_json;
  const json left = json_value(one);
  const json right = json_value(other);
  if (!left.is_object() || !right.is_object()) {
    return "what it is";
  }
  // The order of keys makes no difference.
  const auto differ = [](const json& a, const json& b) { return !json::diff(a, b).empty(); };
  std::vector<std::string> differing;
  const auto part = [](const json& study, const char* key) { return study.value(key, json()); };
  if (differ(part(left, "dcube"), part(right, "dcube"))) {
    differing.emplace_back("the version of dcube");
  }
  if (left.contains("question") || right.contains("question")) {
    return !differing.empty()                      ? differing.front()
           : part(left, "id") != part(right, "id") ? "what is asked"
                                                   : "";
  }
  if (const json changes = json::diff(part(left, "scenario"), part(right, "scenario"));
      !changes.empty()) {
    differing.push_back("the scenario's " + changes.front().value("path", std::string{}));
  }
  const auto values_by_setting = [&](const json& study) {
    std::map<std::string, json> values;
    for (const json& axis : part(study, "axes")) {
      for (const json& setting : axis) {
        // A damaged file may hold anything.
        const json pointer = setting.is_object() ? part(setting, "setting") : json{};
        if (pointer.is_string()) {
          values[pointer.get<std::string>()] = part(setting, "values");
        }
      }
    }
    return values;
  };
  const std::map<std::string, json> settings = values_by_setting(left);
  const std::map<std::string, json> others = values_by_setting(right);
  for (const auto& [pointer, values] : others) {
    const auto found = settings.find(pointer);
    if (found == settings.end() || differ(found->second, values)) {
      differing.push_back("what " + pointer + " goes through");
    }
  }
  for (const auto& [pointer, values] : settings) {
    if (!others.contains(pointer)) {
      differing.push_back("what " + pointer + " goes through");
    }
  }
  if (differing.empty() && differ(part(left, "axes"), part(right, "axes"))) {
    differing.emplace_back("the order of settings");
  }
  if (differ(part(left, "where"), part(right, "where"))) {
    differing.emplace_back("what conditions leave");
  }
  const json files = part(left, "files");
  const json other_files = part(right, "files");
  for (const auto& [file, contents] : other_files.items()) {
    if (!files.contains(file) || differ(files[file], contents)) {
      differing.push_back(file);
    }
  }
  if (differing.empty() && differ(files, other_files)) {
    differing.emplace_back("what is read");
  }
  return joined(differing, " and ");
}

}  // namespace dcube
