// Counts what the ranks of an MPI program send each other, and writes it when the program ends.
//
//   mpicc -O2 -fPIC -shared traffic.c collectives.c -o libtraffic.so
//   mpirun -n 16 -x LD_PRELOAD=$PWD/libtraffic.so ./program
//
// DCUBE_TRAFFIC        file of the matrix, default traffic.mtx: Matrix Market, bytes from row to
//                      column; with the suffix .csv a table from,to,bytes,messages
// DCUBE_TRAFFIC_HOSTS  file for the host of each rank, a line each, which dcube reads as a map
//                      (hostlist); none by default
//
// Ranks are those of MPI_COMM_WORLD, whatever the communicator of a message. A message counts where
// it is sent, with the bytes of its datatype. MPI_Pcontrol(0) and MPI_Pcontrol(1) in the program
// switch counting off and on. Collectives are in collectives.c; they are named, not counted by
// pair.
//
// It is MPI's profiling interface: this library has functions of the names MPI_.., which count and
// then call the library's own PMPI_...

#include "traffic.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  _Atomic uint64_t bytes, messages;
} Flow;

typedef struct Persistent {
  MPI_Request request;
  int to;
  uint64_t bytes;
  struct Persistent *next;
} Persistent;

static Flow *flows;      // flows[r]: what this rank has sent to rank r; null before MPI_Init
static int ranks, self;  // of MPI_COMM_WORLD
static MPI_Comm own;     // for what this library sends, so that the program never receives it
static int partners_key = MPI_KEYVAL_INVALID;
static Persistent *persistent;
static _Atomic uint64_t strangers;  // messages to processes outside MPI_COMM_WORLD
static atomic_bool counting = 1;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;  // of communicators and `persistent`

static void *array_of(size_t number, size_t size) {
  void *array = calloc(number + 1, size);
  if (!array) PMPI_Abort(MPI_COMM_WORLD, 1);
  return array;
}

// World ranks ---------------------------------------------------------------------------------

static int forget_partners(MPI_Comm comm, int key, void *value, void *unused) {
  (void)comm, (void)key, (void)unused;
  free(value);
  return MPI_SUCCESS;
}

// The world ranks of those that messages over `comm` go to; kept until `comm` is freed.
static const int *partners(MPI_Comm comm) {
  int *world_ranks, found, size, is_inter;
  PMPI_Comm_get_attr(comm, partners_key, &world_ranks, &found);
  if (found) return world_ranks;
  MPI_Group group, world;
  PMPI_Comm_test_inter(comm, &is_inter);
  is_inter ? PMPI_Comm_remote_group(comm, &group) : PMPI_Comm_group(comm, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_size(group, &size);
  int *numbers = array_of(size, sizeof *numbers);
  world_ranks = array_of(size, sizeof *world_ranks);
  for (int i = 0; i < size; ++i) numbers[i] = i;
  PMPI_Group_translate_ranks(group, size, numbers, world, world_ranks);
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  free(numbers);
  PMPI_Comm_set_attr(comm, partners_key, world_ranks);
  return world_ranks;
}

static int world_rank(int rank, MPI_Comm comm) {
  if (rank == MPI_PROC_NULL || !flows) return MPI_PROC_NULL;
  pthread_mutex_lock(&guard);
  int found = partners(comm)[rank];
  pthread_mutex_unlock(&guard);
  return found;
}

uint64_t traffic_bytes(MPI_Count count, MPI_Datatype type) {
  MPI_Count size;
  PMPI_Type_size_x(type, &size);
  return (uint64_t)count * (uint64_t)size;
}

int traffic_is_counting(void) { return counting && flows; }

static void add(int to, uint64_t bytes) {
  if (to == MPI_PROC_NULL || !traffic_is_counting()) return;
  if (to == MPI_UNDEFINED) {
    ++strangers;
    return;
  }
  flows[to].bytes += bytes;
  ++flows[to].messages;
}

// Messages ------------------------------------------------------------------------------------

#define SEND(call, Count)                                                                      \
  int call(const void *data, Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm) { \
    int result = P##call(data, count, type, to, tag, comm);                                    \
    if (result == MPI_SUCCESS) add(world_rank(to, comm), traffic_bytes(count, type));          \
    return result;                                                                             \
  }
#define ISEND(call, Count)                                                                   \
  int call(const void *data, Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
           MPI_Request *request) {                                                           \
    int result = P##call(data, count, type, to, tag, comm, request);                         \
    if (result == MPI_SUCCESS) add(world_rank(to, comm), traffic_bytes(count, type));        \
    return result;                                                                           \
  }
#define SENDRECV(call, Count)                                                                 \
  int call(const void *data, Count count, MPI_Datatype type, int to, int tag, void *received, \
           Count most, MPI_Datatype of, int from, int its_tag, MPI_Comm comm,                 \
           MPI_Status *status) {                                                              \
    int result =                                                                              \
        P##call(data, count, type, to, tag, received, most, of, from, its_tag, comm, status); \
    if (result == MPI_SUCCESS) add(world_rank(to, comm), traffic_bytes(count, type));         \
    return result;                                                                            \
  }
#define SENDRECV_REPLACE(call, Count)                                                          \
  int call(void *data, Count count, MPI_Datatype type, int to, int tag, int from, int its_tag, \
           MPI_Comm comm, MPI_Status *status) {                                                \
    int result = P##call(data, count, type, to, tag, from, its_tag, comm, status);             \
    if (result == MPI_SUCCESS) add(world_rank(to, comm), traffic_bytes(count, type));          \
    return result;                                                                             \
  }
// A persistent send counts whenever it is started.
#define SEND_INIT(call, Count)                                                               \
  int call(const void *data, Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
           MPI_Request *request) {                                                           \
    int result = P##call(data, count, type, to, tag, comm, request);                         \
    if (result == MPI_SUCCESS)                                                               \
      remember(*request, world_rank(to, comm), traffic_bytes(count, type));                  \
    return result;                                                                           \
  }
#if MPI_VERSION >= 4
#define EACH(WRAP, call) WRAP(call, int) WRAP(call##_c, MPI_Count)
#else
#define EACH(WRAP, call) WRAP(call, int)
#endif

static void remember(MPI_Request request, int to, uint64_t bytes) {
  Persistent *send = array_of(1, sizeof *send);
  pthread_mutex_lock(&guard);
  *send = (Persistent){request, to, bytes, persistent};
  persistent = send;
  pthread_mutex_unlock(&guard);
}

static Persistent **find(MPI_Request request) {
  Persistent **send = &persistent;
  while (*send && (*send)->request != request) send = &(*send)->next;
  return send;
}

// MPI may give a request another handle when it starts, so the old one is looked up before.
static int start(int number, MPI_Request requests[], int many) {
  pthread_mutex_lock(&guard);
  Persistent **sends = array_of(number, sizeof *sends);
  for (int i = 0; i < number; ++i) sends[i] = *find(requests[i]);
  int result = many ? PMPI_Startall(number, requests) : PMPI_Start(requests);
  for (int i = 0; i < number && result == MPI_SUCCESS; ++i) {
    if (!sends[i]) continue;  // a receive
    sends[i]->request = requests[i];
    add(sends[i]->to, sends[i]->bytes);
  }
  free(sends);
  pthread_mutex_unlock(&guard);
  return result;
}

int MPI_Start(MPI_Request *request) { return start(1, request, 0); }
int MPI_Startall(int number, MPI_Request requests[]) { return start(number, requests, 1); }

int MPI_Request_free(MPI_Request *request) {
  pthread_mutex_lock(&guard);
  Persistent **place = find(*request), *send = *place;
  if (send) *place = send->next;
  free(send);
  pthread_mutex_unlock(&guard);
  return PMPI_Request_free(request);
}

EACH(SEND, MPI_Send)
EACH(SEND, MPI_Ssend)
EACH(SEND, MPI_Bsend)
EACH(SEND, MPI_Rsend)
EACH(ISEND, MPI_Isend)
EACH(ISEND, MPI_Issend)
EACH(ISEND, MPI_Ibsend)
EACH(ISEND, MPI_Irsend)
EACH(SENDRECV, MPI_Sendrecv)
EACH(SENDRECV_REPLACE, MPI_Sendrecv_replace)
EACH(SEND_INIT, MPI_Send_init)
EACH(SEND_INIT, MPI_Ssend_init)
EACH(SEND_INIT, MPI_Bsend_init)
EACH(SEND_INIT, MPI_Rsend_init)

// Begin and end -------------------------------------------------------------------------------

static void begin(void) {
  PMPI_Comm_dup(MPI_COMM_WORLD, &own);
  PMPI_Comm_size(own, &ranks);
  PMPI_Comm_rank(own, &self);
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_partners, &partners_key, NULL);
  flows = array_of(ranks, sizeof *flows);
}

int MPI_Init(int *argc, char ***argv) {
  int result = PMPI_Init(argc, argv);
  if (result == MPI_SUCCESS) begin();
  return result;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  int result = PMPI_Init_thread(argc, argv, required, provided);
  if (result == MPI_SUCCESS) begin();
  return result;
}

int MPI_Pcontrol(const int level, ...) {
  counting = level != 0;
  return MPI_SUCCESS;
}

static FILE *opened(const char *name) {
  FILE *file = fopen(name, "w");
  if (!file) fprintf(stderr, "traffic: %s cannot be written (%s)\n", name, strerror(errno));
  return file;
}

// Whether all of it is on the disk.
static void closed(FILE *file, const char *name) {
  int is_bad = ferror(file);
  if (fclose(file) || is_bad) fprintf(stderr, "traffic: %s is incomplete\n", name);
}

// Rank 0 writes row after row and holds one of them at a time.
static void write_flows(uint64_t pairs) {
  uint64_t *row = array_of(3 * (size_t)ranks, sizeof *row);
  int length = 0;
  for (int to = 0; to < ranks; ++to) {
    if (!flows[to].messages) continue;
    row[length++] = (uint64_t)to;
    row[length++] = flows[to].bytes;
    row[length++] = flows[to].messages;
  }
  if (self) {
    PMPI_Send(row, length, MPI_UINT64_T, 0, 0, own);
    free(row);
    return;
  }
  const char *name = getenv("DCUBE_TRAFFIC"), *suffix;
  if (!name || !*name) name = "traffic.mtx";
  int is_csv = (suffix = strrchr(name, '.')) && !strcmp(suffix, ".csv");
  FILE *file = opened(name);
  if (file && is_csv) fprintf(file, "from,to,bytes,messages\n");
  if (file && !is_csv)
    fprintf(file, "%%%%MatrixMarket matrix coordinate integer general\n%d %d %" PRIu64 "\n", ranks,
            ranks, pairs);
  for (int from = 0; from < ranks; ++from) {
    if (from) {
      MPI_Status status;
      PMPI_Recv(row, 3 * ranks, MPI_UINT64_T, from, 0, own, &status);
      PMPI_Get_count(&status, MPI_UINT64_T, &length);
    }
    for (uint64_t *flow = row; file && flow < row + length; flow += 3) {
      if (is_csv)
        fprintf(file, "%d,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", from, flow[0], flow[1], flow[2]);
      else
        fprintf(file, "%d %" PRIu64 " %" PRIu64 "\n", from + 1, flow[0] + 1, flow[1]);
    }
  }
  if (file) {
    fprintf(stderr, "traffic: the matrix is in %s\n", name);
    closed(file, name);
  }
  free(row);
}

// A host that a daemon only pretends to be on has its name in DCUBE_HOST.
static void write_hosts(const char *name) {
  char host[MPI_MAX_PROCESSOR_NAME + 1] = "";
  int length;
  PMPI_Get_processor_name(host, &length);
  const char *pretended = getenv("DCUBE_HOST");
  if (pretended) snprintf(host, sizeof host, "%s", pretended);
  if (self) {
    PMPI_Send(host, sizeof host, MPI_CHAR, 0, 0, own);
    return;
  }
  FILE *file = opened(name);
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank) PMPI_Recv(host, sizeof host, MPI_CHAR, rank, 0, own, MPI_STATUS_IGNORE);
    if (file) fprintf(file, "%s\n", host);
  }
  if (file) closed(file, name);
}

// A node is where ranks share memory, as MPI sees it; it is named by its lowest rank.
static int *nodes_of_ranks(void) {
  MPI_Comm node;
  int *nodes = array_of(ranks, sizeof *nodes), lowest = self;
  PMPI_Comm_split_type(own, MPI_COMM_TYPE_SHARED, self, MPI_INFO_NULL, &node);
  PMPI_Bcast(&lowest, 1, MPI_INT, 0, node);
  PMPI_Comm_free(&node);
  PMPI_Allgather(&lowest, 1, MPI_INT, nodes, 1, MPI_INT, own);
  return nodes;
}

int MPI_Finalize(void) {
  if (!flows) return PMPI_Finalize();
  int *nodes = nodes_of_ranks(), number_of_nodes = 0;
  enum { messages, bytes, inside, pairs, outside, length };
  uint64_t mine[length] = {[outside] = strangers}, sums[length];
  for (int to = 0; to < ranks; ++to) {
    number_of_nodes += nodes[to] == to;
    mine[pairs] += flows[to].messages > 0;
    mine[messages] += flows[to].messages;
    mine[bytes] += flows[to].bytes;
    if (nodes[to] == nodes[self]) mine[inside] += flows[to].bytes;
  }
  PMPI_Reduce(mine, sums, length, MPI_UINT64_T, MPI_SUM, 0, own);
  if (self == 0) {
    fprintf(stderr,
            "traffic: %d ranks on %d nodes, %" PRIu64 " messages, %" PRIu64
            " bytes, %.1f %% of "
            "them inside nodes\n",
            ranks, number_of_nodes, sums[messages], sums[bytes],
            sums[bytes] ? 100.0 * (double)sums[inside] / (double)sums[bytes] : 0.0);
    if (sums[outside])
      fprintf(stderr, "traffic: left out: %" PRIu64 " messages to processes of another world\n",
              sums[outside]);
  }
  traffic_report_collectives(own);
  write_flows(sums[pairs]);
  int has_name = 0;  // the environment of rank 0 decides
  const char *name = getenv("DCUBE_TRAFFIC_HOSTS");
  if (self == 0) has_name = name && *name;
  PMPI_Bcast(&has_name, 1, MPI_INT, 0, own);
  if (has_name) write_hosts(name);
  free(nodes);
  PMPI_Comm_free(&own);
  return PMPI_Finalize();
}
