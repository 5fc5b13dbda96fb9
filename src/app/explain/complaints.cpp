#include "complaints.hpp"

namespace dcube::app {
namespace {

constexpr Complaint known[]{
    // Files and their keys
    {"unknown-key", "unknown key",
     "The file, or --set, has a key that does not exist at this place. dcube refuses it because a "
     "misspelt key would silently change nothing.",
     "Take the key that the message proposes, or move it to the group it belongs to. The folder "
     "schema/ and the reference describe every key."},
    {"missing-key", "` is missing | neither a machine (`topology` is missing)",
     "The file lacks a key that has no default. The pointer before it, such as /machine/topology, "
     "names the group that should have it.",
     "Add the key. `dcube list topologies` and `dcube list programs` print the settings of each "
     "kind with an example. A map is given by --embedding FILE, never as a scenario."},
    {"unknown-name",
     "is no embedding | is no machine in | is not a topology | is not a program | is no objective "
     "| is no method | is not an algorithm of | is no measure | is not one of its choices",
     "dcube knows no such embedding, machine, program or other choice. A machine's name is one of "
     "`dcube list machines`; a file needs its path, from the folder of the file that names it.",
     "Take the name that the message proposes, or see `dcube list`. A program or topology of a "
     "plug-in needs --plugin FILE before the command."},
    {"no-such-file", "cannot be read ( | does not exist ( | No such file or directory",
     "The file is not there, or your rights do not allow to read it. A path on the command line "
     "starts from the current folder, a path in a file from the folder of that file.",
     "Check the path with ls. Names without a path are those of `dcube list scenarios` and `dcube "
     "list machines`."},
    {"no-json", "syntax error while parsing | is not a JSON object",
     "The file is no valid JSON. Frequent mistakes are a comma before a closing bracket, a "
     "comment, and single quotes.",
     "Correct the line and column that the message names. `dcube validate FILE` checks a file "
     "without running it."},
    {"bad-set", "is not a setting (write | is not a JSON pointer | is given twice (a value",
     "--set takes /pointer=value, and replaces each value once. The pointer is the path of keys "
     "from the top of the scenario.",
     "Write --set /program/message=64. Quote objects for the shell: --set "
     "'/machine/topology={\"kind\":\"ring\",\"nodes\":8}'."},
    {"bad-value", "is not a .. integer | is not a side | is not a node of | is not a number",
     "The value has the wrong type or is out of range. The words in brackets say what fits; nodes, "
     "processes and ranks count from 0.",
     "Write a value in that range. A number in JSON has no quotes."},
    {"schema-version", "is not a schema version",
     "The file was written for another version of the format.",
     "Set \"schema_version\" to 1, then run `dcube validate FILE` and correct what it names."},

    // Units and sizes
    {"bad-unit", "is not a duration | is not a rate | is not a size (",
     "A time, rate or size is negative, too fine, no number, or has a unit that dcube does not "
     "know.",
     "Write times as \"1.5us\" (ps, ns, us, ms, s), rates as \"10GBps\" or \"100Gbps\", sizes as "
     "\"64KiB\". KiB is 1,024 bytes, kB is 1,000; a B is a byte, a b is a bit."},
    {"missing-unit", "a number without a unit is",
     "This is a warning: the run goes on. A number without a unit counts seconds, bytes or bytes "
     "per second, and this one is unlikely in that unit.",
     "Write the unit, such as \"600ns\" or \"10GBps\". If the number is right, write it with its "
     "unit, too, and the warning is gone."},
    {"too-long-time",
     "is too long (simulated time | simulated time exceeds | cannot be kept exactly",
     "dcube counts time exactly, in picoseconds of 63 bits, which end after about 106 days.",
     "Check the units of latency, bandwidth, compute and message. If they are right, use smaller "
     "messages or fewer rounds."},
    {"memory", "does not fit in memory | memory ran out",
     "The run needs more memory than is free. dcube estimates this before it starts, and respects "
     "ulimit and the memory limit of a batch job or container.",
     "Use fewer nodes or processes, leave out --why, or ask for more memory (Slurm: --mem). "
     "Several simulations at a time share the memory: --jobs 1 runs one after the other."},
    {"long-table", "make a long table", "A table with a line for each process would be very long.",
     "Add --full to print it, or read the result as JSON with --output FILE."},

    // Machines and embeddings
    {"too-few-nodes",
     "does not fit the .. processes, the machine | processes, the machine .. nodes | the traffic "
     "has .. processes, the .. nodes | leaves .. for .. process",
     "The program or the traffic has more processes than the machine has slots. A node has one "
     "slot by default, and failed or avoided nodes have none.",
     "Use a larger machine, fewer processes, or several processes a node: --set "
     "/machine/node='{\"slots\":2}'."},
    {"power-of-two", "not a power of two | sides must be powers of two",
     "xor, by_weight, gray and the CC d-cube program work on cubes, so sides and numbers of "
     "processes are powers of two.",
     "Set /program/dimensions (16 processes: 4), use a machine such as torus:8x8, or an embedding "
     "for any size: standard, random, a map file, or one that `dcube place` finds."},
    {"does-not-fit", "does not fit the | nothing fits:",
     "This embedding needs another machine, guest graph or number of processes. compare leaves it "
     "out, ends with exit status 1, and shows the others.",
     "The brackets name the requirement, and the end of the message what would fit. `dcube list "
     "embeddings` shows an example of each."},
    {"node-twice", "already hosts process | processes are pinned to node",
     "A map puts more processes on a node than it has slots.",
     "Give every process a node of its own, or set the machine's node.slots to the number of "
     "processes a node hosts."},
    {"pinned", "is pinned to node .. which",
     "A process is pinned to a node that has failed or that --avoid or --only keeps free.",
     "Pin the process to another node, or make this one available."},
    {"hosts", "is none of the .. hosts | nor one of the hosts",
     "The map file or node list calls nodes by names, and dcube does not know which node has "
     "which. Without --hosts they have the names of a SimGrid platform, or are node-0, node-1, ..",
     "Give --hosts a pattern such as cn{:03}, or a file with the name of node 0, 1, .. a line "
     "each. With Slurm, `scontrol show hostnames` prints the names of an allocation."},
    {"disconnected", "disconnects the machine | the graph is not connected",
     "Without the failed links or nodes, some nodes cannot reach the others, so no route exists.",
     "List the nodes that are cut off under failed.nodes, too, fail fewer links, or add the "
     "missing edge to the graph."},
    {"cut-off", "cannot get from node",
     "Links or nodes that failed during the run (failed.at) left a message without a route. The "
     "run ends there with exit status 1.",
     "Fail fewer links, or later. `dcube compare --failures` counts how many random failures the "
     "embeddings stand."},
    {"unknown-routes", "messages draw or choose their",
     "Messages choose or draw their routes on this machine (adaptive or random routing), so loads "
     "of links are not known without a simulation.",
     "Use --objective makespan with a scenario, or hop-bytes; or set /machine/routing to routes "
     "that are fixed: dimension_order on grids, minimal on dragonflies, shortest elsewhere."},

    // Traffic
    {"traffic-format", "does not say what it is written in",
     "The name of a traffic or map file has no suffix that dcube knows.",
     "Write the format before the name, such as --traffic csv:comm.txt, matrix:comm.txt or "
     "--embedding rankfile:ranks. `dcube list formats` lists them."},
    {"traffic-line", "is not a number of bytes | are no square matrix | holds no traffic",
     "A line of the traffic file is neither an edge (from, to, bytes, messages) nor a row of a "
     "square matrix.",
     "Correct the line that the message names: bytes are whole numbers without a unit, processes "
     "count from 0, and a matrix has as many rows as columns."},
    {"counts-from-1", "no row names process 0",
     "This is a warning: the run goes on. No line names process 0, so the file may count processes "
     "from 1, and the traffic would have an idle process too many.",
     "If it counts from 1, write --traffic csv-from-1:FILE. Otherwise ignore the warning."},

    // Runs
    {"deadlock", "deadlock at",
     "Every process that has not ended waits for a message that nobody sends. The lines below the "
     "message say who waits for whom, and show a cycle where there is one.",
     "Check source, tag and order of the receives in that cycle: each blocking receive needs a "
     "send "
     "that comes before it. A send that waits for its receive (rendezvous) can close the cycle."},
    {"timed-out", "timed_out (not done",
     "A simulation took longer than --time-limit, in wall-clock time.",
     "Give it more time, a smaller machine or fewer messages. Runs that are done are kept; the "
     "same command with --output FOLDER and more time makes only the rest."},

    // Output
    {"output-exists", "holds another comparison | holds another study | holds results of",
     "The output folder keeps results of other settings or of another command, which dcube does "
     "not mix.",
     "Name another folder. compare replaces the old one with --force. The same command again goes "
     "on where it was ended."},
    {"output-is-input", "is read, so it cannot be written", "One file is both input and output.",
     "Name another output file."},
    {"output-folder", "is not a folder | cannot be written",
     "The output's folder does not exist, is read-only, or the disk is full.",
     "Make the folder with mkdir -p, or write elsewhere. dcube writes a file whole or not at all."},
    {"output-kind", "does not say what to write | is not a kind of file that is written",
     "--write needs the kind of file, such as csv:FILE for a trace, unless the suffix tells it.",
     "Take a kind that the message lists. --output FILE writes the result as JSON."},

    // Command line, clusters, Python
    {"unknown-option", "unknown option | unknown command | one argument too many",
     "The command has no such option or word. Options stand after the command, and --plugin before "
     "it.",
     "See `dcube COMMAND --help`. Put quotes around values with spaces, brackets or *."},
    {"missing-argument", "is required | a command is missing | has no value ( | belong together",
     "An option or argument that the command needs is not there.",
     "Add it: `dcube COMMAND --help` ends with examples that run."},
    {"shard", "is not a shard | there is no shard | needs a folder in which the parts meet",
     "--shard I/N runs the I-th of N parts of a study; I counts from 1.",
     "In a Slurm job array write #SBATCH --array=1-N and --shard $SLURM_ARRAY_TASK_ID/N, with one "
     "--output folder that all jobs see. Then the same command without --shard (or `dcube sweep "
     "--collect FOLDER`) puts the parts together."},
    {"mpi",
     "reaches rank 0 alone | excludes --mpi | does not go with MPI | read other files than rank 0",
     "Under mpirun or srun the ranks share the runs, so all need the same files and no --shard.",
     "Name a file that every computer sees instead of -, and leave out --shard. Without mpirun, "
     "--shard I/N in a job array shares the runs, too."},
    {"python-argument",
     "is not a whole number from | unexpected keyword argument | is not a text | is not a dict | "
     "is not a name, a file",
     "A function of the package for Python got an argument of a wrong type, range or name.",
     "See help(dcube.run). Times are texts with a unit (\"1.5us\"); a program's settings go into "
     "program={..} or into set={\"/program/message\": 64}."},
};

}  // namespace

std::span<const Complaint> complaints() { return known; }

}  // namespace dcube::app
