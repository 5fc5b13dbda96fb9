"""The tables by name: each function takes the size and the runs per median, and measures one."""

from candidate_tables import candidates
from command_tables import start_up, static_metrics
from distance_tables import distances, repeated_runs
from network_kind_tables import fabrics, networks
from network_tables import contention, many_costs
from process_tables import block_and_wake, memory, messages
from schedule_tables import schedules
from search_tables import search
from sweep_tables import sweeps
from throughput import throughput
from trace_tables import traces

sections = {
    "throughput": throughput,
    "distances": distances,
    "repeated-runs": repeated_runs,
    "candidates": candidates,
    "contention": contention,
    "many-costs": many_costs,
    "networks": networks,
    "fabrics": fabrics,
    "block-and-wake": block_and_wake,
    "static-metrics": static_metrics,
    "search": search,
    "start-up": start_up,
    "sweeps": sweeps,
    "messages": messages,
    "memory": memory,
    "schedules": schedules,
    "traces": traces,
}
