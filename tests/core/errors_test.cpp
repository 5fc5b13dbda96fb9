#include "dcube/core/errors.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace dcube {
namespace {

const std::vector<std::string> kinds{"hypercube", "line", "mesh", "ring", "torus"};

TEST(InputError, ShowsPlaceAndProblem) {
  const InputError error{"x.json: /seed", "-1 is not a seed"};
  EXPECT_STREQ(error.what(), "x.json: /seed: -1 is not a seed");
  EXPECT_EQ(error.place(), "x.json: /seed");
  EXPECT_EQ(error.problem(), "-1 is not a seed");
}

TEST(InputError, WithoutPlaceIsTheProblemAlone) { EXPECT_STREQ(InputError("", "no").what(), "no"); }

TEST(InputError, WholeFileIsNamedWithoutPointer) {
  EXPECT_STREQ(InputError("x.json: ", "`machine` is missing").what(),
               "x.json: `machine` is missing");
}

TEST(InputError, APlaceOfNoFileBeginsWithItsPointer) {
  EXPECT_STREQ(InputError(": /machine", "is no machine").what(), "/machine: is no machine");
}

TEST(InputError, IsOneLineWhateverTheUserWrote) {
  EXPECT_STREQ(InputError("a\nb", "c\td\x7f").what(), "a\\nb: c\\td\\u007f");
}

TEST(InputError, CutsWhatNobodyWouldRead) {
  const InputError error{std::string(100'000, 'p'), std::string(100'000, 'x')};
  EXPECT_EQ(error.place().size(), 2000U);
  EXPECT_EQ(error.problem().size(), 2000U);
  EXPECT_TRUE(error.problem().ends_with("xxx..."));
}

TEST(Expects, BrokenPromiseIsAContractViolation) {
  EXPECT_NO_THROW(expects(true, "fine"));
  EXPECT_THROW(expects(false, "node is in this ring"), ContractViolation);
}

TEST(NearestNameHint, OffersTheNearestName) {
  EXPECT_EQ(nearest_name_hint("rnig", kinds), "; did you mean `ring`?");
  EXPECT_EQ(nearest_name_hint("trous", kinds), "; did you mean `torus`?");
  EXPECT_EQ(nearest_name_hint("rin", kinds), "; did you mean `ring`?");
  EXPECT_EQ(nearest_name_hint("hypercub3s", kinds), "; did you mean `hypercube`?");
}

TEST(NearestNameHint, ListsAllWhenNothingIsNear) {
  EXPECT_EQ(nearest_name_hint("butterfly", kinds), "; known: hypercube, line, mesh, ring, torus");
}

TEST(NearestNameHint, OfManyNamesOnlyTheNearestAreShown) {
  std::vector<std::string> machines{"fugaku-24x23", "fugaku-4x3"};
  for (int side = 1; side < 40; ++side) {
    machines.push_back("unit-ring-" + std::to_string(side));
  }
  EXPECT_EQ(nearest_name_hint("fugaku", machines),
            "; the nearest of 41: fugaku-4x3, fugaku-24x23, unit-ring-1, unit-ring-2");
  EXPECT_EQ(nearest_name_hint("fugaku-4x4", machines), "; did you mean `fugaku-4x3`?");
}

TEST(NearestNameHint, IsEmptyWithoutNames) { EXPECT_EQ(nearest_name_hint("x", {}), ""); }

TEST(NearestNameHint, LongWordsAreCheap) {
  EXPECT_EQ(nearest_name_hint(std::string(1'000'000, 'a'), kinds),
            "; known: hypercube, line, mesh, ring, torus");
}

TEST(AtPlace, AComplaintGetsThePlaceInPlaceOfItsOwn) {
  EXPECT_EQ(at_place("x.json: /a", [] { return 5; }), 5);
  try {
    at_place("x.json: /a", [] { throw InputError("elsewhere", "it is too large"); });
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "x.json: /a: it is too large");
  }
}

}  // namespace
}  // namespace dcube
