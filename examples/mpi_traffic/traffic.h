// What the two parts of the library share.

#pragma once

#include <mpi.h>
#include <stdint.h>

// Whether calls count now: after MPI_Init, and not after MPI_Pcontrol(0).
int traffic_is_counting(void);

uint64_t traffic_bytes(MPI_Count count, MPI_Datatype type);

// Names the collectives that were called, on rank 0 of `comm`. All of its ranks call it.
void traffic_report_collectives(MPI_Comm comm);
