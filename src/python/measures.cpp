#include "measures.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "core/json_reading.hpp"
#include "core/refuse.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/questions/embed.hpp"
#include "dcube/questions/search.hpp"
#include "exceptions.hpp"
#include "values.hpp"

namespace dcube::python {
namespace {

py::tuple embed_with(const py::dict& fields) {
  EmbedRequest request{.machines = {""}, .embeddings = {""}, .lists = ListOutput::always};
  const auto take = [&](const char* name, auto& field) { take_field(fields, name, field); };
  take("machine", request.machines.front());
  take("embedding", request.embeddings.front());
  take("guest", request.guest);
  take("seed", request.seed);
  take("traffic", request.traffic);
  take("hosts", request.hosts);
  take("why", request.why);
  request.machine_document = document_in(fields, "machine_text", "machine");
  request.embedding_document = document_in(fields, "embedding_text", "embedding");
  request.compute = ticks_in(fields, "compute");
  request.hop = ticks_in(fields, "hop");
  std::string json;
  std::vector<std::string> refuted;
  std::vector<NodeId> map;
  {
    const Unlocked unlocked;
    const EmbedAnswer answer = embed(request);
    map = answer.placements.front().embedding->map();
    json = embed_json(answer, refuted);
  }
  std::ranges::for_each(refuted, warn_of);
  return py::make_tuple(json, array_of(std::span<const NodeId>{map}));
}

py::list names_of_fitting(const py::dict& fields) {
  std::string name;
  std::string guest;
  take_field(fields, "machine", name);
  take_field(fields, "guest", guest);
  const std::shared_ptr<const Machine> machine =
      requested_machine(name, document_in(fields, "machine_text", "machine"));
  py::list names;
  for (const std::string& fitting :
       fitting_embeddings(*machine->topology, Guest::parse(guest), machine->node.slots)) {
    names.append(fitting);
  }
  return names;
}

}  // namespace

std::optional<Params> document_in(const py::dict& fields, const char* name, const char* place) {
  std::string text;
  take_field(fields, name, text);
  if (text.empty()) {
    return std::nullopt;
  }
  const Setting document = read_json(text, place);
  refuse_if(document.group() == nullptr, place, "is no group of settings");
  return *document.group();
}

std::optional<Ticks> ticks_in(const py::dict& fields, const char* name) {
  return fields.contains(name) && !fields[name].is_none() ? std::optional{read_ticks(fields[name])}
                                                          : std::nullopt;
}

void bind_measures(py::module_& module) {
  module.def("embed", &embed_with);
  module.def("fitting_embeddings", &names_of_fitting);
}

}  // namespace dcube::python
