#!/usr/bin/python3 -B
"""Draws all pictures of a folder that `dcube compare --output` wrote, into that folder.

comparison.png (and scaling.png, where numbers of processes are compared), and for each run
NAME-link-load.png, NAME-embedding.png and, where there is a trace of it, NAME-gantt.png. Runs on
draws of failed links have no pictures of their own.
`dcube compare --output` calls this; run it again after changes, or with --format svg.
"""

import importlib
import multiprocessing
import os
import sys

from plotting import program_name
from plotting.comparisons import read_comparison
from plotting.documents import Unusable
from plotting.options import Parser, run, say
from plotting.results import read_result

MOST_RUNS = 64  # that get pictures of their own
MOST_WORKERS = 8
MOST_MAPS = 40  # in the picture of an embedding


def job(folder, options, script, arguments, picture):
    """A picture to draw: the script, its command line, and what the picture is called."""
    name = f"{picture}.{options.format}"
    return script, [*arguments, "--output", os.path.join(folder, name)], name


def draw_job(job):
    """Draws a picture; returns the complaint about it, or None."""
    script, arguments, _ = job
    try:
        module = importlib.import_module(script)
        module.draw(module.make_parser().parse_args(arguments))
    except Unusable as complaint:
        return str(complaint)
    return None


def jobs_of_run(comparison, row, options):
    """The pictures of a run. Results leave out the loads of large machines, and large maps."""
    if row.failures:
        return []  # one of many draws; the picture of the comparison shows them together
    folder, name = options.folder, row.label
    file = comparison.result_of(row)
    if file is None:
        return []  # it did not finish
    result = read_result(file)
    # A map file and an order of axes have names that the result does not know.
    called = [f"--name={row.embedding}"]
    jobs = []
    if result.document.has("link_loads") and (result.machine.has_sides or result.document.has("drawing")):
        jobs.append(job(folder, options, "plot_link_load", [file, *called], f"{name}-link-load"))
    if result.document.get("embedding").has("map"):
        arguments = [file, *called, *dimension_option(result)]
        jobs.append(job(folder, options, "plot_embedding", arguments, f"{name}-embedding"))
    trace = comparison.trace_of(row)
    if trace is not None and result.makespan_s > 0:  # else nothing happens that could be drawn
        jobs.append(job(folder, options, "plot_gantt", [trace, *called], f"{name}-gantt"))
    return jobs


def jobs_of_folder(options):
    """All jobs, and complaints about results that cannot be read."""
    folder, complaints = options.folder, []
    comparison = read_comparison(folder)
    jobs = [job(folder, options, "plot_comparison", [comparison.file], "comparison")]
    if comparison.is_scaling and comparison.completed():
        jobs.append(job(folder, options, "plot_scaling", [comparison.file], "scaling"))
    for row in comparison.rows[:MOST_RUNS]:
        try:
            jobs += jobs_of_run(comparison, row, options)
        except Unusable as complaint:
            complaints.append(str(complaint))
    return jobs, complaints


def dimension_option(result):
    """Asks for all dimensions of a cube of processes if they fit into one legible picture."""
    program = result.document.get("program")
    is_cube = program.has("guest") and program.get("guest").text().startswith("cube")
    machine = result.machine
    has_slices = not machine.is_cube and machine.dimensions == 3
    maps = (machine.sides[2] if has_slices else 1) * (result.processes.bit_length() - 1)
    return ["--dimension", "all"] if is_cube and 0 < maps <= MOST_MAPS else []


def draw(options):
    """Draws several pictures at a time. A complaint about one does not keep the others away."""
    if not os.path.isdir(options.folder):
        raise Unusable(
            f"{options.folder}: is no folder; make it with `dcube compare SCENARIO --output DIR`"
        )
    jobs, complaints = jobs_of_folder(options)
    workers = min(len(jobs), len(os.sched_getaffinity(0)), MOST_WORKERS)
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        for (_, _, name), complaint in zip(jobs, pool.imap(draw_job, jobs)):
            if complaint:
                complaints.append(complaint)
            elif not options.quiet:
                print(name, flush=True)
    for complaint in dict.fromkeys(complaints):  # two pictures may need one file
        say(complaint)
    if complaints:
        sys.exit(2)


def make_parser():
    parser = Parser(
        prog=program_name(),
        description=__doc__,
        epilog="example:\n"
        "  dcube compare scenarios/quickstart.json --output comparison --no-pictures\n"
        "  scripts/plot_folder.py comparison --format svg",
        formatter_class=Parser.layout,
        allow_abbrev=False,
    )
    parser.add_argument("folder", metavar="DIR", help="of `dcube compare --output`")
    parser.add_argument(
        "--format",
        choices=("png", "svg", "pdf"),
        default="png",
        help="of the pictures (default png)",
    )
    parser.add_argument(
        "--quiet", action="store_true", help="do not name each picture when it is done"
    )
    return parser


if __name__ == "__main__":
    run(make_parser(), draw)
