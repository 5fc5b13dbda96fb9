#include "program/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "dcube/core/catalog.hpp"
#include "dcube/core/errors.hpp"
#include "support/complaint.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {
namespace {

class Silence final : public Program {
 public:
  std::string_view kind() const override { return "silence"; }
  Guest guest() const override { return Guest::cube(1); }
  Task<> run(Process&) override { co_return; }
};

std::unique_ptr<Program> make_silence(const Params&, const ProgramContext&) {
  return std::make_unique<Silence>();
}

const ProgramKind silence_kind{
    "silence", "processes do nothing", "", {{"length", "not used", "1"}}, make_silence};

/// Once, whichever tests run.
bool register_silence() {
  static const bool is_registered = register_program(silence_kind);
  return is_registered;
}

std::string problem_with(const ProgramKind& kind, Headers headers = program_headers) {
  return complaint<InputError>([&] { register_program(kind, headers); });
}

TEST(RegisterProgram, TakesAnEntryInItsPlace) {
  EXPECT_TRUE(register_silence());
  EXPECT_TRUE(std::ranges::is_sorted(names_of(program_catalog())));
  EXPECT_EQ(find_kind(program_catalog(), "silence"), &silence_kind);
  const Machine machine = unit_machine("kind=ring,nodes=4");
  EXPECT_EQ(make_program(Params::parse("kind=silence"), {machine})->kind(), "silence");
}

TEST(RegisterProgram, KnowsTheSettingsOfAnEntry) {
  register_silence();
  const Machine machine = unit_machine("kind=ring,nodes=4");
  const auto problem = [&](const std::string& settings) {
    return complaint<InputError>([&] { make_program(Params::parse(settings), {machine}); });
  };
  EXPECT_EQ(problem("kind=silence,lenght=2"), "/lenght: unknown key; did you mean `length`?");
  EXPECT_EQ(problem("kind=silense"),
            "/kind: \"silense\" is not a program; did you mean `silence`?");
}

TEST(RegisterProgram, TakesANameOnce) {
  register_silence();
  EXPECT_EQ(problem_with(silence_kind),
            "there is a program `silence` already (give this one another name)");
  EXPECT_EQ(problem_with({"fft", "another", "", {}, make_silence}),
            "there is a program `fft` already (give this one another name)");
}

TEST(RegisterProgram, NeedsANameAndAMaker) {
  EXPECT_EQ(problem_with({"", "nameless", "", {}, make_silence}),
            "a program is registered without a name");
  EXPECT_EQ(problem_with({"idle", "never made", "", {}, nullptr}),
            "the program `idle` is registered without a function that makes it");
}

TEST(RegisterProgram, RefusesWhatOtherHeadersDescribe) {
  const Headers own = program_headers;
  EXPECT_EQ(problem_with(silence_kind, {"0.0.9", own.sizes}),
            std::string{"was built for dcube 0.0.9, and this is dcube "} + own.version +
                " (build it again with the headers of this one)");
  EXPECT_EQ(problem_with(silence_kind, {own.version, own.sizes + 1}),
            std::string{"was built with other headers of dcube "} + own.version +
                " than this program (build it again with those of this one)");
}

}  // namespace
}  // namespace dcube::testing
