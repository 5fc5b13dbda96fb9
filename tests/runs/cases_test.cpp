#include "dcube/runs/cases.hpp"

#include <gtest/gtest.h>

namespace dcube {
namespace {

TEST(CasesDifference, IgnoresTheOrderOfKeys) {
  const std::string one =
      R"({"dcube": {"version": "1", "of": 2}, "where": {"a": [{"b": 1, "c": 2}]},
                              "files": {"x": 1, "y": 2}, "scenario": {"p": 3, "q": 4}})";
  const std::string other = R"({"scenario": {"q": 4, "p": 3}, "files": {"y": 2, "x": 1},
                                "where": {"a": [{"c": 2, "b": 1}]}, "dcube": {"of": 2, "version": "1"}})";
  EXPECT_EQ(cases_difference(one, other), "");
  EXPECT_EQ(cases_difference(one, R"({"dcube": {"version": "1", "of": 2}, "files": {"x": 1, "y": 2},
                                      "where": {"a": [{"b": 1, "c": 3}]},
                                      "scenario": {"p": 3, "q": 5}})"),
            "the scenario's /q and what conditions leave");
}

}  // namespace
}  // namespace dcube
