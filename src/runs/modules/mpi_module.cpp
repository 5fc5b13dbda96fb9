// The only file that knows MPI.

#include <mpi.h>

#include "mpi_calls.hpp"

namespace {

constexpr int tag = 4711;

int start(int* rank, int* ranks) {
  int provided = 0;
  // The program has a thread of its own for interrupts at most, which never calls MPI.
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
    return 1;
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  return MPI_Comm_rank(MPI_COMM_WORLD, rank) != MPI_SUCCESS ||
         MPI_Comm_size(MPI_COMM_WORLD, ranks) != MPI_SUCCESS;
}

int send(int to, const char* bytes, size_t size) {
  return MPI_Send(bytes, static_cast<int>(size), MPI_CHAR, to, tag, MPI_COMM_WORLD) != MPI_SUCCESS;
}

int probe(int* has_come, int* from, size_t* size) {
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, has_come, &status) != MPI_SUCCESS) {
    return 1;
  }
  int count = 0;
  if (*has_come != 0) {
    *from = status.MPI_SOURCE;
    MPI_Get_count(&status, MPI_CHAR, &count);
  }
  *size = static_cast<size_t>(count);
  return 0;
}

int receive(int from, char* bytes, size_t size) {
  return MPI_Recv(bytes, static_cast<int>(size), MPI_CHAR, from, tag, MPI_COMM_WORLD,
                  MPI_STATUS_IGNORE) != MPI_SUCCESS;
}

int finish() { return MPI_Finalize() != MPI_SUCCESS; }

constexpr DcubeMpiCalls calls{start, send, probe, receive, finish};

}  // namespace

extern "C" [[gnu::visibility("default")]] const DcubeMpiCalls* dcube_mpi_1() { return &calls; }
