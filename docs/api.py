#!/usr/bin/python3
"""Makes docs/api.md from docs/api.yaml.

Without arguments: fails if the page differs from the result. With --write: writes it.
"""
import pathlib
import sys

import yaml

DOCS = pathlib.Path(__file__).resolve().parent
PAGE = DOCS / "api.md"


def cell(text):
    return " ".join(text.split()).replace("|", "\\|")


def kind(schema):
    """Returns the type of a value as a short text, with a link if it has a table of its own."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name.lower()})"
    if "enum" in schema:
        return ", ".join(f"`{word}`" for word in schema["enum"] if word is not None)
    if schema.get("type") == "array":
        return "list of " + kind(schema["items"])
    words = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if schema.get("format") == "date-time":
        words = ["time"]
    text = " or ".join(words)
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        text += f", {low} to {high}"
    elif low:
        text += f", from {low}"
    return text


def content(response):
    if "$ref" in response:
        return None
    return [(media, entry["schema"]) for media, entry in response.get("content", {}).items()]


def operation(method, path, what, document):
    yield f"### {method.upper()} {path}\n"
    yield what["summary"] + "\n"
    if "description" in what:
        yield what["description"].strip() + "\n"
    inputs = [(f"`{p['name']}`, {p['in']}" + ("" if p.get("required") else ", optional"), kind(p["schema"]), p["description"])
              for p in what.get("parameters", [])]
    if "requestBody" in what:
        (media, entry), = what["requestBody"]["content"].items()
        inputs.append((f"body, `{media}`", kind(entry["schema"]), what["requestBody"]["description"]))
    if inputs:
        yield "| takes | | |\n|---|---|---|\n" + "\n".join(f"| {' | '.join(map(cell, row))} |" for row in inputs) + "\n"
    rows = []
    for status, response in what["responses"].items():
        if "$ref" in response:
            response = document["components"]["responses"][response["$ref"].rsplit("/", 1)[1]]
        shapes = [kind(schema) if media == "application/json" else f"`{media}`" for media, schema in content(response)]
        rows.append(f"| {status} | {' or '.join(shapes)} | {cell(response['description'])} |")
    yield "| answers | | |\n|---|---|---|\n" + "\n".join(rows) + "\n"


def schema(name, shape):
    yield f"### {name}\n"
    if "description" in shape:
        yield shape["description"] + "\n"
    if "properties" not in shape:
        yield kind(shape) + "\n"
        return
    rows = []
    for field, value in shape["properties"].items():
        optional = "" if field in shape.get("required", []) else ", optional"
        rows.append(f"| `{field}`{optional} | {cell(kind(value))} | {cell(value.get('description', ''))} |")
    yield "| field | | |\n|---|---|---|\n" + "\n".join(rows) + "\n"


def page(document):
    yield "# The API\n"
    yield "<!-- Made from api.yaml by docs/api.py --write: change that. -->\n"
    yield document["info"]["description"].strip() + "\n"
    yield "The same for programs is [api.yaml](api.yaml), in OpenAPI 3.1.\n"
    yield "## Routes\n"
    for path, methods in document["paths"].items():
        for method, what in methods.items():
            yield from operation(method, path, what, document)
    yield "## What they answer\n"
    for name, shape in document["components"]["schemas"].items():
        yield from schema(name, shape)


def main():
    made = "\n".join(page(yaml.safe_load((DOCS / "api.yaml").read_text())))
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(made)
    elif not PAGE.exists() or PAGE.read_text() != made:
        sys.exit("docs/api.md is not what docs/api.yaml makes: run 'docs/api.py --write'")


main()
