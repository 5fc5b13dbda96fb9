#include "engine/inboxes.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <vector>

#include "dcube/core/random.hpp"

namespace dcube::detail {
namespace {

TEST(Inboxes, NothingIsInAnEmptyOne) {
  Inboxes inboxes;
  Inboxes::Inbox inbox;
  EXPECT_TRUE(inbox.is_empty());
  EXPECT_EQ(inboxes.take(inbox, ProcessId{0}), std::nullopt);
}

TEST(Inboxes, MessagesOfASourceComeInTheOrderTheyWereSent) {
  Inboxes inboxes;
  Inboxes::Inbox inbox;
  inboxes.push(inbox, MessageId{7}, ProcessId{1});
  inboxes.push(inbox, MessageId{3}, ProcessId{2});
  inboxes.push(inbox, MessageId{5}, ProcessId{1});
  EXPECT_EQ(inboxes.take(inbox, ProcessId{1}), MessageId{7});
  EXPECT_EQ(inboxes.take(inbox, ProcessId{1}), MessageId{5});
  EXPECT_EQ(inboxes.take(inbox, ProcessId{1}), std::nullopt);
  EXPECT_EQ(inboxes.take(inbox, ProcessId{2}), MessageId{3});
  EXPECT_TRUE(inbox.is_empty());
}

/// Pushes and takes at random, and the same with a queue for every receiver and source.
class RandomMail {
 public:
  RandomMail(std::uint64_t seed, std::uint32_t receivers, std::uint32_t sources)
      : random_{seed}, inboxes_of_(receivers), sources_{sources} {}

  void push() {
    const std::uint32_t receiver = draw(inboxes_of_.size());
    const ProcessId source{draw(sources_)};
    const MessageId message{new_message()};
    inboxes_.push(inboxes_of_[receiver], message, source);
    expected_[{receiver, source}].push_back(message);
  }

  void take() {
    const std::uint32_t receiver = draw(inboxes_of_.size());
    const ProcessId source{draw(sources_)};
    std::deque<MessageId>& queue = expected_[{receiver, source}];
    const auto taken = inboxes_.take(inboxes_of_[receiver], source);
    if (queue.empty()) {
      ASSERT_EQ(taken, std::nullopt);
      return;
    }
    ASSERT_EQ(taken, queue.front());
    queue.pop_front();
    unused_.push_back(taken->index());
  }

  void take_everything() {
    for (auto& [key, queue] : expected_) {
      for (; !queue.empty(); queue.pop_front()) {
        ASSERT_EQ(inboxes_.take(inboxes_of_[key.first], key.second), queue.front());
      }
    }
    for (const Inboxes::Inbox& inbox : inboxes_of_) {
      ASSERT_TRUE(inbox.is_empty());
    }
  }

 private:
  std::uint32_t draw(std::size_t choices) {
    return static_cast<std::uint32_t>(bounded(random_.next(), choices));
  }
  /// Numbers are used again, as the network does.
  std::uint32_t new_message() {
    if (unused_.empty()) {
      return messages_++;
    }
    const std::uint32_t message = unused_.back();
    unused_.pop_back();
    return message;
  }

  SplitMix64 random_;
  Inboxes inboxes_;
  std::vector<Inboxes::Inbox> inboxes_of_;
  std::uint32_t sources_;
  std::map<std::pair<std::uint32_t, ProcessId>, std::deque<MessageId>> expected_;
  std::vector<std::uint32_t> unused_;
  std::uint32_t messages_ = 0;
};

TEST(Inboxes, AgreeWithAQueueForEverySource) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    RandomMail mail{seed, 3, 50};
    for (int round = 0; round < 10; ++round) {
      for (int i = 0; i < 400; ++i) {
        mail.push();
      }
      for (int i = 0; i < 500; ++i) {
        mail.take();
      }
    }
    mail.take_everything();
  }
}

}  // namespace
}  // namespace dcube::detail
