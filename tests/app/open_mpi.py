"""What tests of programs under Open MPI share."""

import os
import pathlib
import subprocess
import tempfile

# Test systems are often containers, where everybody is root.
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
UNREACHABLE = "Unable to find reachable pairing between local and remote interfaces"
PROGRAM = """
#include <mpi.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Finalize();
}
"""


def is_to_blame(output):
    """Whether a run failed because two processes of this computer do not reach each other over TCP, without dcube
    and its files, either. Open MPI 5 has computers where that is so."""
    if UNREACHABLE not in output:
        return False
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "barrier.c").write_text(PROGRAM, encoding="utf-8")
        subprocess.run(["mpicc.openmpi", "barrier.c", "-o", "barrier"], cwd=folder, check=True)
        command = ["mpirun.openmpi", "-n", "2", "--oversubscribe", "--mca", "btl", "tcp,self", "./barrier"]
        done = subprocess.run(command, cwd=folder, env=os.environ | AS_ROOT, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=60, check=False)  # fmt: skip
    return done.returncode != 0 and UNREACHABLE in done.stdout
