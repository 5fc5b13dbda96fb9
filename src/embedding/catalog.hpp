#pragma once

#include "dcube/embedding/embedding.hpp"

// One line per embedding, sorted; each is defined in the file of the same name.
#define DCUBE_EMBEDDINGS(EMBEDDING) \
  EMBEDDING(axes)                   \
  EMBEDDING(binary_tree)            \
  EMBEDDING(block)                  \
  EMBEDDING(boxes)                  \
  EMBEDDING(by_weight)              \
  EMBEDDING(cyclic)                 \
  EMBEDDING(explicit)               \
  EMBEDDING(gray)                   \
  EMBEDDING(identity)               \
  EMBEDDING(loop)                   \
  EMBEDDING(random)                 \
  EMBEDDING(snake)                  \
  EMBEDDING(standard)               \
  EMBEDDING(weighted_xor)           \
  EMBEDDING(xor)

namespace dcube {

#define DCUBE_DECLARE_KIND(name) extern const EmbeddingKind name##_kind;
DCUBE_EMBEDDINGS(DCUBE_DECLARE_KIND)
#undef DCUBE_DECLARE_KIND

}  // namespace dcube
