#include <gtest/gtest.h>

#include <string>

#include "support/complaint.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {
namespace {

constexpr const char* four_tasks =
    "kind=subcube_exchange,mapping=[00**,01**,1*0*,1*1*],"
    "messages=[[0,1,6],[0,2,4],[0,3,2],[1,0,2],[2,3,6],[3,1,4]]";

std::string exchange_complaint(const std::string& settings) {
  return complaint([&] {
    SimulatedProgram{"kind=hypercube,dimensions=4", "standard",
                     "kind=subcube_exchange," + settings};
  });
}

TEST(SubcubeExchange, TheAnswerIsTheTotalBandwidth) {
  SimulatedProgram exchange{"kind=hypercube,dimensions=4", "standard", four_tasks};
  EXPECT_EQ(exchange.program->verify(), false) << "nothing has run yet";
  const RunReport report = exchange.run();
  EXPECT_EQ(exchange.program->verify(), true);
  // T is 4 between parallel neighbours; between 00** and 1*0* M = 1 + 1/2 + 1/2.
  EXPECT_EQ(exchange.answer("bandwidth"),
            std::to_string(4 * 6 + 8 * 4 + 8 * 2 + 4 * 2 + 4 * 6 + 8 * 4));
  EXPECT_EQ(exchange.answer("received"), "24");
  EXPECT_EQ(report.messages, 24U);
  EXPECT_EQ(report.hops, 4U + 8 + 8 + 4 + 4 + 8);
}

TEST(SubcubeExchange, ItsDataAreTheWordsThatEveryNodeOfATaskGets) {
  // 6 and 9 bytes are a word each, 16 are two.
  const SimulatedProgram exchange{"kind=hypercube,dimensions=4", "standard",
                                  "kind=subcube_exchange,mapping=[00**,01**],"
                                  "messages=[[0,1,6],[0,1,9],[1,0,16]]"};
  EXPECT_EQ(exchange.program->data_bytes(), 4U * (1 + 1 + 2) * 8);
}

TEST(SubcubeExchange, HopsOfAllPartnersAddUpToTHoweverTheyArePaired) {
  for (const char* pairing : {"even", "nearest"}) {
    SimulatedProgram exchange{"kind=hypercube,dimensions=5", "standard",
                              std::string{"kind=subcube_exchange,mapping=[000**,11**0],"
                                          "messages=[[0,1,1]],pairing="} +
                                  pairing};
    const RunReport report = exchange.run();
    EXPECT_EQ(exchange.program->verify(), true);
    EXPECT_EQ(report.hops, 4U * 3);  // H = 2, and a half for each of two positions
    // Without contention the farthest partners decide.
    EXPECT_EQ(exchange.run_without_contention().makespan,
              Ticks{(std::string{pairing} == "even" ? 3 : 4) * 1'000'000'000'000});
  }
}

TEST(SubcubeExchange, ProcessesOfNoTaskStayIdle) {
  SimulatedProgram exchange{"kind=hypercube,dimensions=4", "standard",
                            "kind=subcube_exchange,mapping=[0000,1111],messages=[[0,1,8]]"};
  const RunReport report = exchange.run();
  EXPECT_EQ(exchange.program->verify(), true);
  EXPECT_EQ(report.messages, 1U);
  EXPECT_EQ(report.hops, 4U);
}

TEST(SubcubeExchange, MessagesBetweenTheSameTasksKeepTheirOrder) {
  SimulatedProgram exchange{"kind=hypercube,dimensions=4", "random",
                            "kind=subcube_exchange,mapping=[0***,1***],"
                            "messages=[[0,1,800],[0,1,8],[1,0,64],[0,1,0]]"};
  exchange.run();
  EXPECT_EQ(exchange.program->verify(), true);
}

TEST(SubcubeExchange, WhatCannotBeUsedIsSaidWithItsPlace) {
  const auto said = [](const std::string& settings, const std::string& part) {
    const std::string message = exchange_complaint(settings);
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  said("mapping=[00**],messages=[[0,0,1]]", "/messages/0: task 0 sends to itself");
  said("mapping=[00**,01**]", "`messages` is missing");
  said("messages=[[0,1,1]]", "`mapping` is missing");
  said("mapping=[00**,0*1*],messages=[[0,1,1]]",
       "/mapping/1: 0*1* shares a node with 00** of task 0");
  said("mapping=[00**,01*1],messages=[[0,1,1]]", "/mapping/1: 01*1 is not like 00**");
  said("mapping=[00**,02**],messages=[[0,1,1]]", "/mapping/1: \"02**\" is not the address");
  said("mapping=[00**,01**],messages=[[0,2,1]]", "/messages/0/1: 2 is not a task (0 to 1)");
  said("mapping=[00**,01**],messages=[[0,1]]", "/messages/0: [0, 1] is not a message");
  said("mapping=[000**,001**],messages=[[0,1,1]]", "/mapping: 5 symbols need 32 processes");
  said("mapping=[00**,01**],messages=[[0,1,1]],pairing=far", "/pairing");
  said("mapping=[00**,01**],messages=[[0,1,9000000000000000000]]",
       "/messages: add up past 63 bits");
}

}  // namespace
}  // namespace dcube::testing
