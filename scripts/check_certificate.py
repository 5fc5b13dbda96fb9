#!/usr/bin/env -S python3 -B
"""Checks the certificates that `dcube search --write certificate:FILE` writes: proofs by enumeration or
by matrices that no map costs less. Shares no code with dcube: distances come from breadth-first search over links
built here, costs from the flows, and the enumeration is made again by the rules of docs/reference/search.md.

    check_certificate.py FILE..    exit status 0 when all hold, 1 when one does not, 2 unreadable
"""

import argparse
import json
import sys

from certificates.constant_distances import check_constant_distances
from certificates.exhaustive import check_exhaustive
from certificates.machine import Wrong
from certificates.semidefinite import check_semidefinite

CHECKS = {
    "exhaustive": check_exhaustive,
    "constant-distances": check_constant_distances,
    "semidefinite": check_semidefinite,
}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", metavar="FILE")
    status = 0
    sys.setrecursionlimit(10_000)
    for file in parser.parse_args().files:
        try:
            with open(file, encoding="utf-8") as stream:
                certificate = json.load(stream)
            print(f"{file}: holds: {CHECKS[certificate['certificate']](certificate)}")
        except Wrong as wrong:
            print(f"{file}: does not hold: {wrong}")
            status = max(status, 1)
        except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
            print(f"{file}: no certificate ({error})", file=sys.stderr)
            status = 2
    return status


if __name__ == "__main__":
    sys.exit(main())
