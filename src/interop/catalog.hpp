#pragma once

#include "dcube/interop/map_files.hpp"
#include "dcube/interop/traffic_files.hpp"

// One line per format, sorted; each is defined in the file of the same name.
#define DCUBE_MAP_FORMATS(FORMAT) \
  FORMAT(bluegene)                \
  FORMAT(csv)                     \
  FORMAT(dot)                     \
  FORMAT(grf)                     \
  FORMAT(hostfile)                \
  FORMAT(hostlist)                \
  FORMAT(jax)                     \
  FORMAT(json)                    \
  FORMAT(rankfile)                \
  FORMAT(scotch)                  \
  FORMAT(simgrid)                 \
  FORMAT(tgt)

#define DCUBE_TRAFFIC_FORMATS(FORMAT) \
  FORMAT(csv)                         \
  FORMAT(csv_from_1)                  \
  FORMAT(grf)                         \
  FORMAT(matrix)                      \
  FORMAT(metis)                       \
  FORMAT(mtx)

namespace dcube {

#define DCUBE_DECLARE_FORMAT(name) extern const MapFormat name##_map_format;
DCUBE_MAP_FORMATS(DCUBE_DECLARE_FORMAT)
#undef DCUBE_DECLARE_FORMAT

#define DCUBE_DECLARE_FORMAT(name) extern const TrafficFormat name##_traffic_format;
DCUBE_TRAFFIC_FORMATS(DCUBE_DECLARE_FORMAT)
#undef DCUBE_DECLARE_FORMAT

}  // namespace dcube
