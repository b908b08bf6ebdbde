"""Every function against the command that it stands for: the examples of the help, asked in both ways."""

import inspect
import json
import shlex
import subprocess

import pytest

import swz
from swz import commands

DESCRIPTION = json.loads(
    subprocess.run([swz.binary(), "help", "-f", "json"], capture_output=True, text=True, check=True).stdout
)
NAMES = {
    "layout": "layout_expression",
    "swizzle find": "find_swizzle",
    "swizzle explain": "explain_swizzle",
    "swizzle lint": "lint_swizzle",
}
# Others need a file or a pipe, make no JSON, or ask a GPU.
SKIPPED = ("|", "@", ">", "--paste", "--template", "swz verify", " -o ", " -f ")


def examples():
    for command in DESCRIPTION["commands"]:
        if command["name"] == "batch":
            continue
        for example in command["examples"]:
            if not any(mark in example["line"] for mark in SKIPPED):
                yield pytest.param(command, example["line"], id=example["line"][4:])


def arguments_of(command, words):
    """The words after the name of a command as a call in Python: (positional, keywords)."""
    options = {o["name"].split(",")[0]: o for o in command["options"] + DESCRIPTION["options"]}
    positional, keywords = [], {}
    words = words[1 + len(command["name"].split()) :]
    while words:
        word = words.pop(0)
        if not word.startswith("--"):
            positional.append(word)
            continue
        name, has_value, value = word.partition("=")
        key = name[2:].replace("-", "_")
        key = key + "_" if key in ("from", "as") else key
        if "value" not in options[name]:
            keywords[key] = True
        else:
            value = value if has_value else words.pop(0)
            keywords[key] = [*keywords[key], value] if key in keywords else [value]
    return positional, keywords


@pytest.mark.parametrize(("entry", "line"), list(examples()))
def test_example_of_the_help(entry, line, command):
    words = shlex.split(line)
    function = getattr(swz, NAMES.get(entry["name"], entry["name"].replace(" ", "_")))
    positional, keywords = arguments_of(entry, words)
    assert function(*positional, **keywords).to_dict() == command(*words[1:])


def test_at_least_one_example_of_almost_every_command():
    asked = {parameters.values[0]["name"] for parameters in examples()}
    every = {c["name"] for c in DESCRIPTION["commands"]} - {"batch"}
    assert {name for name in every - asked if not name.startswith("verify")} == set()


def test_every_command_has_its_function_and_its_options():
    for entry in DESCRIPTION["commands"]:
        if entry["name"] == "batch":
            continue
        function = getattr(commands, NAMES.get(entry["name"], entry["name"].replace(" ", "_")))
        taken = {name.rstrip("_") for name in inspect.signature(function).parameters}
        for option in entry["options"] + entry["arguments"]:
            assert option["name"].lower().lstrip("-").replace("-", "_") in taken
        assert inspect.getdoc(function)


def test_values():
    assert swz.decode(0x4000004000010042) == swz.decode("0x4000004000010042")
    assert swz.place(tile=(128, 64), dtype="f16").words == ("place", "--dtype=f16", "--tile=128x64")
    many = swz.place(tile="64x64", dtype="f16", at=[(0, 1), (2, 3)])
    assert many.words[-2:] == ("--at=0,1", "--at=2,3")
    with pytest.raises(TypeError):
        swz.decode("0x42", wrong=1)


def test_an_answer_that_says_no_is_false_and_a_refusal_is_an_error():
    assert swz.diff("8:1", "8:1")
    answer = swz.diff("8:1", "8:2")
    assert not answer
    assert answer.exit == 1
    assert answer.differing == 7
    with pytest.raises(swz.Error) as refused:
        swz.layout_expression("(8,")
    assert refused.value.message == "this '(' is not closed"
    assert refused.value.hint == "add the missing ')'"
    assert refused.value.place == (0, 1)
    assert str(refused.value) == "this '(' is not closed\nhint: add the missing ')'"


def test_an_answer_is_a_mapping_that_does_not_change():
    answer = swz.decode(0x4000004000010042)
    assert answer["fields"][0]["name"] == answer.fields[0].name == "start_address"
    assert dict(answer.fields[0]) == {**answer.fields[0]}
    assert "word" in dir(answer)
    with pytest.raises(AttributeError):
        answer.word = 1
    with pytest.raises(AttributeError, match="this answer has word, kind"):
        _ = answer.words_
    answer.to_dict()["word"] = "changed"
    assert answer.word == "0x4000004000010042"
    import copy
    import pickle

    assert pickle.loads(pickle.dumps(answer)) == answer
    assert copy.deepcopy(answer).words == answer.words


def test_pictures_and_text(tmp_path):
    answer = swz.place(tile="64x64", dtype="f16")
    assert answer._repr_svg_().startswith("<svg")
    assert answer.svg(title="Tile A") != answer.svg()
    assert "Tile A" in answer.svg(title="Tile A")
    assert answer.picture("tex").startswith("%")
    assert str(answer) == subprocess.run(
        [swz.binary(), "place", "--tile", "64x64", "--dtype", "f16"], capture_output=True, text=True, check=True
    ).stdout
    answer.save(tmp_path / "tile.svg", width="86mm")
    assert "<svg" in (tmp_path / "tile.svg").read_text()
    with pytest.raises(swz.Error, match="png is not text"):
        answer.picture("png")
