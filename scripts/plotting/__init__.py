"""What the plotting scripts share: reading, complaints, machines, colours, saving.

`documents` and `text` need the standard library alone; whatever draws or counts needs Debian's
python3-matplotlib, which brings numpy along. Importing the package complains when that is missing.
"""

import importlib
import pathlib
import sys

sys.dont_write_bytecode = True  # an installed copy may lie where users cannot write


def program_name():
    """The name of the running script, with which complaints begin."""
    return pathlib.Path(sys.argv[0]).stem


def _require(module):
    try:
        importlib.import_module(module)
    except ImportError as error:
        reason = " ".join(str(error).split())
        print(
            f"{program_name()}: {module} cannot be used ({reason}); "
            "install Debian's package python3-matplotlib and run this with /usr/bin/python3",
            file=sys.stderr,
        )
        sys.exit(2)


for _module in ("numpy", "matplotlib"):
    _require(_module)
