#!/usr/bin/env -S python3 -B
"""Where do searches not meet the table of placements (docs/validation/placements.md)?

    placements.py DCUBE [NAME..]               problems whose names begin with one of these; default: all
    placements.py DCUBE --time-limit 60s ..    so long for each, or --effort N (a 50th where
                                               a map takes longer), instead of the default effort
    placements.py DCUBE --prove 20s ..         better bounds, too
    placements.py DCUBE --update ..            writes better maps, bounds and certificates into the table

Prints for each problem the cost in the table, the cost found, by how much it is above, the bound found and
seconds. Exit status 1 where a map of the table is not met.
"""

import argparse
import csv
import io
import json
import lzma
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PLACEMENTS = Path(__file__).resolve().parent.parent / "validation" / "placements"
sys.path.insert(0, str(PLACEMENTS))

import bounds  # noqa: E402
from check import COLUMNS, Table, write_problem  # noqa: E402

MOST_BYTES = 200_000  # of a certificate that is kept


def read_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program", metavar="DCUBE")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--time-limit", metavar="TIME")
    parser.add_argument("--effort", metavar="N", type=int)
    parser.add_argument("--prove", metavar="TIME")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--found-by", default="dcube", metavar="WHO")
    return parser.parse_intermixed_args()


def search(options, problem, folder, *more):
    machine, traffic = write_problem(problem, folder)
    is_cc = problem.objective == "cc-time"
    command = [options.program, "search", "--machine", machine, "--objective", problem.objective, "--json",
               "--traffic", problem.traffic_text if is_cc else traffic, *more]  # fmt: skip
    if options.effort:
        is_sum = problem.objective in ("hop-bytes", "average-dilation")
        command += ["--effort", str(options.effort if is_sum else options.effort // 50)]
    if options.time_limit:
        command += ["--time-limit", options.time_limit]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # 1 with an answer: no certificate could be written.
    if done.returncode != 0 and not (done.returncode == 1 and done.stdout):
        raise SystemExit(f"{problem.name}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def search_and_prove(options, problem, folder):
    """(answer, certificate or nothing)."""
    file = Path(folder) / "certificate.json"
    file.unlink(missing_ok=True)
    more = []
    if problem.objective in ("hop-bytes", "average-dilation"):
        if problem.machine.shape and options.prove:
            more = ["--prove", options.prove, "--write", f"certificate:{file}", "--method", "annealing"]
        elif options.prove:
            more = ["--prove", options.prove]
    elif problem.machine.nodes <= 16 and options.prove:
        more = ["--method", "exhaustive", "--write", f"certificate:{file}"]
    answer = search(options, problem, folder, *more)
    return answer, json.loads(file.read_text()) if file.exists() else None


def better_evidence(table, problem, certificate):
    """(greatest bound that check.py can verify, the evidence, bytes of a certificate to keep)."""
    choices = [(problem.checked, problem.evidence, None)]
    for kind, objectives in (
        ("groups", ("hop-bytes", "average-dilation")),
        ("degree", ("hop-bytes", "average-dilation")),
        ("growth", ("longest-dilation",)),
        ("node", ("link-load",)),
    ):
        if problem.objective in objectives and (kind != "node" or problem.slots == 1):
            choices.append((getattr(bounds, kind)(problem), kind, None))
    if problem.objective == "link-load":
        for line in table.lines:
            if line["objective"] == "hop-bytes" and all(
                line[key] == problem.line[key] for key in ("machine", "slots", "traffic")
            ):
                choices.append((bounds.mean(problem, int(line["checked"])), f"mean {line['name']}", None))
    if certificate:
        proved = bounds.check_certificate(certificate, problem, False)
        packed = lzma.compress(json.dumps(certificate, separators=(",", ":")).encode(), preset=9)
        if len(packed) <= MOST_BYTES:
            choices.append((proved, "certificate", packed))
        else:
            choices.append((proved, f"elsewhere {bounds.digest(packed)}", None))
    # Of equals, that with the least to read.
    return max(reversed(choices), key=lambda choice: choice[0])


def update(table, options, problem, answer, certificate):
    line = problem.line
    cost, bound = answer["found"]["cost"], answer["bound"]["cost"]
    if problem.name not in table.maps or cost < problem.cost:
        table.maps[problem.name] = answer["map"]
        line["cost"], line["found by"] = cost, options.found_by
    checked, evidence, packed = better_evidence(table, problem, certificate)
    line["checked"], line["evidence"] = checked, evidence
    cases = re.match(r"branch and bound over ([\d,]+) cases?\b", answer["bound"]["source"])
    proved_by = f"{options.found_by}: {cases[1].replace(',', '')} cases" if cases else options.found_by
    is_proof = bound == cost == problem.bound and cases and ":" not in line["bound by"]
    if max(bound, checked) > problem.bound or is_proof:
        line["bound"], line["bound by"] = max(bound, checked), proved_by
    file = table.folder / "certificates" / f"{problem.name}.json.xz"
    if packed:
        file.write_bytes(packed)
    elif evidence != "certificate":
        file.unlink(missing_ok=True)
    write_table(table)


def write_whole(file, text):
    """All of it or nothing."""
    part = file.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(file)


def write_table(table):
    lines = io.StringIO()
    writer = csv.DictWriter(lines, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(table.lines)
    write_whole(table.folder / "table.csv", lines.getvalue())
    maps = [f"{line['name']}: {' '.join(map(str, table.maps[line['name']]))}\n"
            for line in table.lines if line["name"] in table.maps]  # fmt: skip
    write_whole(table.folder / "maps.txt", "".join(maps))


def main():
    options = read_options()
    table, missed, skipped = Table(), 0, 0
    print(f"{'problem':30} {'table':>14} {'found':>14} {'above':>8} {'bound':>14} {'gap':>8} {'s':>6}")
    for problem in table.problems(options.names):
        if not problem.is_known:
            skipped += 1
            continue
        with tempfile.TemporaryDirectory() as folder:
            answer, certificate = search_and_prove(options, problem, folder)
        cost, bound = answer["found"]["cost"], max(answer["bound"]["cost"], problem.bound)
        above = f"{100 * (cost / problem.cost - 1):+.2f} %" if problem.cost else "-"
        gap = f"{100 * (min(cost, problem.cost or cost) / bound - 1):.1f} %" if bound else "-"
        print(f"{problem.name:30} {problem.cost:14} {cost:14} {above:>8} {answer['bound']['cost']:14} {gap:>8}"
              f" {answer['wall_s']:6.1f}", flush=True)  # fmt: skip
        missed += cost > problem.cost > 0
        if options.update:
            update(table, options, problem, answer, certificate)
    print(f"{missed} problems of the table not met, {skipped} skipped whose flows are not here")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
