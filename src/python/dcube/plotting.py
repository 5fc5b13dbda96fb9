"""Pictures, drawn by the scripts that the command line draws with."""

import contextlib
import importlib
import io
import pathlib
import sys
import tempfile

from . import _dcube
from .errors import Error


def scripts_folder():
    for folder in _dcube.data_folders():
        if (scripts := pathlib.Path(folder) / "scripts").is_dir():
            return scripts
    raise Error("the plotting scripts are not there; install dcube whole, or name it in DCUBE_DATA")


def load(script):
    """The module of a script."""
    import matplotlib  # noqa: F401  its absence is told as usual; the scripts would end the program

    folder = str(scripts_folder())
    writes_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # there it may not
    sys.path.insert(0, folder)
    try:
        return importlib.import_module(script)
    finally:
        sys.path.remove(folder)
        sys.dont_write_bytecode = writes_bytecode


def arguments_of(options):
    """title="x" becomes --title x; a truth value is an option without a value."""
    arguments = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            arguments.append(option)
        elif value is not None and value is not False:
            arguments += [option, str(value)]
    return arguments


def figure(script, files, **options):
    """The figure that a script draws of files with these contents, with its options."""
    import matplotlib

    module = load(script)
    drawn = []
    save, module.save = module.save, lambda made, _: drawn.append(made)
    try:
        with tempfile.TemporaryDirectory() as name, matplotlib.rc_context():
            folder = pathlib.Path(name)
            for file, content in files.items():
                (folder / file).write_text(content, encoding="utf-8")
            given = [str(folder / file) for file in files]
            output = ["-o", str(folder / "picture.png")]
            try:
                with contextlib.redirect_stderr(io.StringIO()):
                    parsed = module.make_parser().parse_args(given + output + arguments_of(options))
            except SystemExit:
                raise TypeError(f"{options} are no options of {script}.py") from None
            try:
                module.draw(parsed)
            except sys.modules["plotting.documents"].Unusable as error:
                raise Error(str(error).replace(f"{name}/", "")) from None
    finally:
        module.save = save
    return drawn[0]
