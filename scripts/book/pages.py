"""The pages of the book as Sphinx reads them: a copy of docs/, with notebooks as pages.

A link from a page to another stays as it is. One to a file elsewhere in the tree becomes a download,
one to a folder its bare name, because the book is read without the tree.
"""

import base64
import json
import re

LINK = re.compile(r"(?<!!)\[([^]\[]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
PICTURES = {"image/png": "png", "image/svg+xml": "svg"}


def write(path, content):
    """Writes a file unless it has this content, so that Sphinx reads again only what has changed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, str):
        content = content.encode()
    if not path.exists() or path.read_bytes() != content:
        path.write_bytes(content)


def outside_fences(text, change):
    """`text` with `change` applied to what stands outside of fenced blocks."""
    parts, begin = [], 0
    for fence in FENCE.finditer(text):
        parts += [change(text[begin : fence.start()]), fence[0]]
        begin = fence.end()
    return "".join([*parts, change(text[begin:])])


class Book:
    def __init__(self, root, source):
        self.root, self.docs, self.source = root, root / "docs", source
        self.made = set()

    def add(self, name, content):
        write(self.source / name, content)
        self.made.add(self.source / name)

    def relinked(self, page, text):
        """`text` with links out of docs/ replaced."""

        def link(match):
            words, target, anchor = match[1], match[2], match[3] or ""
            if re.match(r"[a-z]+:", target):
                return match[0]
            path = (page.parent / target).resolve()
            if path.suffix == ".ipynb":
                return f"[{words}]({target[: -len('.ipynb')]}.md{anchor})"
            if path.is_relative_to(self.docs) and path.is_file():
                return match[0]
            if not path.is_file():
                return words if path.is_dir() else match[0]
            self.add(f"files/{path.relative_to(self.root)}", path.read_bytes())
            up = "../" * len(page.relative_to(self.docs).parents[0].parts)
            return f"[{words}]({up}files/{path.relative_to(self.root)})"

        return outside_fences(text, lambda part: LINK.sub(link, part))

    def notebook(self, path):
        """A notebook as Markdown: its texts, its code and what that has shown."""
        name = path.relative_to(self.docs).with_suffix("")
        parts = []
        for number, cell in enumerate(json.loads(path.read_text())["cells"]):
            text = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                parts.append(text)
                continue
            parts.append(f"```python\n{text}\n```")
            for shown, output in enumerate(cell.get("outputs", [])):
                data = output.get("data", {"text/plain": output.get("text", "")})
                kind = next((kind for kind in PICTURES if kind in data), None)
                if kind:
                    content = "".join(data[kind])
                    content = base64.b64decode(content) if kind == "image/png" else content
                    picture = f"{name}-{number}-{shown}.{PICTURES[kind]}"
                    self.add(picture, content)
                    parts.append(f"![what it draws]({picture.rpartition('/')[2]})")
                else:
                    parts.append("```\n" + "".join(data["text/plain"]).rstrip() + "\n```")
        return "\n\n".join(parts) + "\n"


def stage(root, source):
    """Copies the pages to `source`; gives the files that belong there."""
    book = Book(root, source)
    for path in sorted(book.docs.rglob("*")):
        name = path.relative_to(book.docs)
        if path.suffix == ".md":
            book.add(name, book.relinked(path, path.read_text()))
        elif path.suffix == ".ipynb":
            book.add(name.with_suffix(".md"), book.relinked(path, book.notebook(path)))
        elif path.suffix in (".png", ".svg"):
            book.add(name, path.read_bytes())
    return book.made


def forget_others(source, made):
    """Removes pages of an earlier build that are no more."""
    for path in source.rglob("*"):
        if path.is_file() and path not in made:
            path.unlink()
