#include "engine/queues.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "dcube/core/random.hpp"

namespace dcube::detail {
namespace {

struct Item {
  std::uint32_t next = 0;
  ProcessId source;
  Tag tag = 0;
};

struct Items {
  std::vector<Item>* items;
  std::uint32_t& next(std::uint32_t i) const { return (*items)[i].next; }
  ProcessId source(std::uint32_t i) const { return (*items)[i].source; }
  Tag tag(std::uint32_t i) const { return (*items)[i].tag; }
};

class Mail {
 public:
  Mail() : queues_{Items{&items_}} {}

  std::uint32_t push(Queue& queue, std::uint32_t source, Tag tag = 0) {
    items_.push_back({0, ProcessId{source}, tag});
    const auto item = static_cast<std::uint32_t>(items_.size() - 1);
    queues_.push(queue, item);
    return item;
  }
  std::uint32_t take(Queue& queue, std::uint32_t source, Tag tag = 0) {
    return queues_.take(queue, ProcessId{source}, tag);
  }
  std::uint32_t find(Queue& queue, std::uint32_t source, Tag tag = 0) {
    return queues_.find(queue, ProcessId{source}, tag);
  }

 private:
  std::vector<Item> items_;
  Queues<Items> queues_;
};

TEST(Queues, NothingIsInAnEmptyOne) {
  Mail mail;
  Queue queue;
  EXPECT_TRUE(queue.is_empty());
  EXPECT_EQ(mail.take(queue, 0), nothing);
  EXPECT_EQ(mail.find(queue, 0), nothing);
}

TEST(Queues, ItemsOfASourceComeInTheOrderTheyWerePushed) {
  Mail mail;
  Queue queue;
  const std::uint32_t a = mail.push(queue, 1);
  const std::uint32_t b = mail.push(queue, 2);
  const std::uint32_t c = mail.push(queue, 1);
  EXPECT_EQ(mail.take(queue, 1), a);
  EXPECT_EQ(mail.take(queue, 1), c);
  EXPECT_EQ(mail.take(queue, 1), nothing);
  EXPECT_EQ(mail.take(queue, 2), b);
  EXPECT_TRUE(queue.is_empty());
}

TEST(Queues, AnyTagSuitsEveryOther) {
  Mail mail;
  Queue queue;
  mail.push(queue, 1, 5);
  const std::uint32_t seven = mail.push(queue, 1, 7);
  EXPECT_EQ(mail.take(queue, 1, 6), nothing);
  EXPECT_EQ(mail.take(queue, 1, 7), seven);
  EXPECT_NE(mail.find(queue, 1, any_tag), nothing);
  EXPECT_NE(mail.take(queue, 1, any_tag), nothing);
  EXPECT_TRUE(queue.is_empty());
}

/// What a queue should give, said plainly.
class PlainQueue {
 public:
  void push(std::uint32_t item, std::uint32_t source, Tag tag) {
    items_.push_back({item, source, tag});
  }
  std::uint32_t first(std::uint32_t source, Tag tag) const {
    const auto found = std::ranges::find_if(items_, [&](const Known& known) {
      return known.source == source && suits(known.tag, tag);
    });
    return found == items_.end() ? nothing : found->item;
  }
  void remove(std::uint32_t item) {
    std::erase_if(items_, [&](const Known& known) { return known.item == item; });
  }

 private:
  struct Known {
    std::uint32_t item;
    std::uint32_t source;
    Tag tag;
  };
  std::deque<Known> items_;
};

TEST(Queues, AgreeWithPlainOnes) {
  for (const std::uint32_t sources : {1U, 3U, 200U}) {
    SplitMix64 random{sources};
    const auto draw = [&random](std::uint32_t bound) {
      return static_cast<std::uint32_t>(bounded(random.next(), bound));
    };
    Mail mail;
    std::vector<Queue> queues(3);
    std::vector<PlainQueue> plain(queues.size());
    for (std::uint32_t step = 0; step < 20'000; ++step) {
      const std::uint32_t q = draw(3);
      const std::uint32_t source = draw(sources);
      const Tag tag = draw(4) == 0 ? any_tag : draw(3);
      const bool grows = step / 2'000 % 2 == 0;  // long queues, then empty ones
      if (draw(3) < (grows ? 2U : 1U)) {
        plain[q].push(mail.push(queues[q], source, tag), source, tag);
        continue;
      }
      const std::uint32_t expected = plain[q].first(source, tag);
      if (draw(20) == 0) {
        ASSERT_EQ(mail.find(queues[q], source, tag), expected);
      }
      ASSERT_EQ(mail.take(queues[q], source, tag), expected) << "step " << step;
      plain[q].remove(expected);
    }
  }
}

}  // namespace
}  // namespace dcube::detail
