# SPDX-License-Identifier: Apache-2.0
"""stable.py with a small schema: what a minor version may change passes, each broken promise is named."""

import copy
import unittest

import stable

SCHEMA = {
    "anyOf": [{"$ref": "#/$defs/answer"}],
    "$defs": {
        "answer": {"anyOf": [{"$ref": "#/$defs/near"}]},
        "near": {
            "type": "object",
            "required": ["side", "rows"],
            "properties": {
                "side": {"enum": ["left", "right"]},
                "rows": {"type": "array", "items": {"type": "object", "required": ["at"], "properties": {"at": {"type": "integer"}}}},
                "note": {"type": "string"},
            },
        },
    },
}
COMMANDS = {"options": [{"name": "--arch"}], "commands": [{"name": "near", "options": [{"name": "-o, --output"}]}]}
HEADERS = "set(SWZ_PUBLIC_HEADERS\n    base/error.hpp base/units.hpp)"


def promises(schema=SCHEMA, commands=COMMANDS, headers=HEADERS):
    return stable.gathered(stable.of_schema(schema), stable.of_commands(commands), stable.of_headers(headers))


class Promises(unittest.TestCase):
    def broken(self, change):
        """The breaches of a schema, commands and headers that `change` has changed."""
        schema, commands = copy.deepcopy(SCHEMA), copy.deepcopy(COMMANDS)
        headers = change(schema["$defs"], commands) or HEADERS
        return list(stable.breaches(stable.read(stable.written(promises())), promises(schema, commands, headers)))

    def test_what_may_change(self):
        def change(defs, commands):
            defs["near"]["properties"]["more"] = {"type": "integer"}
            defs["near"]["properties"]["side"]["enum"].append("middle")
            defs["near"]["required"].append("note")
            defs["far"] = {"type": "object"}
            defs["answer"]["anyOf"].append({"$ref": "#/$defs/far"})
            commands["commands"] += [{"name": "far", "options": []}]
            commands["commands"][0]["options"] += [{"name": "--far"}]
            return HEADERS.replace("base/units.hpp", "base/far.hpp base/units.hpp")

        self.assertEqual([], self.broken(change))

    def test_each_broken_promise(self):
        near = "near"
        faults = (
            (lambda d, c: d[near]["properties"].pop("note") and None, "json near.note?: is gone"),
            (lambda d, c: d[near]["required"].remove("side"), "json near.side: may now be left out"),
            (lambda d, c: d[near]["properties"]["side"]["enum"].remove("left"), "json near.side: no longer has left"),
            (lambda d, c: d[near]["properties"]["note"].update(type=["string", "null"]), "json near.note?: was string, is null or string"),
            (lambda d, c: d[near]["properties"]["rows"]["items"]["properties"]["at"].update(type="number"),
             "json near.rows[].at: was integer, is number"),
            (lambda d, c: d[near]["properties"]["note"].update(enum=["a"]), "json near.note?: had any value, now only a"),
            (lambda d, c: c["commands"].clear(), "command near: is gone"),
            (lambda d, c: c["commands"][0]["options"].clear(), "command near: no longer has -o,--output"),
            (lambda d, c: HEADERS.replace("base/units.hpp", ""), "headers: no longer has base/units.hpp"),
        )
        for change, wrong in faults:
            self.assertEqual([wrong], self.broken(change))


if __name__ == "__main__":
    unittest.main()
