#include "measures.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
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
  take_machine(fields, request.machines.front(), request.machine_document);
  take("embedding", request.embeddings.front());
  take("guest", request.guest);
  take("seed", request.seed);
  take_traffic(fields, request.traffic, request.matrix);
  take("hosts", request.hosts);
  take("why", request.why);
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
  std::optional<Params> document;
  take_machine(fields, name, document);
  take_field(fields, "guest", guest);
  const std::shared_ptr<const Machine> machine = requested_machine(name, document);
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

void take_machine(const py::dict& fields, std::string& name, std::optional<Params>& document) {
  take_field(fields, "machine", name);
  document = document_in(fields, "machine_text", "machine");
}

std::optional<Ticks> ticks_in(const py::dict& fields, const char* name) {
  return fields.contains(name) && !fields[name].is_none()
             ? std::optional{at_place("." + std::string{name},
                                      [&] { return read_ticks(fields[name]); })}
             : std::nullopt;
}

void take_traffic(const py::dict& fields, std::string& name,
                  std::shared_ptr<const Traffic>& matrix) {
  const py::object given = fields.attr("get")("traffic");
  if (given.is_none() || py::isinstance<py::str>(given)) {
    take_field(fields, "traffic", name);
    return;
  }
  using Ranks = py::array_t<std::uint32_t>;
  const auto [count, senders, receivers, bytes] =
      given.cast<std::tuple<std::uint32_t, Ranks, Ranks, py::array_t<std::uint64_t>>>();
  const std::uint32_t processes = count;  // a lambda may not capture `count` itself
  std::vector<Flow> flows;
  for (py::ssize_t i = 0; i < bytes.size(); ++i) {
    flows.push_back({ProcessId{senders.at(i)}, ProcessId{receivers.at(i)}, bytes.at(i), 1});
  }
  name = "matrix";
  matrix = at_least_at(
      ".traffic", [&] { return std::make_shared<const Traffic>(processes, std::move(flows)); });
}

void bind_measures(py::module_& module) {
  module.def("embed", &embed_with);
  module.def("fitting_embeddings", &names_of_fitting);
}

}  // namespace dcube::python
