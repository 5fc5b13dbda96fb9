#pragma once

#include <pybind11/numpy.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "dcube/collective/collective.hpp"
#include "interpreter.hpp"

namespace dcube::python {

/// Members of a group, up to chance: who they are, and in which order.
struct GroupKey {
  std::uint64_t members = 0;
  std::uint64_t order = 0;
};
constexpr GroupKey key_of_world{};

/// What one process gives to a collective, as far as it concerns the others.
struct Given {
  bool has_values = false;
  Ref type{};                          ///< of the values, a dtype of numpy
  std::vector<std::uint64_t> shape{};  ///< of the values
  bool has_own_length = false;         ///< others may give more or fewer values
  std::uint64_t element_bytes = 0;
  bool exceeds_float64 = false;  ///< has integers that float64 does not hold
  std::uint32_t root = 0;
  std::string algorithm{};
  std::string operation{};      ///< "numpy.maximum"; empty: one without such a name
  CollectiveOptions options{};  ///< without texts
  std::vector<std::uint64_t> send_counts{}, receive_counts{};  ///< of an all_to_allv
};

/// What those that have called a collective so far give together.
struct Agreement {
  CollectiveKind kind{};
  std::uint64_t order = 0;    ///< of the group's members
  std::uint32_t first = 0;    ///< rank of the first caller
  std::uint32_t process = 0;  ///< its number
  Given given{};              ///< of that one
  struct Type {
    Ref type;
    std::uint32_t rank;  ///< the first that gives values of it
  };
  std::vector<Type> types{};                          ///< of all values, each once
  std::optional<std::uint32_t> exceeds_float64{};     ///< the first rank that does
  std::optional<std::vector<std::uint64_t>> shape{};  ///< of the root's values (broadcast, scatter)
  std::map<std::uint32_t, Given> counts{};            ///< of an all_to_allv, by rank: those alone
  std::uint32_t callers = 0;
  std::uint64_t number = 0;  ///< among those of a run
};

/// Agreements of the collectives of a run. They cost no simulated message: whoever simulates knows
/// what all processes give.
class Agreements {
 public:
  /// Calls of one process so far, by members and tag.
  using Calls = std::map<std::tuple<std::uint64_t, Tag>, std::uint64_t>;

  /// Adds what a process gives. Throws InputError when it does not go together with what others
  /// give. Needs the lock.
  std::shared_ptr<const Agreement> join(Calls& calls, const GroupKey& key, const Group& group,
                                        CollectiveKind kind, Tag tag, const Given& given);

 private:
  using Key = std::tuple<std::uint64_t, Tag, std::uint64_t>;

  std::map<Key, std::shared_ptr<Agreement>> open_;  ///< that some have called and others have not
  std::uint64_t agreed_ = 0;                        ///< number so far
};

/// Whether only what the root gives arrives.
bool is_of_root(CollectiveKind kind);

/// The name of a dtype: "int64". Needs the lock.
std::string name_of_type(const py::object& type);
/// The type that holds the values of all. Needs the lock.
py::dtype type_of(const Agreement& agreement);
/// The type of numpy that holds values of both types; None where there is none, as for numbers and
/// texts. Needs the lock.
py::object common_type(const py::object& one, const py::object& other);

}  // namespace dcube::python
