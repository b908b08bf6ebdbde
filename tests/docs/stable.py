# SPDX-License-Identifier: Apache-2.0
"""What version 1.0 promised is still there: docs/stability.md is the policy.

    python3 tests/docs/stable.py --swz build/dev/swz           compares; exits 1 at a promise that is broken
    python3 tests/docs/stable.py --swz build/dev/swz --write   records the promises of a new major version

tests/docs/stable_1.txt has a line for each promise, from docs/swz.schema.json, from `swz help -f json` and from
cmake/public_headers.cmake: a key with its types and the values that it can have, a command with its options, a header.
A key that may be left out ends in ?, the members of an array are [], those of a map are .*.

A later version may add lines, and values to a key; a key that may be left out may become one that is always there. It
may not remove a line, and not give a key another type, which includes null, or leave it out where it was always there.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCHEMA, HEADERS = ROOT / "docs/swz.schema.json", ROOT / "cmake/public_headers.cmake"
TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
# Lists of alternatives, to which an answer may be added.
OPEN = {"json answer", "json"}


def typed(schema):
    """(types, values) that the schema itself names; an alternative is one of its own."""
    types, values = set(), set()
    if "$ref" in schema:
        types.add("@" + schema["$ref"].rsplit("/", 1)[1])
    given = schema.get("type", [])
    types.update([given] if isinstance(given, str) else given)
    for value in schema.get("enum", [schema["const"]] if "const" in schema else []):
        types.add(TYPES[type(value)])
        if value is not None:
            values.add(str(value).replace(" ", "_"))
    for alternative in schema.get("anyOf", []):
        more_types, more_values = typed(alternative)
        types |= more_types
        values |= more_values
    return types, values


def promises_of(path, schema):
    """Yields (path, types, values) of the schema and of all below it."""
    yield path, *typed(schema)
    yield from members_of(path, schema)


def members_of(path, schema):
    for key, inner in schema.get("properties", {}).items():
        yield from promises_of(f"{path}.{key}" + ("" if key in schema.get("required", []) else "?"), inner)
    for word, mark in (("items", "[]"), ("additionalProperties", ".*")):
        if isinstance(schema.get(word), dict):
            yield from promises_of(path + mark, schema[word])
    for alternative in schema.get("anyOf", []):
        yield from members_of(path, alternative)


def of_schema(schema):
    yield "json", *typed(schema)
    for name, definition in schema["$defs"].items():
        yield from promises_of(f"json {name}", definition)


def of_commands(described):
    yield "options", set(), {option["name"].replace(" ", "") for option in described["options"]}
    for command in described["commands"]:
        yield f"command {command['name']}", set(), {option["name"].replace(" ", "") for option in command["options"]}


def of_headers(text):
    listed = re.search(r"set\(SWZ_PUBLIC_HEADERS(.*?)\)", text, re.DOTALL)[1]
    yield "headers", set(), set(re.findall(r"\w+/\w+\.hpp", listed))


def gathered(*sources):
    """path -> (types, values); alternatives that name one key are one."""
    found = {}
    for source in sources:
        for path, types, values in source:
            known = found.setdefault(path, (set(), set()))
            known[0].update(types)
            known[1].update(values)
    return found


def written(promises):
    lines = []
    for path, (types, values) in sorted(promises.items()):
        lines.append("\t".join([path, " ".join(sorted(types)), " ".join(sorted(values))]).rstrip("\t"))
    return "\n".join(lines) + "\n"


def read(text):
    rows = [(line.split("\t") + ["", ""])[:3] for line in text.splitlines()]
    return {path: (set(types.split()), set(values.split())) for path, types, values in rows}


def breaches(recorded, now):
    """Yields what is wrong with each promise that is broken."""
    # A key that may be left out may become one that is always there; above it, too.
    always = {path.replace("?", ""): path for path in now}
    for path, (types, values) in recorded.items():
        here = always.get(path.replace("?", ""))
        if here is None:
            yield f"{path}: is gone"
            continue
        if any("?" in now_part and "?" not in part for part, now_part in zip(path.split("."), here.split("."))):
            yield f"{path}: may now be left out"
        now_types, now_values = now[here]
        if not types <= now_types or (types != now_types and path not in OPEN):
            yield f"{path}: was {' or '.join(sorted(types))}, is {' or '.join(sorted(now_types))}"
        if gone := values - now_values:
            yield f"{path}: no longer has {', '.join(sorted(gone))}"
        if values == set() and now_values and types:
            yield f"{path}: had any value, now only {', '.join(sorted(now_values))}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--swz", required=True, help="the program")
    parser.add_argument("--write", action="store_true", help="record the promises of a new major version")
    given = parser.parse_args()
    described = json.loads(subprocess.run([given.swz, "help", "-f", "json"], capture_output=True, check=True).stdout)
    major = re.search(r"project\(swz VERSION (\d+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    record = Path(__file__).with_name(f"stable_{major}.txt")
    now = gathered(of_schema(json.loads(SCHEMA.read_text(encoding="utf-8"))), of_commands(described),
                   of_headers(HEADERS.read_text(encoding="utf-8")))
    if given.write:
        record.write_text(written(now), encoding="utf-8")
    recorded = read(record.read_text(encoding="utf-8"))
    found = list(breaches(recorded, now))
    for breach in found:
        print(f"{breach} ({record.name} promises it; docs/stability.md says what a minor version may change)")
    print(f"{len(recorded)} promises of version {major}, {len(found)} broken")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
