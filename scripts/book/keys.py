"""The keys of dcube's files, from schema/*.json: a page for each, a section for each object."""

import json

from .text import cell, code, prose, table

TITLES = {
    "scenario": "Keys of scenarios",
    "machine": "Keys of machines",
    "study": "Keys of studies",
    "experiments": "Keys of experiments",
    "task_graph": "Keys of task graphs",
    "result": "Keys of results",
    "comparison": "Keys of comparisons",
}


class Schemas:
    def __init__(self, documents):
        self.documents = documents

    def of(self, file, reference):
        """(file, name, schema) of a $ref in a file."""
        name, _, pointer = reference.partition("#")
        file = name or file
        schema = self.documents[file]
        for token in pointer.strip("/").split("/") if pointer.strip("/") else []:
            schema = schema[token]
        return file, pointer.rpartition("/")[2], schema

    def find(self, word, file, schema):
        """`word` of a schema, or of the one schema that it refers to."""
        while word not in schema:
            parts = schema.get("allOf", schema.get("anyOf", []))
            schema = parts[0] if len(parts) == 1 else schema
            if "$ref" not in schema:
                break
            file, _, schema = self.of(file, schema["$ref"])
        return schema.get(word)

    def keys(self):
        """(file, pointer, schema) of every key that a file can have."""

        def below(file, pointer, schema):
            for key, value in schema.get("properties", {}).items():
                yield file, f"{pointer}/{key}", value
                yield from below(file, f"{pointer}/{key}", value)
            for part in parts_of(schema):
                yield from below(file, pointer, part)

        for file, document in self.documents.items():
            yield from below(file, "", document)
            for name, definition in document.get("definitions", {}).items():
                yield from below(file, f"/definitions/{name}", definition)

    def link(self, file, reference, page):
        target, name, _ = self.of(file, reference)
        place = f"#{name}" if name else ""
        if target != page:
            place = f"{page_name(target)}.md{place}"
        return f"[{cell(name.replace('_', ' ') or kind_of(target))}]({place})"

    def type(self, file, schema, page):
        """What values a key takes."""
        if "$ref" in schema:
            return self.link(file, schema["$ref"], page)
        if "const" in schema:
            return f"`{json.dumps(schema['const'])}`"
        if "enum" in schema:
            return ", ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
        for name in ("anyOf", "oneOf", "allOf"):
            if name in schema:
                found = [self.type(file, part, page) for part in schema[name]]
                return " or ".join(dict.fromkeys(part for part in found if part))
        kinds = schema.get("type", "object" if "properties" in schema else "")
        kinds = kinds if isinstance(kinds, list) else [kinds]
        text = " or ".join(kind for kind in kinds if kind)
        for word, name in (
            ("≥", "minimum"),
            (">", "exclusiveMinimum"),
            ("≤", "maximum"),
            ("<", "exclusiveMaximum"),
        ):
            if name in schema:
                text += f" {word if word in '≥≤' else cell(word)} {schema[name]:,}"
        if isinstance(schema.get("items"), dict) and (inside := self.type(file, schema["items"], page)):
            text += f" of {inside}"
        return text


def kind_of(file):
    return file.removesuffix(".schema.json")


def page_name(file):
    return f"{kind_of(file)}-keys"


def objects_of(name, schema):
    """The (title, schema) of an object and of those that are written within it."""
    if "properties" in schema:
        yield name, schema
    for key, value in schema.get("properties", {}).items():
        yield from objects_of(f"{name}: {key}" if name else key, value)
    for part in parts_of(schema):
        yield from objects_of(name, part)


def parts_of(schema):
    """The alternatives and the items of a schema, as far as they are written in place."""
    parts = [part for name in ("anyOf", "oneOf", "allOf") for part in schema.get(name, [])]
    return parts + [schema[name] for name in ("items", "additionalProperties") if isinstance(schema.get(name), dict)]


def choices(schema):
    """The (value of `kind`, $ref) of an object whose keys depend on its kind."""
    for part in schema.get("allOf", []):
        kind = part.get("if", {}).get("properties", {}).get("kind", {})
        then = part.get("then", {}).get("$ref")
        for value in kind.get("enum", [kind["const"]] if "const" in kind else []):
            if then:
                yield value, then


def key_table(schemas, file, schema):
    rows = [["key", "what", "values", "default"]]
    for key, value in schema["properties"].items():
        default = schemas.find("default", file, value)
        shown = "" if default is None else f"`{json.dumps(default)}`"
        if key in schema.get("required", []):
            shown = "required"
        rows.append([f"`{key}`", cell(schemas.find("description", file, value) or ""), schemas.type(file, value, file), shown])
    return table(rows)


def page(schemas, file):
    schema = schemas.documents[file]
    text = f"# {TITLES[kind_of(file)]}\n\n{prose(schema.get('description', ''))}\n\n"
    text += f"An editor checks a file against `schema/{file}`.\n\n"
    sections = list(objects_of("", schema))
    plain = []
    for name, definition in schema.get("definitions", {}).items():
        found = list(objects_of(name, definition)) if "properties" in definition or "allOf" not in definition else []
        if not found and not list(choices(definition)):
            plain.append((name, definition))
        elif not any(title == name for title, _ in found):
            sections.append((name, definition))
        sections += found
    for title, part in sections:
        if title:
            text += f"## {prose(title)}\n\n"
        if title and "description" in part:
            text += prose(part["description"]) + "\n\n"
        if "properties" in part:
            text += key_table(schemas, file, part)
        if rows := [[f"`{value}`", schemas.link(file, then, file)] for value, then in choices(part)]:
            text += table([["kind", "keys"], *rows])
        for example in part.get("examples", []):
            text += f"Example:\n\n{code(json.dumps(example, indent=2, ensure_ascii=False), 'json')}\n\n"
    for name, part in plain:
        text += f"## {prose(name)}\n\n{prose(part.get('description', ''))}\n\n"
        if values := schemas.type(file, part, file):
            text += f"Values: {values}.\n\n"
        if part.get("examples"):
            text += "Examples: " + ", ".join(f"`{json.dumps(value)}`" for value in part["examples"]) + ".\n\n"
    return text


def pages(documents):
    schemas = Schemas(documents)
    return {page_name(file): page(schemas, file) for file in documents}
