#pragma once

// Damaged Chakra traces: fields and bytes of two ranks' traces.

#include <string>
#include <utility>
#include <vector>

#include "damaged_traces.hpp"
#include "workload/chakra_file.hpp"
#include "workload/chakra_reader.hpp"

namespace dcube::testing {

class ChakraTraces final : public Traces {
 public:
  using Traces::Traces;

  Schedule read_sound() override {
    bytes_ = {bytes_of(nodes(0)), bytes_of(nodes(1))};
    return read();
  }
  std::string read_damaged(Mutator& mutator) override {
    bytes_ = {bytes_of(nodes(0)), bytes_of(nodes(1))};
    const std::size_t rank = mutator.below(2);
    std::vector<chakra::Node> damaged = nodes(static_cast<std::int32_t>(rank));
    for (std::size_t changes = mutator.below(4); changes-- > 0 && !damaged.empty();) {
      change(mutator, damaged);
    }
    bytes_[rank] = bytes_of(damaged);
    if (mutator.below(2) == 0) {
      bytes_[rank] = mutator.mutated(bytes_[rank]);
    }
    return misbehaviour([this] { return read(); });
  }
  void keep() const override {
    write(folder_ / "t.0.et", bytes_[0]);
    write(folder_ / "t.1.et", bytes_[1]);
  }

 private:
  Schedule read() const {
    ChakraContext context{.microsecond = ExactTime{1'000'000, 1}};
    context.text_of = [this](const fs::path& file, ReadingPart) {
      return bytes_[file.string() == "t.0.et" ? 0 : 1];
    };
    return read_chakra({"t.0.et", "t.1.et"}, std::move(context));
  }
  static std::vector<chakra::Node> nodes(std::int32_t rank) {
    return ChakraFile{}
        .of_type(0, chakra::METADATA)
        .compute(1, 300, {0}, true)
        .compute(2, 4000, {1})
        .of_type(3, chakra::MEM_LOAD, 7, {1})
        .send(4, 1 - rank, 1000, 5, {2})
        .receive(5, 1 - rank, 1000, 5, {1})
        .collective(6, ChakraFile::all_reduce, 4096, {4, 5}, "dp")
        .collective(7, ChakraFile::broadcast, 64, {6}, "", 1)
        .collective(8, ChakraFile::reduce_scatter, 77, {6, 7})
        .collective(9, ChakraFile::all_to_all, 77, {8})
        .nodes();
  }
  static std::string bytes_of(const std::vector<chakra::Node>& nodes) {
    ChakraFile file;
    for (const chakra::Node& node : nodes) {
      file.add(node);
    }
    return file.bytes();
  }

  static void change(Mutator& mutator, std::vector<chakra::Node>& nodes) {
    chakra::Node& node = nodes[mutator.below(nodes.size())];
    switch (mutator.below(9)) {
      case 0:
        node.set_id(value(mutator));
        break;
      case 1:
        node.set_type(static_cast<chakra::NodeType>(mutator.below(13)));
        break;
      case 2:
        node.set_duration_micros(value(mutator));
        break;
      case 3:
        node.add_data_dependencies(mutator.below(2) == 0 ? mutator.below(10) : value(mutator));
        break;
      case 4:
        node.clear_control_dependencies();
        break;
      case 5:
        nodes.push_back(node);
        break;
      case 6:
        std::swap(nodes[mutator.below(nodes.size())], node);
        break;
      case 7:
        nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(mutator.below(nodes.size())));
        break;
      default:
        change_attribute(mutator, node);
    }
  }
  static void change_attribute(Mutator& mutator, chakra::Node& node) {
    static const std::vector<std::string> names{"comm_type", "comm_size",   "comm_src",
                                                "comm_dst",  "comm_tag",    "is_cpu_op",
                                                "pg_name",   "involved_dim"};
    chakra::Attribute& attribute = node.attributes_size() == 0 || mutator.below(4) == 0
                                       ? *node.add_attributes()
                                       : *node.mutable_attributes(static_cast<int>(mutator.below(
                                             static_cast<std::size_t>(node.attributes_size()))));
    if (attribute.name().empty() || mutator.below(4) == 0) {
      attribute.set_name(names[mutator.below(names.size())]);
    }
    const std::uint64_t number = value(mutator);
    switch (mutator.below(9)) {
      case 0:
        attribute.set_int32(static_cast<std::int32_t>(number));
        break;
      case 1:
        attribute.set_int64(static_cast<std::int64_t>(number));
        break;
      case 2:
        attribute.set_uint64(number);
        break;
      case 3:
        attribute.set_sint64(-static_cast<std::int64_t>(number >> 1U));
        break;
      case 4:
        attribute.set_fixed64(number);
        break;
      case 5:
        attribute.set_truth(number % 2 == 0);
        break;
      case 6:
        attribute.set_text(mutator.piece());
        break;
      case 7:
        attribute.set_real(static_cast<double>(number));
        break;
      default:
        attribute.clear_value();
    }
  }

  std::vector<std::string> bytes_;
};

}  // namespace dcube::testing
