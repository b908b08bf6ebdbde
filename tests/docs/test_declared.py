# SPDX-License-Identifier: Apache-2.0
"""declared.py with a small page: its schema is this one, and a planted fault in the page is named with its line."""

import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path

import declared

PAGE = """# JSON

| type | is | |
| --- | --- | --- |
| `verdict` | `"clean" or "error"` | the verdict |
| `side` | `"left" or "right"` | a side |
| `batch_line` | `answer or error_answer` | one line |

| object `error_answer` | type | of a refusal |
| --- | --- | --- |
| `error` | `string` | why |

| answers `near`, `far` | type | both |
| --- | --- | --- |
| `place` | `place or null` | where it is |
| `at?` with `of?` | `[0..7; 2]`, `/^0x/` | see [notation.md](notation.md) |

| answer `near` | type | of `swz near` |
| --- | --- | --- |
| `value` | `int or string or null` | a number, or a `name` |
| `value` if `place` is `null` | `null` | none |
| `steps` | `[object; 1..]` | each step from `first, last?: {row, k: 0..}` to `end: bool` |

| answer `far` | type | of `swz far` |
| --- | --- | --- |
| `names` | `{*side: number 0..}` | by side |
| `more` | `[place] or null` | with the number of its `turns: 4 or 8` |

| object `place` | type | a place |
| --- | --- | --- |
| `side`, `byte` | `side`, `0..` | the side and the byte |

```console
| `not` | `read` |
```
"""

VERDICT = {"$ref": "#/$defs/verdict"}
PLACE = {
    "side": {"description": "the side and the byte", "$ref": "#/$defs/side"},
    "byte": {"description": "the side and the byte", "type": "integer", "minimum": 0},
}
BOTH = {
    "verdict": VERDICT,
    "place": {"description": "where it is", "anyOf": [{"$ref": "#/$defs/place"}, {"type": "null"}]},
    "at": {"description": "see notation.md", "type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 7},
           "minItems": 2, "maxItems": 2},
    "of": {"description": "see notation.md", "type": "string", "pattern": "^0x"},
}
TOGETHER = {"at": ["of"], "of": ["at"]}


def whole(required, properties, **others):
    return {"type": "object", "additionalProperties": False, "required": required, "properties": properties, **others}


SPAN = whole(["row", "k"], {"row": {"type": "integer", "minimum": 0}, "k": {"type": "integer", "minimum": 0}})
STEP = whole(["first", "end"], {"first": SPAN, "last": SPAN, "end": {"type": "boolean"}})
NEAR = {
    "value": {"description": "a number, or a name", "type": ["integer", "string", "null"]},
    "steps": {"description": "each step from first, last to end", "type": "array", "items": STEP, "minItems": 1},
}
NONE = [{"if": {"properties": {"place": {"type": "null"}}}, "then": {"properties": {"value": {"type": "null"}}}}]
TURN = whole(["side", "byte", "turns"], {**PLACE, "turns": {"enum": [4, 8]}})
FAR = {
    "names": {"description": "by side", "type": "object", "propertyNames": {"$ref": "#/$defs/side"},
              "additionalProperties": {"type": "number", "minimum": 0}},
    "more": {"description": "with the number of its turns", "type": ["array", "null"], "items": TURN},
}
DEFINITIONS = {
    "verdict": {"description": "the verdict", "enum": ["clean", "error"]},
    "side": {"description": "a side", "enum": ["left", "right"]},
    "batch_line": {"description": "one line", "anyOf": [{"$ref": "#/$defs/answer"}, {"$ref": "#/$defs/error_answer"}]},
    "error_answer": {"description": "of a refusal",
                     **whole(["error"], {"error": {"description": "why", "type": "string"}})},
    "near": {"description": "of swz near",
             **whole(["place", "value", "steps"], {**BOTH, **NEAR}, dependentRequired=TOGETHER, allOf=NONE)},
    "far": {"description": "of swz far",
            **whole(["place", "names", "more"], {**BOTH, **FAR}, dependentRequired=TOGETHER)},
    "place": {"description": "a place", **whole(["side", "byte"], PLACE)},
    "answer": {"description": "what a command writes with -f json", "required": ["verdict"],
               "anyOf": [{"$ref": "#/$defs/near"}, {"$ref": "#/$defs/far"}]},
}

# What is replaced, by what, and the error.
FAULTS = [
    ("`string` | why", "`text` | why", "11: `text` is declared nowhere"),
    ("`string` | why", "`string or` | why", "11: `string or` is no type: it ends too early"),
    ("`string` | why", "`[string` | why", "11: `[string` is no type: a ] is missing"),
    ("`string` | why", "`string string` | why", "11: `string string` is no type: it goes on with string"),
    ("`string` | why", "`string!` | why", "11: `string!` is no type: not in this notation"),
    ("`string` | why", "string | why", "11: string is not one type, nor one for each key"),
    ("`string` | why", "`string`, `int` | why", "11: `string`, `int` is not one type, nor one for each key"),
    ("`string` | why", "`string` | why `at: int`", "11: `string` has no object for the keys of the sentence"),
    ("`string` | why", "`object` | why", "11: the sentence explains no key of the object"),
    ("`string` | why", "`object` | `Why: int`", "11: `Why: int` is no key with its type"),
    ("`string` | why", "`{a, b}` | why", "11: `{a, b}` is no type: a has none"),
    ("`string` | why", "`string` | why | so", "11: a row of 4 cells in a table of 3"),
    ("| `error` |", "| error |", "11: error names no keys"),
    ("`turns: 4 or 8`", "`byte: 4 or 8`", "27: `byte` is declared twice"),
    ("| `value` if", "| `value`, `names` if", "13: `near` has no key `names`, of which a row with \"if\" says more"),
    ("object `place`", "object place", "29: | object place | type | a place | is no head of answers or objects"),
    ("object `place` | type", "object `place` | of",
     "29: | object `place` | of | a place | is no head of answers or objects"),
    ("| `side` | `\"left", "| `spare` | `int` | |\n| `side` | `\"left", "6: `spare` is declared, but no answer has it"),
]


def run(*arguments):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        code = declared.main([str(argument) for argument in arguments])
    return code, printed.getvalue()


class Declared(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.page, self.schema = Path(holder.name) / "json.md", Path(holder.name) / "schema.json"
        self.page.write_text(PAGE)
        self.files = ("--document", self.page, "--schema", self.schema)

    def test_the_schema_of_a_page(self):
        self.assertEqual(run("--write", *self.files), (0, "2 answers, 8 definitions\n"))
        schema = json.loads(self.schema.read_text())
        self.assertEqual(schema["$defs"], DEFINITIONS)
        self.assertEqual([one["$ref"] for one in schema["anyOf"]],
                         ["#/$defs/answer", "#/$defs/batch_line", "#/$defs/error_answer"])
        self.assertIn("scripts/schema", schema["$comment"])
        self.assertLessEqual(max(map(len, self.schema.read_text().splitlines())), 120)

    def test_a_stale_schema(self):
        stale = (1, f"{self.schema} is stale: `sh scripts/schema` writes it again\n")
        self.assertEqual(run(*self.files), stale)
        run("--write", *self.files)
        self.assertEqual(run(*self.files)[0], 0)
        for old, new in (("`error` |", "`error?` |"), ("4 or 8", "4 or 16"), ("a side", "one side")):
            self.page.write_text(PAGE.replace(old, new))
            self.assertEqual(run(*self.files), stale)
        self.page.write_text(PAGE.replace("# JSON", "# Other words"))
        self.assertEqual(run(*self.files)[0], 0)

    def test_faults_of_a_page(self):
        for old, new, error in FAULTS:
            with self.subTest(error):
                self.assertIn(old, PAGE)
                self.page.write_text(PAGE.replace(old, new))
                code, printed = run(*self.files)
                self.assertEqual((code, printed), (1, f"{self.page}:{error}\n"))


if __name__ == "__main__":
    unittest.main()
