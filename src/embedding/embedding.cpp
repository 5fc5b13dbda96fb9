#include "dcube/embedding/embedding.hpp"

#include <vector>

namespace dcube {

std::vector<NodeId> Embedding::map() const {
  std::vector<NodeId> nodes(process_count());
  nodes_of(ProcessId{0}, nodes);
  return nodes;
}

}  // namespace dcube
