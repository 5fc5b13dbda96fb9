"""The package dcube for Python: its Python files from their sources, its compiled classes from the module
that is built beside the program."""

import ast
import inspect
import json
import os
import re
import subprocess
import textwrap

from .text import code, prose

# Runs in Debian's interpreter, which the module is built for.
ASK = """
import json, dcube
kinds = [getattr(dcube, name) for name in dcube.__all__]
kinds = [kind for kind in kinds if isinstance(kind, type) and kind.__module__ == "dcube._dcube"]
print(json.dumps({kind.__name__: [kind.__doc__, {
    name: [isinstance(value, property), value.__doc__ or ""] for name, value in vars(kind).items() if name[0] != "_"
}] for kind in kinds}))
"""


def signature(node):
    arguments = ast.unparse(node.args)
    if arguments.startswith("self"):
        arguments = arguments.removeprefix("self").removeprefix(", ")
    whole = f"{node.name}({arguments})"
    if len(whole) < 80:
        return whole
    return f"{node.name}(\n" + textwrap.fill(arguments, 76, initial_indent="    ", subsequent_indent="    ") + "\n)"


def documentation(text):
    """A docstring as it stands: its tables are aligned by hand."""
    return f"\n{code(inspect.cleandoc(text))}\n" if text else ""


def is_property(node):
    return any("property" in ast.unparse(decorator) for decorator in node.decorator_list)


def public_names(package):
    """{name: module or None} of what the package gives its users; None: defined in __init__.py."""
    names, homes = set(), {}
    for node in package.body:
        if isinstance(node, ast.Assign | ast.AugAssign) and "__all__" in ast.unparse(node).split("=")[0]:
            names |= set(ast.literal_eval(node.value))
        if isinstance(node, ast.ImportFrom):
            homes |= {alias.name: node.module for alias in node.names}
    return {name: homes.get(name) for name in names}


def compiled_classes(folder):
    """{class: [docstring, {member: [whether it is a property, docstring]}]} of the built module, if any."""
    if not any(folder.glob("dcube/_dcube*.so")):
        return {}
    python = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else "python3"
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    asked = subprocess.run([python, "-c", ASK], check=True, text=True, capture_output=True, env=environment)
    return json.loads(asked.stdout)


def compiled_text(classes):
    text = ""
    for name, (about, members) in sorted(classes.items()):
        text += f"\n### dcube.{name}\n\n{prose(about)}\n\n"
        for member, (is_value, said) in members.items():
            head, _, rest = ("", "", said) if is_value else said.partition("\n")
            call = re.sub(r"self: [\w.]+(, )?", "", head).replace("dcube._dcube.", "") or member
            text += f"{code(call, 'python')}\n{documentation(rest.strip())}\n"
    return text


def page(folder, built):
    """The page; `folder` has the sources, `built` may have the built package."""
    public = public_names(ast.parse((folder / "__init__.py").read_text()))
    text = "# Python API\n\nWhat `import dcube` gives. [The page on Python](../howto/use-python.md) shows its use.\n"
    functions, classes = "", ""
    for path in sorted(folder.glob("*.py")):
        home = None if path.stem == "__init__" else path.stem
        for node in ast.parse(path.read_text()).body:
            name = getattr(node, "name", None)
            if name not in public or public[name] != home:
                continue
            if isinstance(node, ast.FunctionDef):
                functions += f"\n### dcube.{name}\n\n{code(signature(node), 'python')}\n"
                functions += documentation(ast.get_docstring(node))
            else:
                classes += f"\n### dcube.{name}\n{documentation(ast.get_docstring(node))}\n"
                for part in node.body:
                    if isinstance(part, ast.FunctionDef) and not part.name.startswith("_"):
                        call = part.name if is_property(part) else signature(part)
                        classes += f"{code(call, 'python')}\n{documentation(ast.get_docstring(part))}\n"
                    if isinstance(part, ast.AnnAssign):  # name: type = datum(path, about)
                        about = [ast.literal_eval(argument) for argument in part.value.args[1:]]
                        classes += f"{code(part.target.id, 'python')}\n{documentation(''.join(about))}\n"
    inside = compiled_text(compiled_classes(built))
    if not inside:
        names = ", ".join(f"`{name}`" for name in sorted(public) if public[name] == "_dcube")
        inside = f"\n{names} are compiled; this book was made without the module that has them.\n"
    return f"{text}\n## Functions\n{functions}\n## Classes\n{classes}\n## What processes use\n{inside}"
