#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/embedding/embedding.hpp"

namespace dcube {

/// Embedding by a function: `NodeOfLabel` is a const function object from label to node number.
template <class NodeOfLabel>
class FunctionEmbedding final : public Embedding {
 public:
  /// `kind` is a literal: the embedding keeps the view.
  FunctionEmbedding(std::string_view kind, std::uint32_t process_count, NodeOfLabel node_of_label)
      : kind_{kind}, process_count_{process_count}, node_of_label_{std::move(node_of_label)} {}

  std::string_view kind() const override { return kind_; }
  std::uint32_t process_count() const override { return process_count_; }

  NodeId node_of(ProcessId process) const override {
    expects(process.index() < process_count_, "process is in this embedding");
    return NodeId{node_of_label_(process.index())};
  }

  void nodes_of(ProcessId first, std::span<NodeId> nodes) const override {
    expects(first.index() + nodes.size() <= process_count_, "processes are in this embedding");
    std::uint32_t label = first.index();
    for (NodeId& node : nodes) {
      node = NodeId{node_of_label_(label++)};
    }
  }

 private:
  std::string_view kind_;
  std::uint32_t process_count_;
  NodeOfLabel node_of_label_;
};

template <class NodeOfLabel>
std::unique_ptr<Embedding> make_function_embedding(std::string_view kind, const Guest& guest,
                                                   NodeOfLabel node_of_label) {
  return std::make_unique<FunctionEmbedding<NodeOfLabel>>(kind, guest.process_count(),
                                                          std::move(node_of_label));
}

/// Embedding by a table: `nodes` has the node of each process.
inline std::unique_ptr<Embedding> make_table_embedding(std::string_view kind, const Guest& guest,
                                                       std::vector<NodeId> nodes) {
  return make_function_embedding(kind, guest, [nodes = std::move(nodes)](std::uint32_t label) {
    return nodes[label].index();
  });
}

}  // namespace dcube
