#include "dcube/questions/embed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/counted.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "core/number_setting.hpp"
#include "core/refuse.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/memory.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "dcube/questions/search.hpp"
#include "dcube/questions/search_traffic.hpp"
#include "dcube/scenario/embedding_settings.hpp"
#include "dcube/scenario/link_sharing.hpp"
#include "questions/search/search_json.hpp"
#include "scenario/embed_result.hpp"

namespace dcube {
namespace {

Params settings_of(const EmbedRequest& request, const std::string& name) {
  Params settings = request.embedding_document ? *request.embedding_document
                                               : embedding_option(name, request.hosts);
  const EmbeddingKind* kind = find_kind(embedding_catalog(), settings.text("kind"));
  if (request.seed && kind != nullptr &&
      std::ranges::count(kind->parameters, "seed", &ParameterHelp::name) > 0) {
    settings.set("seed", number_setting(*request.seed));
  }
  return settings;
}

/// The guest that is given, that of the traffic, or the usual one. A map says only of a cube how
/// its processes talk.
Guest chosen_guest(const std::optional<Guest>& given, const Traffic* traffic,
                   const Params& settings, const Topology& topology) {
  if (given) {
    return *given;
  }
  if (traffic != nullptr) {
    return Guest::of_processes(traffic->process_count());
  }
  const Guest usual = usual_guest(settings, topology);
  refuse_if(usual.kind() != Guest::Kind::cube, ".guest",
            "the map's {} processes are no cube; name their shape (`.guest` line:{}) or give their "
            "`.traffic`",
            usual.process_count(), usual.process_count());
  return usual;
}

/// Checks memory before the map is made, which may take long.
void expect_room_to_measure(const EmbedRequest& request, const Placement& placement) {
  const std::uint64_t processes = placement.guest.process_count();
  const std::uint64_t to_measure =
      measuring_bytes(placement.topology(), placement.guest) + 8 * processes;  // two maps
  const std::uint64_t to_predict = 25 * processes;  // two maps, two times and a flag each
  const std::uint64_t to_print = request.lists == ListOutput::always ? 60 * processes : 0;
  try {
    expect_fits_in_memory(fmt::format("measuring {}", placement.embedding_name),
                          std::max(to_measure, to_predict) + to_print);
  } catch (const MemoryError& error) {
    throw MemoryError(".embedding", error.problem());
  }
}

/// Fills in the guest and the embedding. Throws InputError when the embedding does not fit.
void place_one(const EmbedRequest& request, Params settings, const std::optional<Guest>& given,
               std::vector<std::filesystem::path>& inputs, Placement& placement) {
  const Topology& topology = placement.topology();
  const Traffic* traffic = placement.traffic.get();
  const std::uint32_t slots = placement.machine->node.slots;
  const std::optional<std::uint32_t> processes = given ? std::optional{given->process_count()}
                                                 : traffic != nullptr
                                                     ? std::optional{traffic->process_count()}
                                                     : std::nullopt;
  const bool is_named = is_of_name(settings);
  settings = at_least_at(".embedding", [&] {
    return read_embedding_file(settings, topology, processes, &inputs, slots);
  });
  placement.guest = chosen_guest(given, traffic, settings, topology);
  if (traffic == nullptr) {
    expect_room_to_measure(request, placement);
  }
  const auto make = [&] { return make_embedding(topology, placement.guest, settings, slots); };
  placement.embedding = is_named ? at_place(".embedding", make) : make();
}

/// Keys of measures that routes decide.
constexpr std::array loads{"node_load", "link_load", "gonzalez_load", "link_bytes"};

/// The measures, or why there are none.
nlohmann::ordered_json measures_json(const Placement& placement, const EmbedAnswer& answer,
                                     std::string& refuted) {
  const Machine& machine = *placement.machine;
  if (!placement.embedding) {
    return {{"outcome", to_string(Outcome::refused)},
            {"problem", placement.refusal},
            {"machine", network_result(placement.topology(), machine.node.slots)},
            {"embedding", {{"kind", placement.embedding_name}}}};
  }
  nlohmann::ordered_json json =
      placement.traffic
          ? traffic_result(machine, *placement.traffic, *placement.embedding, answer.lists)
          : embed_result(placement.topology(), placement.guest, *placement.embedding,
                         answer.compute, answer.hop, answer.lists, machine.node,
                         link_sharing(machine), &refuted);
  for (const char* load : loads) {
    if (!knows_routes(machine) && json.contains(load)) {
      json[load] = nullptr;
    }
  }
  if (placement.why) {
    json["why"] = reasons_json(*placement.why, placement.embedding->map());
  }
  return json;
}

nlohmann::ordered_json placement_json(const Placement& placement, const EmbedAnswer& answer,
                                      std::string& refuted) {
  nlohmann::ordered_json json = measures_json(placement, answer, refuted);
  nlohmann::ordered_json machine{{"name", placement.machine->name}};
  machine.update(json["machine"]);
  json["machine"] = std::move(machine);
  if (!placement.embedding_name.empty()) {
    json["embedding"]["name"] = placement.embedding_name;
  }
  return json;
}

/// `field`: of the list.
void refuse_twice(const std::vector<std::string>& names, const char* field) {
  for (auto name = names.begin(); name != names.end(); ++name) {
    refuse_if(std::find(names.begin(), name, *name) != name, field, "{} is given twice", *name);
  }
}

void give_reasons(Placement& placement) {
  placement.why = at_least_at(".why", [&] {
    placement.reasoned = placement.placed_traffic();
    check_problem(*placement.reasoned.problem);
    return reasons_of(*placement.reasoned.problem, placement.embedding->map(),
                      knows_routes(*placement.machine));
  });
}

}  // namespace

PlacedTraffic Placement::placed_traffic() const {
  const auto of = traffic ? traffic : std::make_shared<const Traffic>(Traffic::of(guest));
  return {of, std::make_shared<SearchProblem>(SearchProblem{.topology = topology(),
                                                            .traffic = *of,
                                                            .slots = machine->node.slots,
                                                            .guest = guest,
                                                            .sharing = link_sharing(*machine),
                                                            .rates = rates_if_any(*machine)})};
}

EmbedAnswer embed(const EmbedRequest& request) {
  const bool is_one = request.machines.size() * request.embeddings.size() == 1;
  refuse_if(request.why && !is_one, ".why",
            "explains one embedding on one machine; leave out the others");
  if (!request.writes_hosts) {
    check_hosts_option(request.hosts, request.embeddings);
  }
  refuse_if(request.machines.empty(), ".machines", "no machine is named");
  refuse_if(request.embeddings.empty(), ".embeddings", "no embedding is named");
  refuse_twice(request.machines, ".machine");
  refuse_twice(request.embeddings, ".embedding");
  const std::optional<Guest> asked =
      request.guest.empty()
          ? std::nullopt
          : std::optional{at_place(".guest", [&] { return Guest::parse(request.guest); })};
  std::shared_ptr<const Traffic> traffic;
  std::optional<Guest> of_traffic;
  if (!request.traffic.empty()) {
    NamedTraffic named = traffic_option(request.traffic, "", request.matrix);
    traffic = std::make_shared<Traffic>(std::move(named.traffic));
    of_traffic = std::move(named.guest);
  }
  EmbedAnswer answer{.compute = request.compute.value_or(usual_cc_cost),
                     .hop = request.hop.value_or(usual_cc_cost),
                     .lists = request.lists};
  std::optional<InputError> refusal;
  bool has_one = false;
  for (const std::string& machine_name : request.machines) {
    const auto machine = requested_machine(machine_name, request.machine_document, answer.hop);
    for (const std::string& name : request.embeddings) {
      const Params settings = settings_of(request, name);
      const std::optional<Guest> of_embedding = named_guest(settings);
      const std::optional<Guest>& given = asked ? asked : of_embedding ? of_embedding : of_traffic;
      refuse_if(given && traffic && given->process_count() != traffic->process_count(), ".guest",
                "{} has {}, the traffic {}", given ? given->name() : "",
                given ? counted(given->process_count(), "process") : "",
                traffic ? grouped(traffic->process_count()) : "");
      answer.placements.push_back({machine_name, name, machine, traffic});
      Placement& placement = answer.placements.back();
      try {
        place_one(request, settings, given, answer.inputs, placement);
        has_one = true;
      } catch (const MemoryError&) {
        throw;  // it is this computer's, not the embedding's
      } catch (const InputError& error) {
        placement.refusal = error.problem();
        refusal = refusal ? refusal : error;
      }
    }
  }
  if (!has_one) {
    throw *refusal;
  }
  if (request.why) {
    give_reasons(answer.placements.front());
  }
  return answer;
}

std::vector<MeasuredPlacement> measured(const EmbedAnswer& answer) {
  return mapped(answer.placements, [](const Placement& placement) {
    MeasuredPlacement measured{&placement};
    if (placement.embedding) {
      const std::vector<NodeId> map = placement.embedding->map();
      const LinkSharing sharing = link_sharing(*placement.machine);
      if (placement.traffic) {
        measured.of_traffic =
            measure_traffic(placement.topology(), *placement.traffic, map, sharing);
      } else {
        measured.of_guest = measure_embedding(placement.topology(), placement.guest, map, sharing);
      }
    }
    return measured;
  });
}

Columns<MeasuredPlacement> placement_columns(const EmbedAnswer& answer) {
  const auto of = [](auto member) {
    return
        [member](const MeasuredPlacement& row) { return row.*member ? &*(row.*member) : nullptr; };
  };
  Columns<MeasuredPlacement> columns =
      answer.placements.front().traffic
          ? columns_of_part<MeasuredPlacement>(traffic_columns(),
                                               of(&MeasuredPlacement::of_traffic))
          : columns_of_part<MeasuredPlacement>(embedding_columns(),
                                               of(&MeasuredPlacement::of_guest));
  for (Column<MeasuredPlacement>& column : columns) {
    if (std::ranges::any_of(loads,
                            [&](const char* load) { return column.key.starts_with(load); })) {
      column.value = [value = column.value](const MeasuredPlacement& row) {
        return knows_routes(*row.placement->machine) ? value(row) : CellValue{};
      };
    }
  }
  return columns;
}

std::string embed_csv(const EmbedAnswer& answer) {
  using Row = const MeasuredPlacement&;
  Columns<MeasuredPlacement> columns{
      {"", Shown::nowhere, [](Row row) { return row.placement->machine_name; }, "machine"},
      {"", Shown::nowhere, [](Row row) { return row.placement->topology().terminal_count(); },
       "nodes"},
      {"", Shown::nowhere, [](Row row) { return row.placement->embedding_name; }, "embedding"}};
  columns = columns + placement_columns(answer);
  columns.push_back(
      {"", Shown::nowhere, [](Row row) { return row.placement->refusal; }, "problem"});
  return csv_table(columns, measured(answer));
}

std::string embed_json(const EmbedAnswer& answer, std::vector<std::string>& refuted) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Placement& placement : answer.placements) {
    json.push_back(placement_json(placement, answer, refuted.emplace_back()));
  }
  return json_layout(json.size() == 1 ? json.front() : json);
}

}  // namespace dcube
