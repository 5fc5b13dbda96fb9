// A topology: the ring by another name, which says what it is and so gets what the ring gets.
#include <dcube/topology/topology.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

class Loop final : public dcube::Topology {
 public:
  explicit Loop(std::unique_ptr<dcube::Topology> ring) : ring_{std::move(ring)} {}

  std::string_view kind() const override { return "loop"; }
  const dcube::Structure& structure() const override {
    static const dcube::Structure ring{.lines = {dcube::Structure::Line::cycle},
                                       .are_nodes_alike = true};
    return ring;
  }
  std::span<const std::uint32_t> shape() const override { return ring_->shape(); }
  std::uint32_t node_count() const override { return ring_->node_count(); }
  std::uint64_t link_count() const override { return ring_->link_count(); }
  std::vector<dcube::NodeId> neighbours(dcube::NodeId node) const override {
    return ring_->neighbours(node);
  }
  std::uint32_t distance(dcube::NodeId from, dcube::NodeId to) const override {
    return ring_->distance(from, to);
  }
  dcube::Run next_run(dcube::NodeId at, dcube::NodeId to) const override {
    return ring_->next_run(at, to);
  }
  std::uint32_t link_slots() const override { return ring_->link_slots(); }
  std::optional<dcube::Link> link(dcube::LinkId link) const override { return ring_->link(link); }
  dcube::LinkId reverse(dcube::LinkId link) const override { return ring_->reverse(link); }
  std::span<const dcube::LinkDirection> link_directions() const override {
    return ring_->link_directions();
  }

 private:
  std::unique_ptr<dcube::Topology> ring_;
};

std::unique_ptr<dcube::Topology> make_loop(const dcube::Params& settings) {
  const std::string nodes = std::to_string(settings.positive_int("length"));
  return std::make_unique<Loop>(
      dcube::make_topology(dcube::Params::parse("kind=ring,nodes=" + nodes)));
}

const dcube::TopologyKind kind{
    "loop", "a ring by another name", "length=5", {{"length", "nodes (>= 1)", ""}}, make_loop};
const bool is_registered = dcube::register_topology(kind);

}  // namespace
