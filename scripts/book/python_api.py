"""The package dcube for Python, from its sources alone, so that nothing need be built."""

import ast
import inspect
import textwrap

from .text import code


def signature(node):
    arguments = ast.unparse(node.args)
    if arguments.startswith("self"):
        arguments = arguments.removeprefix("self").removeprefix(", ")
    whole = f"{node.name}({arguments})"
    if len(whole) < 80:
        return whole
    return f"{node.name}(\n" + textwrap.fill(arguments, 76, initial_indent="    ", subsequent_indent="    ") + "\n)"


def documentation(node):
    """A docstring as it stands: its tables are aligned by hand."""
    text = ast.get_docstring(node)
    return f"\n{code(inspect.cleandoc(text))}\n" if text else ""


def is_property(node):
    return any("property" in ast.unparse(decorator) for decorator in node.decorator_list)


def member(node):
    name = node.name if is_property(node) else signature(node)
    return f"{code(name, 'python')}\n{documentation(node)}\n"


def names_of(tree):
    """The names that the package gives its users."""
    names = set()
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AugAssign) and "__all__" in ast.unparse(node).split("=")[0]:
            names |= set(ast.literal_eval(node.value))
    return names


def page(folder):
    package = ast.parse((folder / "__init__.py").read_text())
    public = names_of(package)
    text = "# Python API\n\nWhat `import dcube` gives. [The page on Python](../python.md) shows its use.\n"
    functions, classes = "", ""
    for path in sorted(folder.glob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if getattr(node, "name", None) not in public:
                continue
            if isinstance(node, ast.FunctionDef):
                functions += f"\n### dcube.{node.name}\n\n{code(signature(node), 'python')}\n{documentation(node)}"
            elif isinstance(node, ast.ClassDef):
                classes += f"\n### dcube.{node.name}\n{documentation(node)}\n"
                for part in node.body:
                    if isinstance(part, ast.FunctionDef) and not part.name.startswith("_"):
                        classes += member(part)
    return f"{text}\n## Functions\n{functions}\n## Classes\n{classes}"
