#include "dcube/engine/observer.hpp"

#include <gtest/gtest.h>

#include <string>

namespace dcube {
namespace {

class Noting final : public Observer {
 public:
  Noting(std::string name, std::string& notes) : name_{std::move(name)}, notes_{notes} {}
  void on_interval(const Interval&) override { notes_ += name_ + " interval, "; }
  void on_hop(const Hop&) override { notes_ += name_ + " hop, "; }
  void on_delivery(const Delivery&) override { notes_ += name_ + " delivery, "; }
  void on_release(const Release&) override { notes_ += name_ + " release, "; }
  void on_stage_end(ProcessId, std::uint32_t, Ticks) override { notes_ += name_ + " stage, "; }

 private:
  std::string name_;
  std::string& notes_;
};

TEST(ObserverList, TellsEveryObserverEverythingInTheirOrder) {
  std::string notes;
  Noting a{"a", notes};
  Noting b{"b", notes};
  ObserverList list;
  list.add(a);
  list.add(b);
  Observer& all = *list.observer();
  all.on_interval({});
  all.on_hop({});
  all.on_delivery({});
  all.on_release({});
  all.on_stage_end({}, 0, {});
  EXPECT_EQ(notes,
            "a interval, b interval, a hop, b hop, a delivery, b delivery, a release, b release, "
            "a stage, b stage, ");
}

TEST(ObserverList, StandsForNobodyOrTheOnlyOneWithoutACall) {
  std::string notes;
  Noting only{"only", notes};
  ObserverList list;
  EXPECT_EQ(list.observer(), nullptr);
  list.add(only);
  EXPECT_EQ(list.observer(), &only);
}

}  // namespace
}  // namespace dcube
