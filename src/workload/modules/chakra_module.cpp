// Module that reads Chakra execution traces with protobuf. The program loads it on demand.

#include <chakra_trace.pb.h>

#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chakra_records.hpp"

namespace {

using dcube::chakra::Attribute;

/// Takes a varint off the front of `bytes`; nothing if it is incomplete.
std::optional<uint64_t> take_length(std::string_view& bytes) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) {
      return value;
    }
  }
  return std::nullopt;
}

ChakraAttribute attribute_of(const Attribute& read) {
  ChakraAttribute told{read.name().data(), read.name().size(), ChakraAttribute::whole, 0, 0, "", 0};
  switch (read.value_case()) {
    case Attribute::kInt32:
      told.whole_value = read.int32();
      break;
    case Attribute::kInt64:
      told.whole_value = read.int64();
      break;
    case Attribute::kUint32:
      told.whole_value = read.uint32();
      break;
    case Attribute::kUint64:
    case Attribute::kFixed64: {
      const uint64_t value =
          read.value_case() == Attribute::kUint64 ? read.uint64() : read.fixed64();
      // Greater than any size or time that can be simulated.
      constexpr uint64_t most = std::numeric_limits<int64_t>::max();
      told.whole_value = static_cast<int64_t>(value < most ? value : most);
      break;
    }
    case Attribute::kSint32:
      told.whole_value = read.sint32();
      break;
    case Attribute::kSint64:
      told.whole_value = read.sint64();
      break;
    case Attribute::kFixed32:
      told.whole_value = read.fixed32();
      break;
    case Attribute::kSfixed32:
      told.whole_value = read.sfixed32();
      break;
    case Attribute::kSfixed64:
      told.whole_value = read.sfixed64();
      break;
    case Attribute::kTruth:
      told.whole_value = read.truth() ? 1 : 0;
      break;
    case Attribute::kReal:
      told.kind = ChakraAttribute::real;
      told.real_value = read.real();
      break;
    case Attribute::kShortReal:
      told.kind = ChakraAttribute::real;
      told.real_value = read.short_real();
      break;
    case Attribute::kText:
      told.kind = ChakraAttribute::text;
      told.text_value = read.text().data();
      told.text_bytes = read.text().size();
      break;
    case Attribute::kTruths:
      static_assert(sizeof(bool) == 1);
      told.kind = ChakraAttribute::truths;
      told.text_value = reinterpret_cast<const char*>(read.truths().values().data());
      told.text_bytes = static_cast<size_t>(read.truths().values_size());
      break;
    case Attribute::VALUE_NOT_SET:
      told.kind = ChakraAttribute::unknown;
      break;
  }
  return told;
}

void tell(const dcube::chakra::Node& read, const ChakraSink& sink) {
  std::vector<uint64_t> dependencies(read.control_dependencies().begin(),
                                     read.control_dependencies().end());
  dependencies.insert(dependencies.end(), read.data_dependencies().begin(),
                      read.data_dependencies().end());
  std::vector<ChakraAttribute> attributes;
  for (const Attribute& attribute : read.attributes()) {
    attributes.push_back(attribute_of(attribute));
  }
  const ChakraNode told{read.id(),
                        read.name().data(),
                        read.name().size(),
                        static_cast<uint32_t>(read.type()),
                        read.duration_micros(),
                        dependencies.data(),
                        dependencies.size(),
                        attributes.data(),
                        attributes.size()};
  sink.node(sink.context, &told);
}

/// Returns the error, or "". `message` counts messages read.
std::string read(std::string_view bytes, const ChakraSink& sink, uint64_t& message) {
  for (; !bytes.empty(); ++message) {
    const std::optional<uint64_t> length = take_length(bytes);
    if (!length) {
      return "ends within the length of a message";
    }
    if (*length > bytes.size()) {
      return "ends within a message, or is no file of messages with their lengths before them";
    }
    if (*length > std::numeric_limits<int>::max()) {
      return "has a message of more than 2 GiB";
    }
    const auto size = static_cast<int>(*length);
    if (message == 0) {
      if (dcube::chakra::Metadata metadata; !metadata.ParseFromArray(bytes.data(), size)) {
        return "does not begin with the metadata of a Chakra trace";
      }
    } else {
      dcube::chakra::Node node;
      if (!node.ParseFromArray(bytes.data(), size)) {
        return "has a message that is no node of a Chakra trace";
      }
      tell(node, sink);
    }
    bytes.remove_prefix(*length);
  }
  return message == 0 ? "is empty" : "";
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void DCUBE_CHAKRA_FUNCTION(
    const char* bytes, size_t size, const ChakraSink* sink) {
  uint64_t message = 0;
  std::string problem;
  try {
    problem = read({bytes, size}, *sink, message);
  } catch (const std::exception& error) {
    problem = error.what();
  }
  if (!problem.empty()) {
    sink->problem(sink->context, message, problem.c_str());
  }
}
