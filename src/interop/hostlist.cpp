#include "catalog.hpp"
#include "hostfile.hpp"

namespace dcube {

const MapFormat hostlist_map_format{
    "hostlist",
    "host of every rank, a line each, for Slurm and Open MPI's --map-by seq",
    "dcube embed torus:8x8 --embedding xor --write hostlist:x.hostlist",
    ".hostlist",
    hostfile::hosts_of_ranks,
    hostfile::read};

}  // namespace dcube
