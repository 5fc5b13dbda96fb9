#include "measures.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/interop/traffic_files.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/scenario/embedding_settings.hpp"
#include "dcube/scenario/machines.hpp"
#include "dcube/scenario/result_json.hpp"
#include "exceptions.hpp"
#include "scenario/documents.hpp"
#include "scenario/json_reading.hpp"
#include "scenario/link_sharing.hpp"
#include "values.hpp"

namespace dcube::python {
namespace {

py::tuple embed(const std::string& machine_text, const std::string& machine_name,
                const std::string& embedding_text, const std::string& embedding_name,
                const std::string& guest_name, const std::string& traffic_file,
                const py::object& compute, const py::object& hop) {
  const Ticks compute_time = read_ticks(compute);
  const Ticks hop_ticks = read_ticks(hop);
  std::string json;
  std::string refuted;
  std::vector<NodeId> map;
  {
    const py::gil_scoped_release unlocked;
    const std::shared_ptr<const Machine> machine =
        read_machine_text(machine_text, machine_name, hop_ticks);
    Params settings =
        embedding_text.empty()
            ? at_least_at("embedding", [&] { return load_embedding_settings(embedding_name); })
            : *read_json(embedding_text, "embedding").group();
    std::optional<Guest> given;
    if (!guest_name.empty()) {
      given = at_place("guest", [&] { return Guest::parse(guest_name); });
    }
    const std::optional<Traffic> traffic =
        traffic_file.empty() ? std::nullopt : std::optional{read_traffic(traffic_file)};
    const Topology& topology = *machine->topology;
    const std::uint32_t slots = machine->node.slots;
    const auto processes = given     ? std::optional{given->process_count()}
                           : traffic ? std::optional{traffic->process_count()}
                                     : std::nullopt;
    settings = read_embedding_file(settings, topology, processes, nullptr, slots);
    const Guest guest = given     ? *given
                        : traffic ? Guest::of_processes(traffic->process_count())
                                  : usual_guest(settings, topology);
    const std::unique_ptr<Embedding> embedding = make_embedding(topology, guest, settings, slots);
    map = embedding->map();
    json = traffic ? traffic_result_json(*machine, *traffic, *embedding, ListOutput::always)
                   : embed_result_json(topology, guest, *embedding, compute_time, hop_ticks,
                                       ListOutput::always, machine->node, link_sharing(*machine),
                                       &refuted);
  }
  warn_of(refuted);
  return py::make_tuple(json, array_of(std::span<const NodeId>{map}));
}

py::list names_of_fitting(const std::string& machine_text, const std::string& machine_name,
                          const std::string& guest) {
  const std::shared_ptr<const Machine> machine =
      read_machine_text(machine_text, machine_name, std::chrono::seconds{1});
  py::list names;
  for (const std::string& name :
       fitting_embeddings(*machine->topology, Guest::parse(guest), machine->node.slots)) {
    names.append(name);
  }
  return names;
}

}  // namespace

std::shared_ptr<const Machine> read_machine_text(const std::string& text, const std::string& name,
                                                 Ticks hop) {
  if (text.empty()) {
    return at_least_at("machine", [&] { return load_machine(name, hop); });
  }
  return read_machine(*read_json(text, "machine").group(), "unnamed", VersionKey::optional);
}

void bind_measures(py::module_& module) {
  module.def("embed", &embed);
  module.def("fitting_embeddings", &names_of_fitting);
}

}  // namespace dcube::python
