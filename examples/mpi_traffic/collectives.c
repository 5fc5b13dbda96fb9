// Calls and bytes of collectives and one-sided communication, which are in no matrix.
//
// A collective says how much each rank gives and gets. Which ranks then exchange messages is a
// matter of the algorithm that the MPI library chooses. So they are counted by name: how many ranks
// called it how often, and the bytes that they gave, once each (a broadcast: those of the root).
// dcube runs collectives by algorithms of its own: `dcube collective`.

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

#include "traffic.h"

static int size_of(MPI_Comm comm) {
  int size, is_inter;
  PMPI_Comm_test_inter(comm, &is_inter);
  is_inter ? PMPI_Comm_remote_size(comm, &size) : PMPI_Comm_size(comm, &size);
  return size;
}

static int own_rank(MPI_Comm comm) {
  int rank;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

static int is_root(int root, MPI_Comm comm) { return root == own_rank(comm) || root == MPI_ROOT; }

static uint64_t sum(const int counts[], MPI_Datatype type, MPI_Comm comm) {
  uint64_t bytes = 0;
  for (int i = 0, size = size_of(comm); i < size; ++i) bytes += traffic_bytes(counts[i], type);
  return bytes;
}

static uint64_t sum_of_types(const int counts[], const MPI_Datatype types[], MPI_Comm comm) {
  uint64_t bytes = 0;
  for (int i = 0, size = size_of(comm); i < size; ++i) bytes += traffic_bytes(counts[i], types[i]);
  return bytes;
}

// With MPI_IN_PLACE a rank gives what is in the buffer of what it gets, by the counts of that.
#define GIVEN(in_place, otherwise) (send == MPI_IN_PLACE ? (in_place) : (otherwise))

// X(call, the call with a request, parameters, arguments, bytes that this rank gives)
#define LIST(...) __VA_ARGS__
#define CALLS(X)                                                                               \
  X(Barrier, Ibarrier, LIST(MPI_Comm comm), LIST(comm), 0)                                     \
  X(Bcast, Ibcast, LIST(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm),    \
    LIST(data, count, type, root, comm), is_root(root, comm) ? traffic_bytes(count, type) : 0) \
  X(Reduce, Ireduce,                                                                           \
    LIST(const void *send, void *got, int count, MPI_Datatype type, MPI_Op op, int root,       \
         MPI_Comm comm),                                                                       \
    LIST(send, got, count, type, op, root, comm), traffic_bytes(count, type))                  \
  X(Allreduce, Iallreduce,                                                                     \
    LIST(const void *send, void *got, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), \
    LIST(send, got, count, type, op, comm), traffic_bytes(count, type))                        \
  X(Scan, Iscan,                                                                               \
    LIST(const void *send, void *got, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), \
    LIST(send, got, count, type, op, comm), traffic_bytes(count, type))                        \
  X(Exscan, Iexscan,                                                                           \
    LIST(const void *send, void *got, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), \
    LIST(send, got, count, type, op, comm), traffic_bytes(count, type))                        \
  X(Reduce_scatter_block, Ireduce_scatter_block,                                               \
    LIST(const void *send, void *got, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), \
    LIST(send, got, count, type, op, comm), size_of(comm) * traffic_bytes(count, type))        \
  X(Reduce_scatter, Ireduce_scatter,                                                           \
    LIST(const void *send, void *got, const int counts[], MPI_Datatype type, MPI_Op op,        \
         MPI_Comm comm),                                                                       \
    LIST(send, got, counts, type, op, comm), sum(counts, type, comm))                          \
  X(Gather, Igather,                                                                           \
    LIST(const void *send, int count, MPI_Datatype type, void *got, int most, MPI_Datatype of, \
         int root, MPI_Comm comm),                                                             \
    LIST(send, count, type, got, most, of, root, comm),                                        \
    GIVEN(traffic_bytes(most, of), traffic_bytes(count, type)))                                \
  X(Gatherv, Igatherv,                                                                         \
    LIST(const void *send, int count, MPI_Datatype type, void *got, const int all[],           \
         const int to[], MPI_Datatype of, int root, MPI_Comm comm),                            \
    LIST(send, count, type, got, all, to, of, root, comm),                                     \
    GIVEN(traffic_bytes(all[own_rank(comm)], of), traffic_bytes(count, type)))                 \
  X(Allgather, Iallgather,                                                                     \
    LIST(const void *send, int count, MPI_Datatype type, void *got, int most, MPI_Datatype of, \
         MPI_Comm comm),                                                                       \
    LIST(send, count, type, got, most, of, comm),                                              \
    GIVEN(traffic_bytes(most, of), traffic_bytes(count, type)))                                \
  X(Allgatherv, Iallgatherv,                                                                   \
    LIST(const void *send, int count, MPI_Datatype type, void *got, const int all[],           \
         const int to[], MPI_Datatype of, MPI_Comm comm),                                      \
    LIST(send, count, type, got, all, to, of, comm),                                           \
    GIVEN(traffic_bytes(all[own_rank(comm)], of), traffic_bytes(count, type)))                 \
  X(Scatter, Iscatter,                                                                         \
    LIST(const void *send, int count, MPI_Datatype type, void *got, int most, MPI_Datatype of, \
         int root, MPI_Comm comm),                                                             \
    LIST(send, count, type, got, most, of, root, comm),                                        \
    is_root(root, comm) ? size_of(comm) * traffic_bytes(count, type) : 0)                      \
  X(Scatterv, Iscatterv,                                                                       \
    LIST(const void *send, const int counts[], const int at[], MPI_Datatype type, void *got,   \
         int most, MPI_Datatype of, int root, MPI_Comm comm),                                  \
    LIST(send, counts, at, type, got, most, of, root, comm),                                   \
    is_root(root, comm) ? sum(counts, type, comm) : 0)                                         \
  X(Alltoall, Ialltoall,                                                                       \
    LIST(const void *send, int count, MPI_Datatype type, void *got, int most, MPI_Datatype of, \
         MPI_Comm comm),                                                                       \
    LIST(send, count, type, got, most, of, comm),                                              \
    size_of(comm) * GIVEN(traffic_bytes(most, of), traffic_bytes(count, type)))                \
  X(Alltoallv, Ialltoallv,                                                                     \
    LIST(const void *send, const int counts[], const int at[], MPI_Datatype type, void *got,   \
         const int all[], const int to[], MPI_Datatype of, MPI_Comm comm),                     \
    LIST(send, counts, at, type, got, all, to, of, comm),                                      \
    GIVEN(sum(all, of, comm), sum(counts, type, comm)))                                        \
  X(Alltoallw, Ialltoallw,                                                                     \
    LIST(const void *send, const int counts[], const int at[], const MPI_Datatype types[],     \
         void *got, const int all[], const int to[], const MPI_Datatype ofs[], MPI_Comm comm), \
    LIST(send, counts, at, types, got, all, to, ofs, comm),                                    \
    GIVEN(sum_of_types(all, ofs, comm), sum_of_types(counts, types, comm)))                    \
  X(Put, Rput,                                                                                 \
    LIST(const void *data, int count, MPI_Datatype type, int rank, MPI_Aint at, int number,    \
         MPI_Datatype of, MPI_Win win),                                                        \
    LIST(data, count, type, rank, at, number, of, win), traffic_bytes(count, type))            \
  X(Get, Rget,                                                                                 \
    LIST(void *data, int count, MPI_Datatype type, int rank, MPI_Aint at, int number,          \
         MPI_Datatype of, MPI_Win win),                                                        \
    LIST(data, count, type, rank, at, number, of, win), traffic_bytes(count, type))            \
  X(Accumulate, Raccumulate,                                                                   \
    LIST(const void *data, int count, MPI_Datatype type, int rank, MPI_Aint at, int number,    \
         MPI_Datatype of, MPI_Op op, MPI_Win win),                                             \
    LIST(data, count, type, rank, at, number, of, op, win), traffic_bytes(count, type))

#define INDEX(call, ...) call##_index,
#define NAME(call, ...) "MPI_" #call,
enum { CALLS(INDEX) calls_known };
static const char *const names[] = {CALLS(NAME)};
static struct { _Atomic uint64_t calls, bytes; } given[calls_known];

static void add(int index, uint64_t bytes) {
  ++given[index].calls;
  given[index].bytes += bytes;
}

#define WRAP(call, requested, parameters, arguments, gives) \
  int MPI_##call(parameters) {                              \
    if (traffic_is_counting()) add(call##_index, gives);    \
    return PMPI_##call(arguments);                          \
  }
#define WRAP_REQUESTED(call, requested, parameters, arguments, gives) \
  int MPI_##requested(parameters, MPI_Request *request) {             \
    if (traffic_is_counting()) add(call##_index, gives);              \
    return PMPI_##requested(arguments, request);                      \
  }
CALLS(WRAP)
CALLS(WRAP_REQUESTED)

void traffic_report_collectives(MPI_Comm comm) {
  uint64_t mine[2 * calls_known], sums[2 * calls_known];
  for (int i = 0; i < calls_known; ++i) {
    mine[2 * i] = given[i].calls;
    mine[2 * i + 1] = given[i].bytes;
  }
  PMPI_Reduce(mine, sums, 2 * calls_known, MPI_UINT64_T, MPI_SUM, 0, comm);
  for (int i = 0; own_rank(comm) == 0 && i < calls_known; ++i)
    if (sums[2 * i])
      fprintf(stderr, "traffic: not in the matrix: %s, %" PRIu64 " calls, %" PRIu64 " bytes\n",
              names[i], sums[2 * i], sums[2 * i + 1]);
}
