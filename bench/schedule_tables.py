"""What GOAL schedules cost: simulating an operation, and reading it."""

from harness import run_benchmark, say
from tables import Column, Table, significant, words

title = "GOAL schedules: 10^6 operations of 256 ranks on a 16x16 torus"
note = """\
LogGOPSim's usual costs, without SimGrid. Of `random` and `random_rendezvous` each operation requires up to
two of the last ones of its rank; of the latter a third of the messages are above the eager limit."""
columns = (
    Column("schedule", "schedule", words),
    Column("ns an operation", "simulating", significant),
    Column("reading it", "reading", significant),
)
simulated = ("ring", "dissemination", "trees", "computing", "random", "random_rendezvous")
read = ("ring", "random")


def schedules(size, repeats):
    records = []
    for schedule in simulated[:2] if size == "quick" else simulated:
        say(f"schedules: {schedule}")
        record = {"schedule": schedule}
        record["simulating"], _ = run_benchmark("goal_bench", f"simulate/{schedule}", repeats)
        if schedule in read:
            record["reading"], _ = run_benchmark("goal_bench", f"read/{schedule}", repeats)
        records.append(record)
    return Table(title, note, columns, records)
