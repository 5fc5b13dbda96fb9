/* Jacobi's method on a square grid in strips of rows, one strip a process: the halo of a row with
   each neighbour, then the greatest change by an allreduce. Prints the greatest change of the last
   iteration, which the test compares with a sequential computation. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int columns = atoi(argv[1]), rows = atoi(argv[2]), iterations = atoi(argv[3]);
  const int above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int below = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  double* old = calloc((size_t)(rows + 2) * columns, sizeof(double));
  double* new = calloc((size_t)(rows + 2) * columns, sizeof(double));
  if (rank == 0) {
    for (int x = 0; x < columns; ++x) {
      old[x] = new[x] = 1; /* the hot edge */
    }
  }
  double change = 0;
  for (int i = 0; i < iterations; ++i) {
    MPI_Request requests[4];
    int posted = 0;
    if (above != MPI_PROC_NULL) {
      MPI_Irecv(old, columns, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, &requests[posted++]);
      MPI_Isend(old + columns, columns, MPI_DOUBLE, above, 2, MPI_COMM_WORLD, &requests[posted++]);
    }
    if (below != MPI_PROC_NULL) {
      MPI_Irecv(old + (rows + 1) * columns, columns, MPI_DOUBLE, below, 2, MPI_COMM_WORLD,
                &requests[posted++]);
      MPI_Isend(old + rows * columns, columns, MPI_DOUBLE, below, 1, MPI_COMM_WORLD,
                &requests[posted++]);
    }
    MPI_Waitall(posted, requests, MPI_STATUSES_IGNORE);
    double greatest = 0;
    for (int y = 1; y <= rows; ++y) {
      for (int x = 1; x < columns - 1; ++x) {
        const double* at = old + y * columns + x;
        const double value = 0.25 * (at[-1] + at[1] + at[-columns] + at[columns]);
        greatest = fmax(greatest, fabs(value - *at));
        new[y * columns + x] = value;
      }
    }
    MPI_Allreduce(&greatest, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    double* const swapped = old;
    old = new;
    new = swapped;
  }
  if (rank == 0) {
    printf("%.17g\n", change);
  }
  free(old);
  free(new);
  MPI_Finalize();
  return 0;
}
