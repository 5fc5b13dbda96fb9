"""The program `dcube` of an installed wheel."""

import os
import pathlib
import sys


def main():
    program = pathlib.Path(__file__).parent / "bin" / "dcube"
    os.execv(program, [str(program), *sys.argv[1:]])
