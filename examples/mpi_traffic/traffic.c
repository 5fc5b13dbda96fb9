// Counts what the ranks of an MPI program in C or C++ send each other.
//
//   mpicc -O2 -fPIC -shared traffic.c -o libtraffic.so
//   mpirun -n 16 -x LD_PRELOAD=$PWD/libtraffic.so ./program
//
// MPI_Finalize writes a table from,to,bytes,messages to traffic.csv, or to the file that
// DCUBE_TRAFFIC names; with DCUBE_TRAFFIC_HOSTS=FILE also the host of each rank, a line each. Ranks
// are those of MPI_COMM_WORLD. A message counts where it is sent. MPI_Pcontrol(0) and
// MPI_Pcontrol(1) switch counting off and on.
//
// The report names what is not in the table: collectives, because MPI chooses who then sends to
// whom; persistent sends; messages to processes outside MPI_COMM_WORLD. Neither counted nor named:
// calls that are not below (collectives that do not block, ..v, ..w, neighbourhoods; one-sided and
// partitioned; large counts MPI_.._c), and Fortran, which passes by the functions of C in Open MPI.

#include <inttypes.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint64_t bytes, times;
} Count;

static Count *sent;  // to each rank
static int ranks, self, is_off;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;  // threads may send at once

static void add(Count *count, int number, MPI_Datatype type) {
  MPI_Count size = 0;
  if (number) PMPI_Type_size_x(type, &size);
  pthread_mutex_lock(&guard);
  if (!is_off) {
    count->bytes += (uint64_t)number * (uint64_t)size;
    ++count->times;
  }
  pthread_mutex_unlock(&guard);
}

// Named in the report -------------------------------------------------------------------------

#define LIST(...) __VA_ARGS__
#define SEND const void *data, int number, MPI_Datatype type, int to, int tag, MPI_Comm comm
#define SENT data, number, type, to, tag, comm
#define ALL const void *data, int number, MPI_Datatype type, void *got, int most, MPI_Datatype of
#define REDUCE const void *data, void *got, int number, MPI_Datatype type, MPI_Op op
#define ROOT int root, MPI_Comm comm
// X(name, parameters, arguments, number and type of the data of a call)
#define NAMED(X)                                                                                   \
  X(Send_init, LIST(SEND, MPI_Request *request), LIST(SENT, request), number, type)                \
  X(Barrier, MPI_Comm comm, comm, 0, MPI_BYTE)                                                     \
  X(Bcast, LIST(void *data, int number, MPI_Datatype type, ROOT),                                  \
    LIST(data, number, type, root, comm), number, type)                                            \
  X(Reduce, LIST(REDUCE, ROOT), LIST(data, got, number, type, op, root, comm), number, type)       \
  X(Allreduce, LIST(REDUCE, MPI_Comm comm), LIST(data, got, number, type, op, comm), number, type) \
  X(Scan, LIST(REDUCE, MPI_Comm comm), LIST(data, got, number, type, op, comm), number, type)      \
  X(Gather, LIST(ALL, ROOT), LIST(data, number, type, got, most, of, root, comm),                  \
    data == MPI_IN_PLACE ? most : number, data == MPI_IN_PLACE ? of : type)                        \
  X(Scatter, LIST(ALL, ROOT), LIST(data, number, type, got, most, of, root, comm),                 \
    got == MPI_IN_PLACE ? number : most, got == MPI_IN_PLACE ? type : of)                          \
  X(Allgather, LIST(ALL, MPI_Comm comm), LIST(data, number, type, got, most, of, comm), most, of)  \
  X(Alltoall, LIST(ALL, MPI_Comm comm), LIST(data, number, type, got, most, of, comm), most, of)

#define INDEX(name, ...) name##_index,
#define NAME(name, ...) "not in the table: MPI_" #name,
enum { between, inside, outside, NAMED(INDEX) kinds };
static const char *const kind_names[] = {"between nodes", "inside nodes",
                                         "not in the table: to another world", NAMED(NAME)};
static Count counts[kinds];

#define WRAP(name, parameters, arguments, number_given, type_given) \
  int MPI_##name(parameters) {                                      \
    add(&counts[name##_index], number_given, type_given);           \
    return PMPI_##name(arguments);                                  \
  }
NAMED(WRAP)

// Messages ------------------------------------------------------------------------------------

static void add_message(int to, MPI_Comm comm, int number, MPI_Datatype type) {
  if (to == MPI_PROC_NULL) return;
  MPI_Group group, world;
  int is_inter, rank;
  PMPI_Comm_test_inter(comm, &is_inter);
  is_inter ? PMPI_Comm_remote_group(comm, &group) : PMPI_Comm_group(comm, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_translate_ranks(group, 1, &to, world, &rank);
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  add(rank == MPI_UNDEFINED ? &counts[outside] : &sent[rank], number, type);
}

#define MESSAGE(name, parameters, arguments)                        \
  int MPI_##name(parameters) {                                      \
    int result = PMPI_##name(arguments);                            \
    if (result == MPI_SUCCESS) add_message(to, comm, number, type); \
    return result;                                                  \
  }
MESSAGE(Send, SEND, SENT)
MESSAGE(Ssend, SEND, SENT)
MESSAGE(Bsend, SEND, SENT)
MESSAGE(Rsend, SEND, SENT)
MESSAGE(Isend, LIST(SEND, MPI_Request *request), LIST(SENT, request))
MESSAGE(Issend, LIST(SEND, MPI_Request *request), LIST(SENT, request))
MESSAGE(Ibsend, LIST(SEND, MPI_Request *request), LIST(SENT, request))
MESSAGE(Irsend, LIST(SEND, MPI_Request *request), LIST(SENT, request))
MESSAGE(Sendrecv,
        LIST(const void *data, int number, MPI_Datatype type, int to, int tag, void *got, int most,
             MPI_Datatype of, int from, int its_tag, MPI_Comm comm, MPI_Status *status),
        LIST(data, number, type, to, tag, got, most, of, from, its_tag, comm, status))
MESSAGE(Sendrecv_replace,
        LIST(void *data, int number, MPI_Datatype type, int to, int tag, int from, int its_tag,
             MPI_Comm comm, MPI_Status *status),
        LIST(data, number, type, to, tag, from, its_tag, comm, status))

// Begin and end -------------------------------------------------------------------------------

static void *array_of(int number, size_t size) {
  void *array = calloc((size_t)number, size);
  if (!array) PMPI_Abort(MPI_COMM_WORLD, 1);
  return array;
}

static int begin(int result) {
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  PMPI_Comm_rank(MPI_COMM_WORLD, &self);
  sent = array_of(ranks, sizeof *sent);
  return result;
}

int MPI_Init(int *argc, char ***argv) { return begin(PMPI_Init(argc, argv)); }

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  return begin(PMPI_Init_thread(argc, argv, required, provided));
}

int MPI_Pcontrol(const int level, ...) {
  is_off = level == 0;
  return MPI_SUCCESS;
}

typedef char Host[MPI_MAX_PROCESSOR_NAME + 1];

// Rank 0 holds the messages of one rank at a time.
static void write_files(Host *hosts, MPI_Comm own) {
  const char *names[] = {getenv("DCUBE_TRAFFIC"), getenv("DCUBE_TRAFFIC_HOSTS")};
  if (!names[0]) names[0] = "traffic.csv";
  if (!names[1]) names[1] = "/dev/null";
  FILE *files[] = {fopen(names[0], "w"), fopen(names[1], "w")};
  for (int i = 0; i < 2; ++i) {
    if (files[i]) continue;
    perror(names[i]);
    PMPI_Abort(MPI_COMM_WORLD, 1);
  }
  fprintf(files[0], "from,to,bytes,messages\n");
  for (int from = 0; from < ranks; ++from) {
    fprintf(files[1], "%s\n", hosts[from]);
    if (from) PMPI_Recv(sent, 2 * ranks, MPI_UINT64_T, from, 0, own, MPI_STATUS_IGNORE);
    for (int to = 0; to < ranks; ++to)
      if (sent[to].times)
        fprintf(files[0], "%d,%d,%" PRIu64 ",%" PRIu64 "\n", from, to, sent[to].bytes,
                sent[to].times);
  }
  for (int i = 0; i < 2; ++i) {
    int is_bad = ferror(files[i]);
    if (fclose(files[i]) || is_bad) fprintf(stderr, "traffic: %s is incomplete\n", names[i]);
  }
}

int MPI_Finalize(void) {
  MPI_Comm own;  // for messages that the program never receives
  PMPI_Comm_dup(MPI_COMM_WORLD, &own);
  Host host = "", *hosts = array_of(ranks, sizeof *hosts);
  const char *pretended = getenv("DCUBE_HOST");
  int length;
  PMPI_Get_processor_name(host, &length);
  if (pretended) snprintf(host, sizeof host, "%s", pretended);
  PMPI_Allgather(host, sizeof host, MPI_CHAR, hosts, sizeof host, MPI_CHAR, own);
  for (int to = 0; to < ranks; ++to) {
    Count *kind = &counts[strcmp(hosts[to], host) ? between : inside];
    kind->bytes += sent[to].bytes;
    kind->times += sent[to].times;
  }
  Count sums[kinds];
  PMPI_Reduce(counts, sums, 2 * kinds, MPI_UINT64_T, MPI_SUM, 0, own);
  if (self) PMPI_Send(sent, 2 * ranks, MPI_UINT64_T, 0, 0, own);
  if (self == 0) write_files(hosts, own);
  for (int i = 0; self == 0 && i < kinds; ++i)
    if (sums[i].times || i < outside)
      fprintf(stderr, "traffic: %s: %" PRIu64 " %s, %" PRIu64 " bytes\n", kind_names[i],
              sums[i].times, i <= outside ? "messages" : "calls", sums[i].bytes);
  free(hosts);
  PMPI_Comm_free(&own);
  return PMPI_Finalize();
}
