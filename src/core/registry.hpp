#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "dcube/core/catalog.hpp"
#include "dcube/core/headers.hpp"
#include "plugin.hpp"
#include "refuse.hpp"

namespace dcube {

/// Entries of a catalogue, sorted by name: the library's own and those registered since.
template <class Kind>
class Registry {
 public:
  /// `noun`: "program".
  Registry(std::string_view noun, std::span<const Kind* const> own)
      : noun_{noun}, kinds_{own.begin(), own.end()} {}

  std::span<const Kind* const> kinds() const { return kinds_; }

  /// Whether the entry was added. It is read only once its headers are known to be this library's.
  /// Throws InputError, or has load_plugin() throw it while that runs.
  bool add(const Kind& kind, const Headers& built_with, const Headers& own) {
    return register_entry([&] {
      check_headers(built_with, own);
      check(kind);
      kinds_.insert(std::ranges::upper_bound(kinds_, kind.name, {}, &Kind::name), &kind);
    });
  }

 private:
  void check(const Kind& kind) const {
    refuse_if(kind.name.empty(), "", "a {} is registered without a name", noun_);
    refuse_if(kind.make == nullptr, "",
              "the {} `{}` is registered without a function that makes it", noun_, kind.name);
    refuse_if(find_kind(kinds(), kind.name) != nullptr, "",
              "there is a {} `{}` already (give this one another name)", noun_, kind.name);
  }

  std::string_view noun_;
  std::vector<const Kind*> kinds_;
};

}  // namespace dcube
