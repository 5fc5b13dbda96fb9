/* Every non-blocking collective: started and waited for, then all at once. */
#include <mpi.h>

enum { RANKS = 8, KINDS = 14 };

static double a[64], b[KINDS][64];
static int counts[RANKS], places[RANKS];

static void start(int kind, MPI_Request* request) {
  double* to = b[kind];
  const MPI_Comm all = MPI_COMM_WORLD;
  switch (kind) {
    case 0: MPI_Ibarrier(all, request); break;
    case 1: MPI_Ibcast(a, 4, MPI_INT, 1, all, request); break;
    case 2: MPI_Ireduce(a, to, 5, MPI_DOUBLE, MPI_SUM, 2, all, request); break;
    case 3: MPI_Iallreduce(a, to, 8, MPI_DOUBLE, MPI_SUM, all, request); break;
    case 4: MPI_Iscan(a, to, 3, MPI_DOUBLE, MPI_SUM, all, request); break;
    case 5: MPI_Iexscan(a, to, 7, MPI_DOUBLE, MPI_SUM, all, request); break;
    case 6: MPI_Ireduce_scatter(a, to, counts, MPI_DOUBLE, MPI_SUM, all, request); break;
    case 7: MPI_Ialltoall(a, 2, MPI_DOUBLE, to, 2, MPI_DOUBLE, all, request); break;
    case 8: MPI_Iallgather(a, 2, MPI_DOUBLE, to, 2, MPI_DOUBLE, all, request); break;
    case 9: MPI_Igather(a, 2, MPI_DOUBLE, to, 2, MPI_DOUBLE, 3, all, request); break;
    case 10: MPI_Iscatter(a, 2, MPI_DOUBLE, to, 2, MPI_DOUBLE, 4, all, request); break;
    case 11: MPI_Ialltoallv(a, counts, places, MPI_DOUBLE, to, counts, places, MPI_DOUBLE, all, request); break;
    case 12: MPI_Iallgatherv(a, 3, MPI_DOUBLE, to, counts, places, MPI_DOUBLE, all, request); break;
    default: MPI_Igatherv(a, 3, MPI_DOUBLE, to, counts, places, MPI_DOUBLE, 1, all, request); break;
  }
}

int main(int argc, char** argv) {
  MPI_Request requests[KINDS];
  MPI_Init(&argc, &argv);
  for (int i = 0; i < RANKS; ++i) {
    counts[i] = 3;
    places[i] = 3 * i;
  }
  for (int kind = 0; kind < KINDS; ++kind) {
    start(kind, &requests[kind]);
    MPI_Wait(&requests[kind], MPI_STATUS_IGNORE);
  }
  for (int kind = 0; kind < KINDS; ++kind) {
    start(kind, &requests[kind]);
  }
  /* Not in the order of their start. */
  MPI_Wait(&requests[7], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[3], MPI_STATUS_IGNORE);
  MPI_Waitall(KINDS, requests, MPI_STATUSES_IGNORE);
  MPI_Finalize();
  return 0;
}
