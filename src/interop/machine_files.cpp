#include "machine_files.hpp"

#include <algorithm>

namespace dcube {
namespace {

/// SimGrid itself reads the file where the topology is made.
Params platform_document(const std::filesystem::path& file) {
  Params topology;
  topology.set("kind", "simgrid");
  topology.set("platform", file.string());
  return network_document_of(std::move(topology), {});
}

}  // namespace

Params network_document_of(Params topology, Params classes) {
  Params document = Params::parse("schema_version=1,switching=cut_through");
  document.set("topology", std::move(topology));
  if (!classes.keys().empty()) {
    Params link;
    link.set("classes", std::move(classes));
    document.set("link", std::move(link));
  }
  return document;
}

const std::vector<MachineFormat>& machine_formats() {
  static const std::vector<MachineFormat> formats{
      astra_sim_machines,
      htsim_machines,
      {"simgrid", "a platform of SimGrid", ".xml", platform_document},
  };
  return formats;
}

const MachineFormat* machine_format_of(std::string_view file) {
  const auto found = std::ranges::find_if(machine_formats(), [file](const MachineFormat& format) {
    return file.ends_with(format.suffix);
  });
  return found == machine_formats().end() ? nullptr : &*found;
}

}  // namespace dcube
