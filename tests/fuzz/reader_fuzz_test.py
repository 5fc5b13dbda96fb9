#!/usr/bin/env python3
"""Damages files of every kind that dcube reads and feeds its readers with them.

    reader_fuzz_test.py PROGRAM READER_FUZZ [--rounds N] [--seed S] [--keep DIR]

PROGRAM is dcube, which writes the files that are damaged; READER_FUZZ is built from reader_fuzz.cpp.
N damaged copies of each are read. An input that a reader failed on is kept in DIR.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WRITTEN = """
embed torus:8x8 --embedding xor --export rankfile:x.rankfile --export scotch:x.scotch --export bluegene:x.bluegene
embed torus:8x8 --embedding xor --export jax:x.jax --export csv:x.csv --export hostfile:x.hostfile --export json:x.embedding
run {root}/scenarios/quickstart.json --set /program/message=64 --traffic t.mtx --quiet
run {root}/scenarios/quickstart.json --set /program/message=64 --traffic t.grf --quiet
run {root}/scenarios/quickstart.json --set /program/message=64 --traffic t.graph --quiet
run {root}/scenarios/quickstart.json --set /program/message=64 --traffic csv:t.csv --quiet
run {root}/scenarios/quickstart.json --trace csv:run.trace --output r.result --quiet
"""
GIVEN = {
    "x.edges": "from,to,latency,bandwidth\n0,1,2us,1GBps\n1,2,,\n2,3,1s,\n3,0,,8\n# chord\n0,2,,\n",
    "x.routes": "at,to,next\n" + "".join(f"{a},{b},{(a + 1) % 4}\n" for a in range(4) for b in range(4) if a != b),
}
GIVEN["x.yml"] = "topology: [Ring, Switch]  # of NPUs\nnpus_count: [4, 2]\nbandwidth:\n- 50.0\n- 400\nlatency: [500, 20.5]\n"
GIVEN["x.topo"] = """Nodes 16
Tiers 3
Podsize 4
# of switches
Tier 0
Downlink_speed_Gbps 200
Radix_Down 2
Radix_Up 2
Downlink_Latency_ns 500
Switch_Latency_ns 100
Tier 1
Downlink_speed_Gbps 100
Radix_Down 2
Radix_Up 2
Downlink_Latency_ns 700
Tier 2
Downlink_speed_Gbps 100
Radix_Down 4
Downlink_Latency_ns 900
"""
GIVEN["x.xml"] = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="w" routing="Full">
<cluster id="a" prefix="a" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="10us" bb_bw="10GBps" bb_lat="20us"/>
<cluster id="b" prefix="b" suffix="" radical="0-2" speed="1Gf" bw="1GBps" lat="10us"/>
<link id="wan" bandwidth="100MBps" latency="5ms" sharing_policy="FATPIPE"/>
<zoneRoute src="a" dst="b" gw_src="aa_router" gw_dst="bb_router"><link_ctn id="wan"/></zoneRoute>
</zone></platform>
"""
GIVEN["t-matrix.csv"] = ";a;b;c\na;0;1e3;2\nb;4;0;0\nc;1;1;0\n"
GIVEN["t-edges.csv"] = "source;destination\n0;1\n2;0\n"
GIVEN["t-vertices.graph"] = "% all\n4 2 111 1\n1 1 3 7 2 9\n1 2 1 9\n1 1 1 7\n1 1\n"
GIVEN["t-blank.graph"] = "5 3\n2 3\n1\n1 5\n\n3\n"
GIVEN["x.study"] = """{"schema_version": 1, "name": "x", "scenario": "quickstart", "set": {"/program/message": 4},
 "vary": [{"setting": "/program/compute", "values": ["1s", "log:2s:9s:3", {"uniform": ["1s", "2s"]}]},
          {"setting": "/embedding", "values": "xor,standard"}],
 "zip": [[{"setting": "/machine", "values": ["torus:4x4", "ring:8"]}, {"setting": "/program/order", "values": "ascending,descending"}]],
 "where": ["/embedding != gray", "/program/message <= 64KiB"], "seeds": 3, "measures": ["makespan_s"]}
"""
SHIPPED = {
    "goal": ["scenarios/traces/*.goal"],
    "ti": ["scenarios/traces/*.ti"],
    "goal-pieces": ["scenarios/traces/*.goal"],
    "ti-pieces": ["scenarios/traces/*.ti"],
    "matrix": ["scenarios/traces/stencil-16.csv"],
    "document": ["scenarios/*.json", "scenarios/tasks/*.json", "platforms/*.json", "validation/*.json"],
    "image": ["scenarios/**/*.pgm", "scenarios/**/*.png"],
    "sound": ["scenarios/**/*.wav"],
}


def written_seeds(program, folder):
    """(reader, file) of what the program writes; formats that it cannot write there are left out."""
    for line in WRITTEN.strip().splitlines():
        subprocess.run([program, *line.format(root=ROOT).split()], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    for name, text in GIVEN.items():
        (folder / name).write_text(text)
    for file in sorted(folder.iterdir()):
        yield ("traffic" if file.stem.startswith("t") else file.suffix[1:]), file


def shipped_seeds():
    for reader, patterns in SHIPPED.items():
        for pattern in patterns:
            for file in sorted(ROOT.glob(pattern)):
                yield reader, file


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("reader_fuzz", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()))
    return parser.parse_args()


def main():
    options = read_options()
    failures = tried = 0
    with tempfile.TemporaryDirectory() as name:
        seeds = pathlib.Path(name) / "seeds"
        seeds.mkdir()
        for reader, file in [*written_seeds(options.program.resolve(), seeds), *shipped_seeds()]:
            # Beside the seed, so that what it names is found from there.
            scratch = pathlib.Path(name) / f"damaged{file.suffix}"
            done = subprocess.run(
                [options.reader_fuzz, reader, file, scratch, str(options.rounds), str(options.seed)],
                text=True,
                stderr=subprocess.PIPE,
                check=False,
            )
            tried += options.rounds
            if done.returncode != 0:
                failures += 1
                kept = options.keep / f"{reader}-{file.stem}{file.suffix}"
                if scratch.exists():
                    shutil.copy(scratch, kept)
                print(f"{reader} {file.name}: status {done.returncode}: {done.stderr.strip()} (input kept in {kept})")
    print(f"{tried} damaged files read, {failures} failures")
    return 1 if failures or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
