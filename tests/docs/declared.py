# SPDX-License-Identifier: Apache-2.0
"""docs/swz.schema.json is what the tables of docs/json.md declare. That page explains the notation.

    python3 tests/docs/declared.py           compares; exits 1 when the schema is stale
    python3 tests/docs/declared.py --write   writes the schema again: sh scripts/schema

A table with the heads `answer NAME` or `object NAME`, `type` and a sentence declares the keys of that answer or object;
one with the heads `type` and `is` declares other types. What cannot be read is an error with its line: a type that
is not declared or that no answer uses, a key that is declared twice, an object whose sentence explains no keys.
"""

import argparse
import contextlib
import json
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT, SCHEMA = ROOT / "docs/json.md", ROOT / "docs/swz.schema.json"
ROOTS = ("answer", "batch_line", "error_answer")
PLAIN = {"int": "integer", "number": "number", "string": "string", "bool": "boolean", "null": "null"}

TOKEN = re.compile(r'"[^"]*"|/\S+/|\d*\.\.\d*|\d+|[a-z][a-z0-9_]*|[][{};,:?*]')
KEYS = r"[a-z][a-z0-9_]*\??(?:, [a-z][a-z0-9_]*\??)*"
INNER = re.compile(rf"({KEYS}): (.+)")  # `row, k: 0..` in a sentence
SPAN = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")
HEAD = re.compile(r"(?:(answer|object)s? )?`([a-z][a-z0-9_]*)`(?:, |$)")
KEY_CELL = re.compile(rf"(`{KEYS}`(?:(?:, | with )`{KEYS}`)*)(?: if `([a-z][a-z0-9_]*)` is `([^`]+)`)?")
TYPE_CELL = re.compile(r"`[^`]+`(?:, `[^`]+`)*")


class Wrong(Exception):
    """A table that cannot be read. The line is that of its row or head."""

    line = 0


@contextlib.contextmanager
def at_line(line):
    try:
        yield
    except Wrong as wrong:
        wrong.line = wrong.line or line
        raise


@dataclass
class Row:
    line: int
    cells: list


@dataclass
class Table:
    line: int
    names: list
    sentence: str
    rows: list


def tables_of(text):
    """(head, rows) of every table of the page."""
    head, rows, is_block = None, [], False
    for number, line in enumerate([*text.split("\n"), ""], 1):
        is_block ^= line.startswith("```")
        if line.startswith("|") and not is_block:
            row = Row(number, [cell.strip() for cell in line.strip().split("|")[1:-1]])
            if head is None:
                head = row
            elif len(row.cells) != len(head.cells):
                with at_line(number):
                    raise Wrong(f"a row of {len(row.cells)} cells in a table of {len(head.cells)}")
            elif set("".join(row.cells)) != {"-"}:
                rows.append(row)
        elif head:
            yield head, rows
            head, rows = None, []


@dataclass
class Fields:
    """The keys of an object, as a schema has them."""

    properties: dict = field(default_factory=dict)
    required: list = field(default_factory=list)
    together: dict = field(default_factory=dict)  # key: the keys without which it is not there
    conditions: list = field(default_factory=list)

    def add(self, name, schema):
        key = name.rstrip("?")
        if key in self.properties:
            raise Wrong(f"`{key}` is declared twice")
        self.properties[key] = schema
        if key == name:
            self.required.append(key)

    def schema(self, sentence=""):
        described = {"description": sentence} if sentence else {}
        known = {"required": self.required, "properties": self.properties, "dependentRequired": self.together,
                 "allOf": self.conditions}
        return {**described, "type": "object", "additionalProperties": False, **{k: v for k, v in known.items() if v}}


def bounds(token, low, high):
    """0..31 as {low: 0, high: 31}, 2 as both."""
    first, dots, last = token.partition("..")
    return {name: int(text) for name, text in ((low, first), (high, last if dots else first)) if text}


def either(parts):
    """The schema of `a or b`: one list of values or of types where that says the same."""
    nulls = [part for part in parts if part == {"type": "null"}]
    others = [part for part in parts if part not in nulls]
    if len(parts) == 1:
        return parts[0]
    if all("const" in part for part in others):
        return {"enum": [part.get("const") for part in parts]}
    if all(set(part) == {"type"} for part in parts) or (nulls and len(others) == 1 and "type" in others[0]):
        return {**others[0], "type": [part["type"] for part in [*others, *nulls]]}
    return {"anyOf": parts}


class Type:
    """Reads one type. inner: the (key, schema) that the sentence beside it explains."""

    def __init__(self, page, text, inner=()):
        self.page, self.text, self.inner, self.tokens = page, text, inner, TOKEN.findall(text)
        if TOKEN.sub("", text).strip():
            raise self.no_type("not in this notation")

    def no_type(self, why):
        return Wrong(f"`{self.text}` is no type: {why}")

    def next(self):
        if not self.tokens:
            raise self.no_type("it ends too early")
        return self.tokens.pop(0)

    def take(self, token):
        return bool(self.tokens) and self.tokens[0] == token and self.next() == token

    def expect(self, token):
        if not self.take(token):
            raise self.no_type(f"a {token} is missing")

    def schema(self):
        found = self.alternatives()
        if self.tokens:
            raise self.no_type(f"it goes on with {self.tokens[0]}")
        if self.inner:
            raise Wrong(f"`{self.text}` has no object for the keys of the sentence")
        return found

    def alternatives(self):
        parts = [self.one()]
        while self.take("or"):
            parts.append(self.one())
        return either(parts)

    def one(self):
        token = self.next()
        if token == "[":
            return self.array()
        if token == "{":
            return self.map() if self.take("*") else self.object()
        if token[0] == '"':
            return {"const": token[1:-1]}
        if token[0] == "/":
            return {"type": "string", "pattern": token[1:-1]}
        if ".." in token:
            return {"type": "integer", **bounds(token, "minimum", "maximum")}
        if token.isdigit() or token == "true":
            return {"const": json.loads(token)}
        if token == "number" and ".." in "".join(self.tokens[:1]):
            return {"type": "number", **bounds(self.next(), "minimum", "maximum")}
        return {"type": PLAIN[token]} if token in PLAIN else self.named(token)

    def named(self, name):
        """A type by its name; an object with the keys of the sentence, if it has some."""
        if name == "object" and not self.inner:
            raise Wrong("the sentence explains no key of the object")
        reference = self.page.reference(name) if name != "object" else None
        if not self.inner or not (name == "object" or name in self.page.tables):
            return reference
        whole = self.page.fields(name) if reference else Fields()
        for key, schema in self.inner:
            whole.add(key, schema)
        self.inner = ()
        return whole.schema()

    def array(self):
        """The rest of [int], [int; 2], []."""
        if self.take("]"):
            return {"type": "array", "maxItems": 0}
        found = {"type": "array", "items": self.alternatives()}
        if self.take(";"):
            found.update(bounds(self.next(), "minItems", "maxItems"))
        self.expect("]")
        return found

    def map(self):
        """The rest of {*: word}, {*dialect: word}."""
        names = {} if self.tokens[:1] == [":"] else {"propertyNames": self.page.reference(self.next())}
        self.expect(":")
        found = {"type": "object", **names, "additionalProperties": self.alternatives()}
        self.expect("}")
        return found

    def object(self):
        """The rest of {row, k: 0.., word: word}."""
        whole, names = Fields(), []
        while not self.take("}"):
            names.append(self.next() + ("?" if self.take("?") else ""))
            if self.take(":"):
                schema = self.alternatives()
                for name in names:
                    whole.add(name, schema)
                names = []
            if self.tokens[:1] != ["}"]:
                self.expect(",")
        if names:
            raise self.no_type(f"{names[0]} has none")
        return whole.schema()


class Page:
    """What the tables of the page declare."""

    def __init__(self, text):
        self.types, self.tables, self.answers, self.used = {}, {}, [], set(ROOTS)
        for head, rows in tables_of(text):
            if head.cells[:2] == ["type", "is"]:
                self.types.update({row.cells[0].strip("`"): row for row in rows})
            elif head.cells[1:2] == ["type"] or head.cells[0].startswith(("answer", "object")):
                with at_line(head.line):
                    self.declare(head.line, head.cells, rows)

    def declare(self, line, head, rows):
        found = HEAD.findall(head[0])
        if not found or HEAD.sub("", head[0]) or head[1:2] != ["type"]:
            raise Wrong(f"| {' | '.join(head)} | is no head of answers or objects")
        kind = ""
        for word, name in found:
            kind = word or kind
            if kind == "answer" and name not in self.answers:
                self.answers.append(name)
            self.tables.setdefault(name, []).append(Table(line, [name for _, name in found], plain(head[2]), rows))

    def reference(self, name):
        if name != "answer" and name not in self.types and name not in self.tables:
            raise Wrong(f"`{name}` is declared nowhere")
        self.used.add(name)
        return {"$ref": f"#/$defs/{name}"}

    def fields(self, name):
        found = Fields()
        if name in self.answers:
            found.properties["verdict"] = self.reference("verdict")
        for row in (row for table in self.tables[name] for row in table.rows):
            with at_line(row.line):
                self.read(row.cells, found)
        for key in (key for row in found.conditions for part in row.values() for key in part["properties"]):
            if key not in found.properties:
                raise Wrong(f"`{name}` has no key `{key}`, of which a row with \"if\" says more")
        return found

    def read(self, cells, found):
        """Adds the keys of one row."""
        cell = KEY_CELL.fullmatch(cells[0])
        if not cell:
            raise Wrong(f"{cells[0]} names no keys")
        keys, types = SPAN.findall(cell[1]), SPAN.findall(cells[1])
        if not TYPE_CELL.fullmatch(cells[1]) or len(types) not in (1, len(keys)):
            raise Wrong(f"{cells[1]} is not one type, nor one for each key")
        inner = [(key, Type(self, text).schema()) for names, text in inner_of(cells[2]) for key in names.split(", ")]
        for key, text in zip(keys, types if len(types) > 1 else types * len(keys)):
            schema = Type(self, text, inner).schema()
            if cell[2]:
                condition = {"properties": {cell[2]: Type(self, cell[3]).schema()}}
                found.conditions.append({"if": condition, "then": {"properties": {key: schema}}})
            else:
                found.add(key, {"description": plain(cells[2]), **schema})
        if " with " in cell[1]:
            names = [key.rstrip("?") for key in keys]
            found.together.update({name: [other for other in names if other != name] for name in names})

    def definitions(self):
        for name, row in self.types.items():
            with at_line(row.line):
                yield name, {"description": plain(row.cells[2]), **Type(self, row.cells[1].strip("`")).schema()}
        for name, tables in self.tables.items():
            sentence = min(tables, key=lambda table: len(table.names)).sentence
            with at_line(tables[0].line):
                whole = self.fields(name)
            # Every answer says something beside its verdict.
            least = {} if whole.required or name not in self.answers else {"minProperties": 2}
            yield name, {**whole.schema(sentence), **least}
        yield "answer", {"description": "what a command writes with -f json", "required": ["verdict"],
                         "anyOf": [self.reference(name) for name in self.answers]}

    def schema(self):
        known = dict(self.definitions())
        for name in known:
            if name not in self.used:
                with at_line((self.types.get(name) or self.tables[name][0]).line):
                    raise Wrong(f"`{name}` is declared, but no answer has it")
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$comment": "Written by scripts/schema from the tables of docs/json.md: edit those.",
            "title": "The JSON of swz 1",
            "description": "docs/json.md explains it. tests/docs/schema.py holds the program to it.",
            "anyOf": [self.reference(name) for name in ROOTS],
            "$defs": known,
        }


def inner_of(sentence):
    """(keys, type) of every `keys: type` in a sentence."""
    spans = [span for span in SPAN.findall(sentence) if ": " in span]
    for span in spans:
        if not INNER.fullmatch(span):
            raise Wrong(f"`{span}` is no key with its type")
    return [INNER.fullmatch(span).groups() for span in spans]


def plain(sentence):
    """Without Markdown, and without the types of the keys in it."""
    return SPAN.sub(lambda span: span[1].partition(": ")[0].replace("?", ""), LINK.sub(r"\1", sentence))


def laid_out(value, indent=0, taken=0):
    """JSON in lines of at most 120 characters where that is possible; taken: by what comes before it in its line."""
    flat = json.dumps(value, ensure_ascii=False)
    if indent + taken + len(flat) < 120 or not isinstance(value, (dict, list)):
        return flat
    margin = " " * (indent + 2)
    if isinstance(value, dict):
        keys = [f"{json.dumps(key)}: " for key in value]
        lines = [key + laid_out(inner, indent + 2, len(key)) for key, inner in zip(keys, value.values())]
    else:
        lines = [laid_out(item, indent + 2) for item in value]
        if not any(isinstance(item, (dict, list)) for item in value):
            lines = filled(lines, 118 - len(margin))
    first, last = "{}" if isinstance(value, dict) else "[]"
    return f"{first}\n" + ",\n".join(margin + line for line in lines) + "\n" + " " * indent + last


def filled(items, width):
    """The items in lines of that width."""
    lines = [items[0]]
    for item in items[1:]:
        if len(lines[-1]) + len(item) + 2 <= width:
            lines[-1] += f", {item}"
        else:
            lines.append(item)
    return lines


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the schema instead of comparing it")
    parser.add_argument("--document", type=Path, default=DOCUMENT)
    parser.add_argument("--schema", type=Path, default=SCHEMA)
    given = parser.parse_args(arguments)
    try:
        page = Page(given.document.read_text(encoding="utf-8"))
        schema = page.schema()
    except Wrong as wrong:
        print(f"{given.document}:{wrong.line}: {wrong}")
        return 1
    written = laid_out(schema) + "\n"
    if given.write:
        given.schema.write_text(written, encoding="utf-8")
    elif not given.schema.exists() or given.schema.read_text(encoding="utf-8") != written:
        print(f"{given.schema} is stale: `sh scripts/schema` writes it again")
        return 1
    print(f"{len(page.answers)} answers, {len(schema['$defs'])} definitions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
