# SPDX-License-Identifier: Apache-2.0
"""The Python functions of the commands, from the commands' own description, `swz help -f json`.

    python3 python/generate.py --swz build/dev/swz --module FILE   writes swz/commands.py, as the build of a wheel does
    python3 python/generate.py --swz build/dev/swz                 compares the list in docs/python.md, exits 1 if stale
    python3 python/generate.py --swz build/dev/swz --write         writes that list

One function a command: arguments are positional, options are keywords with - as _. What every command has (-f, -o,
--color, --brief, those of pictures) belongs to the Answer.
"""

import argparse
import json
import keyword
import subprocess
import sys
import textwrap
from pathlib import Path

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "python.md"
# The process behind the package; what is of no use in Python.
NOT_HERE = {"batch", "gdb", "page", "mcp", "skills install", "lsp"}
# A verb before its noun, as in English; swz.layout takes the layouts of other programs as well.
NAMES = {
    "layout": "layout_expression",
    "swizzle find": "find_swizzle",
    "swizzle explain": "explain_swizzle",
    "swizzle lint": "lint_swizzle",
}
# Their arguments are layouts; of options the word for the value says so.
TAKE_LAYOUTS = {"layout", "diff", "translate", "verify layout"}

HEAD = '''# SPDX-License-Identifier: Apache-2.0
"""The commands of swz as functions. Written by python/generate.py from `swz help -f json`.

Each function asks one command: arguments are positional, options are keywords, named as on the command line with _
for -. None leaves an option out, True gives a flag, a list gives an option that may be repeated, a tuple is one value:
tile=(128, 64) is --tile 128,64. Where a layout is asked for, all that swz.layout takes will do; what it knows of shape
and type is said with it. A refusal is swz.Error; an answer that says no is false.
"""

from __future__ import annotations

from typing import Any

from ._answer import Answer, ask
from ._words import Value, hex_word

'''


def name_of(command):
    return NAMES.get(command, command.replace(" ", "_"))


def keyword_of(option):
    name = option.split(",")[0].strip().lstrip("-").replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def wrapped(text, indent):
    return textwrap.wrap(text, 100 - indent)


def documented(name, description, note=""):
    first, *rest = wrapped(f"{name}: {description}{note}", 12)
    return [f"    {first}", *(f"        {line}" for line in rest)]


def note_of(option):
    default = option.get("default") or option.get("default_note")
    choices = option.get("choices", [])
    said = f"; one of {', '.join(choices)}" if choices and not option.get("other_values") else ""
    return said + (f" (default: {default})" if default else "")


def takes_layout(option):
    return "LAYOUT" in option.get("value", "").split("|") and "choices" not in option


def parameter(option):
    """Element types and layouts are objects of many packages."""
    name = keyword_of(option["name"])
    if "value" not in option:
        return f"{name}: bool = False"
    return f"{name}: {'Any' if takes_layout(option) or option['value'] == 'TYPE' else 'Value'} = None"


def argument(row, type_name):
    name = keyword_of(row["name"].lower())
    if row.get("repeats"):
        return f"*{name}: {type_name}"
    return f"{name}: {type_name}" + ("" if row["required"] else " = None")


def described(command, options):
    """The lines of the docstring."""
    summary = command["summary"]
    lines = wrapped(f'"""{summary[0].upper()}{summary[1:]}.', 4)
    lines += ["", *command["details"].splitlines(), "", "Arguments:"]
    for row in command["arguments"]:
        lines += documented(keyword_of(row["name"].lower()), row["description"])
    for option in options:
        value = f" ({option['value']})" if "value" in option else ""
        lines += documented(keyword_of(option["name"]) + value, option["description"], note_of(option))
    if command["examples"]:
        lines += ["", "Examples of the command line:", *(f"    {e['line']}" for e in command["examples"])]
    return [*lines, '"""']


def call(command, options):
    """What the function does: ask("decode", {"as": as_}, [hex_word(one) for one in word])."""
    lines = [f'"{command["name"]}",', "{"]
    lines += [f'    "{keyword_of(o["name"]).rstrip("_")}": {keyword_of(o["name"])},' for o in options]
    lines += ["},"]
    rows = command["arguments"]
    if rows:
        names = [("*" if row.get("repeats") else "") + keyword_of(row["name"].lower()) for row in rows]
        words = f"[hex_word(one) for one in {names[0]}]".replace("*", "") if rows[0]["name"] == "WORD" else None
        if words and not rows[0].get("repeats"):
            words = f"[hex_word({names[0]})]"
        lines += [f"{words or '[' + ', '.join(names) + ']'},"]
    layouts = [keyword_of(o["name"]).rstrip("_") for o in options if takes_layout(o)]
    layouts += ["arguments"] if command["name"] in TAKE_LAYOUTS else []
    repeated = [keyword_of(o["name"]).rstrip("_") for o in options if o.get("repeats")]
    for name, several in (("layouts", layouts), ("repeated", repeated)):
        if several:
            lines += [f"{name}={json.dumps(several)},"]
    return lines


def function_of(command, options):
    """The lines of one function."""
    rows = command["arguments"]
    takes = [argument(row, "Any" if command["name"] in TAKE_LAYOUTS else "Value") for row in rows]
    takes += [] if any(row.get("repeats") for row in rows) else ["*"]
    takes += [parameter(option) for option in options]
    lines = [f"def {name_of(command['name'])}(", *(f"    {taken}," for taken in takes), ") -> Answer:"]
    lines += [f"    {line}" if line else "" for line in described(command, options)]
    return [*lines, "    return ask(", *(f"        {line}" for line in call(command, options)), "    )"]


def commands_of(description):
    return [c for c in description["commands"] if c["name"] not in NOT_HERE]


def module_of(description, version):
    common = [o for o in description["options"] if o["name"] in ("--arch", "--strict")]
    commands = commands_of(description)
    functions = ["\n".join(function_of(c, c["options"] + common)) for c in commands]
    names = sorted(name_of(c["name"]) for c in commands)
    listed = "__all__ = [\n" + "".join(f'    "{name}",\n' for name in names) + "]\n"
    return HEAD + f'__version__ = "{version}"\n' + listed + "\n\n" + "\n\n\n".join(functions) + "\n"


def document_of(description):
    """docs/python.md with the table of the functions."""
    text = DOCUMENT.read_text(encoding="utf-8")
    rows = ["| function | command | what it answers |", "| --- | --- | --- |"]
    for command in commands_of(description):
        taken = [("*" if a.get("repeats") else "") + keyword_of(a["name"].lower()) for a in command["arguments"]]
        taken += [keyword_of(o["name"]) for o in command["options"]]
        summary = command["summary"].replace("|", "\\|")
        rows.append(f"| `{name_of(command['name'])}({', '.join(taken)})` | `swz {command['name']}` | {summary} |")
    return text[: text.index("| function |")] + "\n".join(rows) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--swz", required=True, help="the binary that is asked")
    parser.add_argument("--write", action="store_true", help="write the list of docs/python.md instead of comparing it")
    parser.add_argument("--module", type=Path, metavar="FILE", help="write the functions to this file")
    given = parser.parse_args()
    description = json.loads(subprocess.run([given.swz, "help", "-f", "json"], capture_output=True, check=True).stdout)
    if given.module:
        version = subprocess.run([given.swz, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
        given.module.write_text(module_of(description, version), encoding="utf-8")
        return 0
    listed = document_of(description)
    if DOCUMENT.read_text(encoding="utf-8") == listed:
        return 0
    if not given.write:
        print(f"{DOCUMENT} is stale: python3 python/generate.py --swz {given.swz} --write", file=sys.stderr)
        return 1
    DOCUMENT.write_text(listed, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
