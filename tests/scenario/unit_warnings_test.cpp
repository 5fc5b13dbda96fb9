#include "scenario/unit_warnings.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "core/json_reading.hpp"
#include "shipped_files.hpp"
#include "support/warnings_of.hpp"

namespace dcube {
namespace {

std::string of_machine(std::string_view text) {
  return warnings_of([&] { warn_of_machine_units(*read_json(text, "m.json").group()); });
}
std::string of_program(std::string_view text) {
  return warnings_of([&] { warn_of_program_units(*read_json(text, "s.json").group()); });
}

TEST(UnitWarnings, NameHopsAboveAMillisecondBesideABandwidth) {
  EXPECT_EQ(
      of_machine(R"({"link": {"latency": 600, "bandwidth": "10GBps"}})"),
      "m.json: /link/latency: is above 1 ms on a machine with a bandwidth (a number without a "
      "unit is seconds); write the unit, such as \"600ns\" or \"600s\"\n");
  EXPECT_NE(of_machine(R"({"link": [{"latency": "1us", "bandwidth": 1e9}, {"latency": 2}]})"), "");
  EXPECT_NE(of_machine(R"({"link": {"bandwidth": "1GBps"}, "endpoint": {"send": "5"}})"), "");
  EXPECT_EQ(of_machine(R"({"link": {"latency": "1s", "bandwidth": "1Bps"}})"), "");
  EXPECT_EQ(of_machine(R"({"link": {"latency": 1, "per_byte": "1us"}})"), "");
}

TEST(UnitWarnings, NameRatesBelowAKilobyteASecond) {
  EXPECT_EQ(of_machine(R"({"link": {"latency": "1us", "bandwidth": 10}})"),
            "m.json: /link/bandwidth: is below 1 kB/s (a number without a unit is bytes per "
            "second); write the unit, such as \"10GBps\"\n");
}

TEST(UnitWarnings, NameTimesPerByteWithoutAUnit) {
  EXPECT_EQ(of_machine(R"({"link": {"latency": 446.7, "per_byte": 2.4}})"),
            "m.json: /link/per_byte: is above 1 ms a byte (a number without a unit is seconds); "
            "write the unit, such as \"2.4us\"\n");
  EXPECT_EQ(of_machine(R"({"link": {"per_byte": "1s"}, "node": {"local": {"per_byte": 1e-6}}})"),
            "");
}

TEST(UnitWarnings, NameComputingTimesWithoutAUnit) {
  EXPECT_EQ(of_program(R"({"kind": "cc_dcube", "compute": 150})"),
            "s.json: /compute: is 10 s or more (a number without a unit is seconds); write the "
            "unit, such as \"150us\" or \"150s\"\n");
  EXPECT_NE(of_program(R"({"phases": [{"repeat": 2, "phases": [{"compute": 10}]}]})"), "");
  EXPECT_EQ(of_program(R"({"compute": "150s"})") + of_program(R"({"compute": 2.5})"), "");
  EXPECT_EQ(of_program(R"({"compute": "flop", "count": 150})"), "");
}

TEST(UnitWarnings, SayNothingOfWhatComesWithDcube) {
  EXPECT_EQ(warnings_of([] {
              for (const std::filesystem::path& file : shipped_files("platforms")) {
                warn_of_machine_units(read_json_file(file));
              }
              for (const std::filesystem::path& file : shipped_files("scenarios")) {
                warn_of_machine_units(read_json_file(file));
                warn_of_program_units(read_json_file(file).group("program"));
              }
            }),
            "");
}

}  // namespace
}  // namespace dcube
