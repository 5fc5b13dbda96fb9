#include "machine_files.hpp"

#include <algorithm>

#include "core/number_setting.hpp"

namespace dcube {
namespace {

/// SimGrid itself reads the file where the topology is made.
Params platform_document(const std::filesystem::path& file) {
  return network_document_of(group_of({{"kind", "simgrid"}, {"platform", file.string()}}), {});
}

}  // namespace

Params network_document_of(Params topology, Params classes) {
  Params document = Params::parse("schema_version=1,switching=cut_through");
  document.set("topology", std::move(topology));
  if (!classes.keys().empty()) {
    document.set("link", group_of({{"classes", std::move(classes)}}));
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
