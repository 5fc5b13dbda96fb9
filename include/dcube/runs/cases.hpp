#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "dcube/runs/record.hpp"

namespace dcube {

/// Runs that are known before the first is made. A run is known by its number, 0 .. run_count()-1,
/// and any process that has the same cases may make it.
class Cases {
 public:
  virtual ~Cases() = default;

  virtual std::size_t run_count() const = 0;
  /// 32 hexadecimal digits that depend on everything that the run depends on.
  virtual std::string key(std::size_t run) const = 0;
  /// Makes the run in this process and measures it. A run that does not fit is `refused`, with the
  /// reason.
  virtual RunRecord make(std::size_t run) const = 0;

  /// Hexadecimal digits, the same for the same cases.
  virtual const std::string& id() const = 0;
  /// Everything that the id depends on, as the JSON text that a folder of records keeps.
  virtual const std::string& description() const = 0;
  /// Whether the id says all that keys depend on, so that a record with another key is a mistake.
  virtual bool has_keys_by_id() const { return true; }
  /// About the most memory that a run takes, in bytes; at least 1.
  virtual std::uint64_t largest_run_bytes() const = 0;

 protected:
  Cases() = default;
  Cases(const Cases&) = default;
  Cases& operator=(const Cases&) = default;
  Cases(Cases&&) = default;
};

/// Which keys of two descriptions differ, in words: "/scenario (of x.json) and /axes"; empty when
/// they are of the same cases.
std::string cases_difference(const std::string& one, const std::string& other);

}  // namespace dcube
