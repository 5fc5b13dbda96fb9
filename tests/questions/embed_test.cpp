#include "dcube/questions/embed.hpp"

#include <gtest/gtest.h>

#include "support/complaint.hpp"

namespace dcube {
namespace {

TEST(Embed, AQuestionWithoutMachinesOrEmbeddingsIsAnInputError) {
  EXPECT_EQ(complaint([] { embed({.machines = {}, .embeddings = {"gray"}}); }),
            ".machines: no machine is named");
  EXPECT_EQ(complaint([] { embed({.machines = {"ring:8"}, .embeddings = {}}); }),
            ".embeddings: no embedding is named");
}

}  // namespace
}  // namespace dcube
