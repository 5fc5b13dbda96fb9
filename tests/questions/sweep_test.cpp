#include "dcube/questions/sweep.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "dcube/questions/subcubes.hpp"
#include "scenario/temporary_folder.hpp"

namespace dcube {
namespace {

std::string place_of_complaint(const std::function<void()>& ask) {
  try {
    ask();
  } catch (const InputError& error) {
    return error.place();
  }
  return "none";
}

SweepRequest two_messages() {
  SweepRequest request;
  request.scenario.file = "quickstart";
  request.vary = {"/program/message=1,2"};
  return request;
}

TEST(Sweep, NamesTheFieldThatIsToBlame) {
  const auto place = [](auto change) {
    SweepRequest request = two_messages();
    change(request);
    return place_of_complaint([&] { Sweep{request}; });
  };
  EXPECT_EQ(place([](SweepRequest& request) { request.vary = {"message=1"}; }), ".vary");
  EXPECT_EQ(place([](SweepRequest& request) { request.jitter = "much"; }), ".jitter");
  EXPECT_EQ(place([](SweepRequest& request) { request.ratios = {"1/3"}; }), ".ratios");
  EXPECT_EQ(place([](SweepRequest& request) { request.x = "/program/compute"; }), ".x");
  EXPECT_EQ(place([](SweepRequest& request) { request.lines = "message"; }), ".lines");
  EXPECT_EQ(place([](SweepRequest& request) {
              request.measures = {"makespan_s", "makespan_s"};
            }),
            ".measures");
  EXPECT_EQ(place([](SweepRequest&) {}), "none");
}

TEST(Sweep, IsReadFromTheFolderThatKeepsIt) {
  const TemporaryFolder folder;
  SweepRequest request = two_messages();
  request.output = folder.path() / "kept";
  std::string json;
  {
    Sweep sweep{request};
    EXPECT_EQ(sweep.make_runs({}, InterruptWatch{}), RunsEnd::complete);
    json = sweep_json(sweep.results(), sweep.view());
  }
  Sweep kept = Sweep::kept({.output = request.output}, ".output");
  EXPECT_EQ(sweep_json(kept.results(), kept.view()), json);
  EXPECT_EQ(kept.status().open, 0U);
  EXPECT_TRUE(sweep_failures(kept.results()).empty());
}

TEST(Subcubes, NameTheFieldThatIsToBlame) {
  const auto place = [](const SubcubesRequest& request) {
    return place_of_complaint([&] {
      check_subcubes_request(request);
      read_subcubes(request);
    });
  };
  EXPECT_EQ(place({}), ".graph");
  EXPECT_EQ(place({.traffic = "mesh:2x2"}), ".subcube");
  EXPECT_EQ(place({.traffic = "mesh:2x2", .subcube = 1, .method = "random", .moves = 3}), ".moves");
  EXPECT_EQ(place({.traffic = "mesh:2x2", .subcube = 1, .parallel = true, .any = true}),
            ".parallel");
  EXPECT_EQ(place({.traffic = "mesh:2x2", .subcube = 1}), "none");
}

TEST(Subcubes, OfARingOfTasksHaveTheLeastBandwidthThatThereIs) {
  const SubcubesRequest request{.traffic = "ring:4", .subcube = 0, .method = "exhaustive"};
  const SubcubesTask task = read_subcubes(request);
  const SubcubesAnswer answer = answer_subcubes(request, task, {}, {});
  EXPECT_TRUE(answer.result.is_optimal);
  EXPECT_EQ(answer.result.bandwidth, answer.bound);
}

}  // namespace
}  // namespace dcube
