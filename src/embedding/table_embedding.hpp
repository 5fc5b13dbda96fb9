#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "dcube/embedding/embedding.hpp"

namespace dcube {

/// An embedding without structure: the node of each process, distinct nodes. `kind` is a literal.
std::unique_ptr<Embedding> make_table_embedding(std::string_view kind, std::vector<NodeId> nodes);

}  // namespace dcube
