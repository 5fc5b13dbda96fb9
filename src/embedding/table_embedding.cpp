#include "table_embedding.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

class TableEmbedding final : public Embedding {
 public:
  TableEmbedding(std::string_view kind, std::vector<NodeId> nodes)
      : kind_{kind}, nodes_{std::move(nodes)} {}

  std::string_view kind() const override { return kind_; }
  std::uint32_t process_count() const override { return static_cast<std::uint32_t>(nodes_.size()); }

  NodeId node_of(ProcessId process) const override {
    expects(process.index() < nodes_.size(), "process is in this embedding");
    return nodes_[process.index()];
  }

  void nodes_of(ProcessId first, std::span<NodeId> nodes) const override {
    expects(first.index() + nodes.size() <= nodes_.size(), "processes are in this embedding");
    std::copy_n(nodes_.begin() + static_cast<std::ptrdiff_t>(first.index()), nodes.size(),
                nodes.begin());
  }

 private:
  std::string_view kind_;
  std::vector<NodeId> nodes_;
};

}  // namespace

std::unique_ptr<Embedding> make_table_embedding(std::string_view kind, std::vector<NodeId> nodes) {
  return std::make_unique<TableEmbedding>(kind, std::move(nodes));
}

}  // namespace dcube
