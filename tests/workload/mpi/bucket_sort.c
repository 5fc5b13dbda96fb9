/* Bucket sort: every process draws keys, sends each to the process of its bucket by an alltoallv,
   and sorts what it has got. Prints how many keys there are and whether they are in order. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int compare(const void* a, const void* b) {
  const unsigned x = *(const unsigned*)a, y = *(const unsigned*)b;
  return x < y ? -1 : x > y;
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int keys = atoi(argv[1]);
  unsigned* own = malloc(keys * sizeof *own);
  unsigned state = 12345u + 977u * (unsigned)rank;
  for (int i = 0; i < keys; ++i) {
    state = state * 1664525u + 1013904223u;
    own[i] = state >> 8; /* below 2^24 */
  }
  qsort(own, keys, sizeof *own, compare);
  int* sent = calloc(size, sizeof *sent);
  int* sent_at = calloc(size, sizeof *sent_at);
  int* received = calloc(size, sizeof *received);
  int* received_at = calloc(size, sizeof *received_at);
  for (int i = 0; i < keys; ++i) {
    ++sent[(unsigned long)own[i] * size >> 24];
  }
  MPI_Alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 1; i < size; ++i) {
    sent_at[i] = sent_at[i - 1] + sent[i - 1];
    received_at[i] = received_at[i - 1] + received[i - 1];
  }
  const int total = received_at[size - 1] + received[size - 1];
  unsigned* bucket = malloc((total + 1) * sizeof *bucket);
  MPI_Alltoallv(own, sent, sent_at, MPI_UNSIGNED, bucket, received, received_at, MPI_UNSIGNED,
                MPI_COMM_WORLD);
  qsort(bucket, total, sizeof *bucket, compare);
  /* The greatest key of the process before must not be greater than the least of this one. */
  unsigned greatest_before = 0;
  const unsigned greatest = total > 0 ? bucket[total - 1] : 0;
  if (rank < size - 1) {
    MPI_Send(&greatest, 1, MPI_UNSIGNED, rank + 1, 7, MPI_COMM_WORLD);
  }
  if (rank > 0) {
    MPI_Recv(&greatest_before, 1, MPI_UNSIGNED, rank - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  int counted[2] = {total, total == 0 || greatest_before <= bucket[0]};
  int all[2] = {0, 0};
  MPI_Reduce(counted, all, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%d %d\n", all[0], all[1] == size);
  }
  MPI_Finalize();
  return 0;
}
