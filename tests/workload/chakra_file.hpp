#pragma once

#include <chakra_trace.pb.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace dcube::testing {

/// Writes the trace of one rank, node by node.
class ChakraFile {
 public:
  using Id = std::uint64_t;
  using Dependencies = std::vector<Id>;

  ChakraFile() {
    chakra::Metadata metadata;
    metadata.set_version("0.0.4");
    add(metadata);
  }

  ChakraFile& compute(Id id, std::uint64_t micros, const Dependencies& after = {},
                      bool is_host = false) {
    chakra::Node made = node(id, chakra::COMP, after);
    made.set_duration_micros(micros);
    chakra::Attribute& attribute = *made.add_attributes();
    attribute.set_name("is_cpu_op");
    attribute.set_truth(is_host);
    return add(made);
  }
  ChakraFile& of_type(Id id, chakra::NodeType type, std::uint64_t micros = 0,
                      const Dependencies& after = {}) {
    chakra::Node made = node(id, type, after);
    made.set_duration_micros(micros);
    return add(made);
  }
  ChakraFile& send(Id id, std::int32_t to, std::uint64_t bytes, std::uint32_t tag = 0,
                   const Dependencies& after = {}) {
    chakra::Node made = node(id, chakra::COMM_SEND, after);
    set(made, "comm_dst", to);
    set(made, "comm_size", static_cast<std::int64_t>(bytes));
    set(made, "comm_tag", tag);
    return add(made);
  }
  ChakraFile& receive(Id id, std::int32_t from, std::uint64_t bytes, std::uint32_t tag = 0,
                      const Dependencies& after = {}) {
    chakra::Node made = node(id, chakra::COMM_RECV, after);
    set(made, "comm_src", from);
    set(made, "comm_size", static_cast<std::int64_t>(bytes));
    set(made, "comm_tag", tag);
    return add(made);
  }
  static constexpr std::int64_t all_reduce = 0;
  static constexpr std::int64_t reduce = 1;
  static constexpr std::int64_t all_gather = 2;
  static constexpr std::int64_t gather = 3;
  static constexpr std::int64_t scatter = 4;
  static constexpr std::int64_t broadcast = 5;
  static constexpr std::int64_t all_to_all = 6;
  static constexpr std::int64_t reduce_scatter = 7;
  static constexpr std::int64_t reduce_scatter_block = 8;
  static constexpr std::int64_t barrier = 9;
  ChakraFile& collective(Id id, std::int64_t type, std::uint64_t bytes,
                         const Dependencies& after = {}, const std::string& group = "",
                         std::int64_t root = -1) {
    chakra::Node made = node(id, chakra::COMM_COLL, after);
    set(made, "comm_type", type);
    set(made, "comm_size", static_cast<std::int64_t>(bytes));
    if (root >= 0) {
      set(made, "comm_src", root);
    }
    if (!group.empty()) {
      chakra::Attribute& attribute = *made.add_attributes();
      attribute.set_name("pg_name");
      attribute.set_text(group);
    }
    return add(made);
  }

  /// Adds an attribute to the last node.
  ChakraFile& with(const std::string& name, const std::string& value) {
    chakra::Node made = nodes_.back();
    nodes_.pop_back();
    bytes_.resize(begin_of_last_);
    chakra::Attribute& attribute = *made.add_attributes();
    attribute.set_name(name);
    attribute.set_text(value);
    return add(made);
  }

  static chakra::Node node(Id id, chakra::NodeType type, const Dependencies& after) {
    chakra::Node made;
    made.set_id(id);
    made.set_type(type);
    bool is_control = false;  // both kinds, in turn
    for (const Id before : after) {
      is_control = !is_control;
      is_control ? made.add_control_dependencies(before) : made.add_data_dependencies(before);
    }
    return made;
  }
  static void set(chakra::Node& node, const std::string& name, std::int64_t value) {
    chakra::Attribute& attribute = *node.add_attributes();
    attribute.set_name(name);
    // As writers differ in the type, it depends on the value here.
    if (value < 0) {
      attribute.set_sint64(value);
    } else if (value % 2 == 0) {
      attribute.set_int64(value);
    } else {
      attribute.set_uint64(static_cast<std::uint64_t>(value));
    }
  }
  template <class Message>
  ChakraFile& add(const Message& message) {
    const std::string bytes = message.SerializeAsString();
    begin_of_last_ = bytes_.size();
    for (std::size_t left = bytes.size();; left >>= 7) {
      bytes_ += static_cast<char>((left & 0x7f) | (left >= 0x80 ? 0x80 : 0));
      if (left < 0x80) {
        break;
      }
    }
    bytes_ += bytes;
    if constexpr (std::is_same_v<Message, chakra::Node>) {
      nodes_.push_back(message);
    }
    return *this;
  }
  const std::string& bytes() const { return bytes_; }
  const std::vector<chakra::Node>& nodes() const { return nodes_; }

 private:
  std::string bytes_;
  std::size_t begin_of_last_ = 0;
  std::vector<chakra::Node> nodes_;
};

}  // namespace dcube::testing
