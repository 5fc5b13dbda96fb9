// Heat in a plate, on a grid of ranks that exchange the edges of their parts in every step.
//
//   mpirun -n 16 ./heat [cells across] [cells down] [steps]
//
// The ranks of the grid are in an order as a job may get them, not row by row: who its neighbours
// are says nothing about their numbers. The plate begins as a cosine, which an explicit step
// multiplies by a number that is known, so the program knows what comes out and checks it.

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { west, east, north, south, sides };

static int number(int argc, char *argv[], int index, int otherwise) {
  return index < argc ? atoi(argv[index]) : otherwise;
}

// ranks[i]: who has part i of the grid. Fisher and Yates' shuffle, the same on all ranks.
static void shuffle(int ranks[], int size) {
  unsigned state = 1;
  for (int i = 0; i < size; ++i) ranks[i] = i;
  for (int i = size - 1; i > 0; --i) {
    state = state * 1664525U + 1013904223U;
    int other = (int)((state >> 16) % (unsigned)(i + 1)), rank = ranks[i];
    ranks[i] = ranks[other];
    ranks[other] = rank;
  }
}

int main(int argc, char *argv[]) {
  MPI_Init(&argc, &argv);
  int rank, size, grid[2] = {0, 0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, grid);  // grid[0] parts down, grid[1] across
  int across = number(argc, argv, 1, 1024), down = number(argc, argv, 2, 64);
  int steps = number(argc, argv, 3, 20), width = across / grid[1], height = down / grid[0];
  if (width * grid[1] != across || height * grid[0] != down || width < 1 || height < 1) {
    if (rank == 0)
      fprintf(stderr, "heat: %dx%d cells do not fit %dx%d ranks\n", across, down, grid[1], grid[0]);
    MPI_Finalize();
    return 2;
  }

  int *ranks = malloc((size_t)size * sizeof *ranks), part = 0;
  shuffle(ranks, size);
  while (ranks[part] != rank) ++part;
  int x = part % grid[1], y = part / grid[1];
  int neighbours[sides] = {x > 0 ? ranks[part - 1] : MPI_PROC_NULL,
                           x + 1 < grid[1] ? ranks[part + 1] : MPI_PROC_NULL,
                           y > 0 ? ranks[part - grid[1]] : MPI_PROC_NULL,
                           y + 1 < grid[0] ? ranks[part + grid[1]] : MPI_PROC_NULL};

  // A frame of one cell around the part holds copies of the neighbours' edges.
  int pitch = width + 2;
  size_t cells = (size_t)pitch * (size_t)(height + 2);
  double *now = calloc(cells, sizeof *now), *next = calloc(cells, sizeof *next);
  double wave = acos(-1.0) / across, part_of_heat = 0.2;
#define AT(i, j) ((size_t)(j)*pitch + (i))
  for (int j = 1; j <= height; ++j)
    for (int i = 1; i <= width; ++i) now[AT(i, j)] = cos(wave * (x * width + i - 0.5));
  // What goes over each side, and what comes.
  double *out[sides], *in[sides];
  for (int side = 0; side < sides; ++side) {
    out[side] = malloc((size_t)(width + height) * sizeof(double));
    in[side] = malloc((size_t)(width + height) * sizeof(double));
  }
  double hottest = 0.0;
  for (int step = 0; step < steps; ++step) {
    for (int j = 1; j <= height; ++j) {
      out[west][j - 1] = now[AT(1, j)];
      out[east][j - 1] = now[AT(width, j)];
    }
    memcpy(out[north], now + AT(1, 1), (size_t)width * sizeof(double));
    memcpy(out[south], now + AT(1, height), (size_t)width * sizeof(double));
    MPI_Request requests[2 * sides];
    int number_of_requests = 0;
    for (int side = 0; side < sides; ++side) {
      if (neighbours[side] == MPI_PROC_NULL) continue;
      int count = side < north ? height : width;
      MPI_Irecv(in[side], count, MPI_DOUBLE, neighbours[side], side ^ 1, MPI_COMM_WORLD,
                &requests[number_of_requests++]);
      MPI_Isend(out[side], count, MPI_DOUBLE, neighbours[side], side, MPI_COMM_WORLD,
                &requests[number_of_requests++]);
    }
    MPI_Waitall(number_of_requests, requests, MPI_STATUSES_IGNORE);
    // No heat crosses the rim of the plate: the frame there is a copy of the edge.
    for (int j = 1; j <= height; ++j) {
      now[AT(0, j)] = x > 0 ? in[west][j - 1] : now[AT(1, j)];
      now[AT(width + 1, j)] = x + 1 < grid[1] ? in[east][j - 1] : now[AT(width, j)];
    }
    for (int i = 1; i <= width; ++i) {
      now[AT(i, 0)] = y > 0 ? in[north][i - 1] : now[AT(i, 1)];
      now[AT(i, height + 1)] = y + 1 < grid[0] ? in[south][i - 1] : now[AT(i, height)];
    }
    for (int j = 1; j <= height; ++j)
      for (int i = 1; i <= width; ++i)
        next[AT(i, j)] = now[AT(i, j)] +
                         part_of_heat * (now[AT(i - 1, j)] + now[AT(i + 1, j)] + now[AT(i, j - 1)] +
                                         now[AT(i, j + 1)] - 4.0 * now[AT(i, j)]);
    double *old = now;
    now = next;
    next = old;
    if (step % 10 == 9) {
      double mine = 0.0;
      for (int j = 1; j <= height; ++j)
        for (int i = 1; i <= width; ++i) mine = fmax(mine, now[AT(i, j)]);
      MPI_Allreduce(&mine, &hottest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
  }

  double left = pow(1.0 - 2.0 * part_of_heat * (1.0 - cos(wave)), steps), error = 0.0, greatest;
  for (int j = 1; j <= height; ++j)
    for (int i = 1; i <= width; ++i)
      error = fmax(error, fabs(now[AT(i, j)] - left * cos(wave * (x * width + i - 0.5))));
  MPI_Allreduce(&error, &greatest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  int is_right = greatest < 1e-12 * (steps + 1);
  if (rank == 0)
    printf("heat: %d ranks, %dx%d cells, %d steps: %s\n", size, across, down, steps,
           is_right ? "the plate is as the theory says" : "WRONG");
  for (int side = 0; side < sides; ++side) free(out[side]), free(in[side]);
  free(now);
  free(next);
  free(ranks);
  MPI_Finalize();
  return is_right ? 0 : 1;
}
