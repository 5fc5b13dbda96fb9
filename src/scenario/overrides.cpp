#include "dcube/scenario/overrides.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "core/json_reading.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

constexpr std::string_view field = ".set";

/// A document on its way to the value that an override replaces.
class Replacement {
 public:
  Replacement(std::string pointer, Setting value)
      : pointer_{std::move(pointer)},
        tokens_{at_place(field, [&] { return pointer_tokens(pointer_); })},
        value_{std::move(value)} {}

  Setting in(const Setting& whole, std::size_t depth = 0) const {
    if (depth == tokens_.size()) {
      return value_;
    }
    if (whole.group() != nullptr) {
      return in_group(*whole.group(), depth);
    }
    if (whole.list() != nullptr) {
      return in_list(*whole.list(), depth);
    }
    fail(depth, fmt::format("is {}, which has no parts", whole.describe()));
  }

 private:
  /// Groups on the way get their place in the document: a machine's name had none.
  Setting in_group(Params group, std::size_t depth) const {
    const std::string& key = tokens_[depth];
    const bool is_last = depth + 1 == tokens_.size();
    if (is_last) {
      group.set(key, value_);
      return group;
    }
    // A missing group on the way is made. If its name is misspelt, the reader refuses it.
    if (!group.has(key) || group.find(key)->group() != nullptr) {
      group.set(key, (group.has(key) ? group.group(key) : Params{}).at(group.place_of(key)));
    }
    group.set(key, in(*group.find(key), depth + 1));
    return group;
  }

  Setting in_list(Setting::List list, std::size_t depth) const {
    const std::string& token = tokens_[depth];
    if (token == "-" && depth + 1 == tokens_.size()) {
      list.push_back(value_);
      return list;
    }
    const std::optional<std::size_t> index = parsed<std::size_t>(token);
    const bool has_leading_zero = token.size() > 1 && token.front() == '0';
    if (!index || *index >= list.size() || has_leading_zero) {
      fail(depth,
           fmt::format("has no entry `{}` (it is a list of {}; `-` appends)", token, list.size()));
    }
    list[*index] = in(list[*index], depth + 1);
    return list;
  }

  /// Complains about the value that the first `depth` tokens lead to.
  [[noreturn]] void fail(std::size_t depth, std::string_view problem) const {
    std::size_t end = 0;
    for (std::size_t i = 0; i < depth; ++i) {
      end = pointer_.find('/', end + 1);
    }
    const std::string parent = depth == 0 ? "the document" : pointer_.substr(0, end);
    throw InputError(fmt::format("{} {}", field, pointer_), fmt::format("{} {}", parent, problem));
  }

  std::string pointer_;
  std::vector<std::string> tokens_;
  Setting value_;
};

}  // namespace

std::vector<std::string> pointer_tokens(std::string_view pointer) {
  const auto refuse_pointer_if = [&](bool is_wrong, std::string_view problem) {
    refuse_if(is_wrong, "", "{} {}", Setting{std::string{pointer}}.describe(), problem);
  };
  refuse_pointer_if(!pointer.starts_with('/'), "is not a JSON pointer (it begins with /)");
  std::vector<std::string> tokens;
  for (const std::string_view part : split_at(pointer.substr(1), '/')) {
    refuse_pointer_if(tokens.size() == most_json_levels,
                      fmt::format("leads too deep (more than {} levels)", most_json_levels));
    std::string& token = tokens.emplace_back();
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (part[i] != '~') {
        token += part[i];
        continue;
      }
      const char escaped = ++i < part.size() ? part[i] : '\0';
      refuse_pointer_if(escaped != '0' && escaped != '1',
                        "is not a JSON pointer (write ~ as ~0 and / as ~1)");
      token += escaped == '0' ? '~' : '/';
    }
  }
  return tokens;
}

Override parse_override(std::string_view text) {
  const std::size_t equals = text.find('=');
  refuse_if(!text.starts_with('/') || equals == std::string_view::npos, field,
            "{} is not a setting (write /pointer=value, for example /program/message=64)",
            Setting{std::string{text}}.describe());
  return {std::string{text.substr(0, equals)}, std::string{text.substr(equals + 1)}};
}

Setting value_of(const Override& change, const Params& document) {
  if (change.setting) {
    return *change.setting;
  }
  // A document's place is "file: ", that of a group in it "file: /pointer".
  const std::string file = document.place().substr(0, document.place().rfind(": "));
  return read_json_value(change.value, file, change.pointer).value_or(Setting{change.value});
}

Params values_by_pointer(const std::vector<Override>& changes) {
  Params group;
  for (const Override& change : changes) {
    group.set(change.pointer, value_of(change, Params{}));
  }
  return group;
}

Params with_value(const Params& document, const std::string& pointer, Setting value) {
  const Replacement replacement{pointer, std::move(value)};
  return *replacement.in(Setting{document}).group();
}

}  // namespace dcube
