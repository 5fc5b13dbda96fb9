#include <gtest/gtest.h>

#include <array>
#include <exception>
#include <string>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/core/random.hpp"
#include "reading.hpp"

namespace dcube {
namespace {

constexpr std::uint64_t seed = 20260201;

/// Pieces that break a file in more interesting ways than single letters do.
const std::array<std::string, 22> pieces{"-1",
                                         "0",
                                         "1e999",
                                         "0.5",
                                         "4294967295",
                                         "4294967296",
                                         "99999999999999999999",
                                         "[",
                                         "]",
                                         ",",
                                         ":",
                                         "=",
                                         "\xff",
                                         "\n",
                                         "\r",
                                         "#",
                                         "%",
                                         "rank ",
                                         " slot=0",
                                         "+n3",
                                         "symmetric",
                                         std::string(1, '\0')};

class Mutator {
 public:
  std::string mutated(std::string text) {
    const std::uint64_t changes = 1 + below(4);
    for (std::uint64_t i = 0; i < changes && !text.empty(); ++i) {
      change(text);
    }
    return text;
  }

 private:
  std::size_t below(std::size_t bound) { return bounded(random_.next(), bound); }

  void change(std::string& text) {
    const std::size_t at = below(text.size());
    const std::size_t length = 1 + below(12);
    switch (below(4)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(below(text.size()), std::string{text, at, length});
        break;
      default:
        text.insert(at, pieces.at(below(pieces.size())));
    }
  }

  SplitMix64 random_{seed};
};

/// Reads many changed versions of a text; each is accepted or gives an InputError of one line.
template <class Read>
void read_mutations(const std::string& name, const std::string& original, Read read) {
  constexpr int rounds = 3000;
  Mutator mutator;
  int rejected = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::string text = mutator.mutated(original);
    try {
      read(text);
    } catch (const InputError& error) {
      ++rejected;
      EXPECT_EQ(std::string{error.what()}.find('\n'), std::string::npos);
      EXPECT_EQ(error.place().substr(0, 1), "x") << error.what();
    } catch (const std::exception& error) {
      FAIL() << name << ", seed " << seed << ", round " << round << ": " << error.what() << "\n"
             << text;
    }
  }
  EXPECT_GT(rejected, rounds / 4) << name;
}

TEST(MutatedMaps, AreAcceptedOrGiveAnInputErrorOfOneLine) {
  const Machine machine = reading::machine("kind=torus,shape=4x4");
  const std::vector<NodeId> map{NodeId{5}, NodeId{0}, NodeId{15}, NodeId{2}, NodeId{7}};
  const HostNames hosts;
  for (const MapFormat* format : map_format_catalog()) {
    if (format->read != nullptr) {
      const std::string text = format->write({machine, map, hosts, {}});
      read_mutations(format->name, text, [&](const std::string& mutated) {
        const std::vector<NodeId> read = format->read(mutated, {"x", *machine.topology, hosts});
        std::vector<bool> is_used(16);
        for (const NodeId node : read) {
          ASSERT_LT(node.index(), 16U);
          ASSERT_FALSE(is_used[node.index()]);
          is_used[node.index()] = true;
        }
      });
    }
  }
}

TEST(MutatedTraffic, IsAcceptedOrGivesAnInputErrorOfOneLine) {
  const Traffic traffic = Traffic::of(Guest::cube(3), std::vector<std::uint64_t>{1, 20, 300});
  for (const TrafficFormat* format : traffic_format_catalog()) {
    read_mutations(format->name, format->write(traffic),
                   [&](const std::string& mutated) { format->read(mutated, "x"); });
  }
}

}  // namespace
}  // namespace dcube
