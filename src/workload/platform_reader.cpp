#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "child_records.hpp"
#include "core/child_message.hpp"
#include "core/input_file.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/topology/platform.hpp"
#include "dcube/workload/module.hpp"

namespace dcube {
namespace {

Platform platform_from(const std::string& message) {
  ChildReader reader{message};
  if (reader.read<std::uint32_t>() != 0) {
    throw InputError("", fmt::format("SimGrid reads no platform from it ({})", reader.read_text()));
  }
  Platform platform;
  platform.hosts.resize(reader.read<std::uint64_t>());
  for (Platform::Host& host : platform.hosts) {
    host.name = reader.read_text();
    host.flop_per_s = reader.read<double>();
    host.local = reader.read_list<std::uint32_t>();
  }
  platform.links.resize(reader.read<std::uint64_t>());
  for (Platform::Link& link : platform.links) {
    link.name = reader.read_text();
    link.latency_s = reader.read<double>();
    link.bytes_per_s = reader.read<double>();
    link.never_queues = reader.read<bool>();
  }
  for (std::size_t host = 0; host < platform.hosts.size(); ++host) {
    for (std::vector<std::uint32_t>* list : {&platform.lengths, &platform.routes}) {
      const std::vector<std::uint32_t> read = reader.read_list<std::uint32_t>();
      list->insert(list->end(), read.begin(), read.end());
    }
  }
  return platform;
}

}  // namespace

Platform read_platform(const std::filesystem::path& file) {
  expect_readable(file, "");
  return at_least_at(file.string(), [&] {
    const std::filesystem::path program = find_module("dcube-platform");
    refuse_if(program.empty(), "",
              "this dcube cannot read platforms of SimGrid: dcube-platform is missing beside it "
              "(build and install both from the same sources)");
    std::string message;
    const std::string problem = consume_from_program(
        program, {file.string()}, [&](std::string_view bytes) { message += bytes; });
    refuse_if(
        !problem.empty() || message.empty(), "",
        "SimGrid itself fails as it reads this platform ({}; change the platform, such as the "
        "parameters of a cluster, or put a <zone id=\"all\" routing=\"Full\"> around a cluster)",
        problem);
    return platform_from(message);
  });
}

}  // namespace dcube
