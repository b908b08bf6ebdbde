# SPDX-License-Identifier: Apache-2.0
"""Every function against its command: the examples of the help, asked in both ways."""

import copy
import importlib.util
import inspect
import json
import pickle
import shlex
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

import swz
from swz import commands
from swz._answer import Answer

DESCRIPTION = json.loads(
    subprocess.run([swz.binary(), "help", "-f", "json"], capture_output=True, text=True, check=True).stdout
)
SPEC = importlib.util.spec_from_file_location("generate", Path(__file__).resolve().parents[1] / "generate.py")
generate = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(generate)
# Others need a file or a pipe, make no JSON, or ask a GPU.
SKIPPED = ("|", "@", ">", "--paste", "--template", "swz verify", " -o ", " -f ", ".ptx", ".so", ".csv")


def examples():
    for command in DESCRIPTION["commands"]:
        if command["name"] in generate.NOT_HERE:
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
        key = generate.keyword_of(name)
        if "value" not in options[name]:
            keywords[key] = True
        else:
            value = value if has_value else words.pop(0)
            keywords[key] = [*keywords.get(key, []), value]
    return positional, keywords


@pytest.mark.parametrize(("entry", "line"), list(examples()))
def test_example_of_the_help(entry, line, command):
    words = shlex.split(line)
    function = getattr(commands, generate.name_of(entry["name"]))
    positional, keywords = arguments_of(entry, words)
    assert function(*positional, **keywords).to_dict() == command(*words[1:])


def test_at_least_one_example_of_almost_every_command():
    asked = {parameters.values[0]["name"] for parameters in examples()}
    every = {c["name"] for c in DESCRIPTION["commands"]} - generate.NOT_HERE
    # All examples of kernel read a file.
    assert {name for name in every - asked if not name.startswith("verify")} == {"kernel"}


def test_the_kernels_of_a_file(command):
    path = str(Path(__file__).resolve().parents[2] / "tests/ptx/mistakes/unpadded_transposition.ptx")
    assert commands.kernel(path).to_dict() == command("kernel", path)
    assert commands.kernel(path, line="78").to_dict() == command("kernel", path, "--line", "78")


def test_every_command_has_its_function_and_its_options():
    for entry in DESCRIPTION["commands"]:
        if entry["name"] in generate.NOT_HERE:
            continue
        function = getattr(commands, generate.name_of(entry["name"]))
        taken = {name.rstrip("_") for name in inspect.signature(function).parameters}
        for option in entry["options"] + entry["arguments"]:
            assert option["name"].lower().lstrip("-").replace("-", "_") in taken
        assert inspect.getdoc(function)


def test_names_of_the_issue_are_there():
    for name in ("decode", "desc", "tma_check", "banks", "find_swizzle", "frag", "translate", "verify"):
        assert getattr(swz, name) is getattr(commands, name)
    assert swz.layout is not commands.layout_expression


def test_the_version_is_that_of_the_command():
    version = subprocess.run([swz.binary(), "--version"], capture_output=True, text=True, check=True).stdout
    assert version.split()[1] == swz.__version__


def test_an_import_is_light():
    """It took 22 ms of CPU on a busy machine. None of these is needed, and each would take milliseconds."""
    program = "import sys; before = set(sys.modules); import swz; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    imported = set(done.stdout.split())
    assert "swz.commands" in imported
    heavy = "asyncio dataclasses inspect importlib.metadata IPython logging numpy pathlib shutil sysconfig torch triton"
    assert imported & set(heavy.split()) == set()


@pytest.mark.parametrize(
    "value", [1024.0, 8.5, Decimal(8), Fraction(8), complex(8), float("nan")], ids=lambda v: type(v).__name__
)
def test_a_number_that_is_no_int(value):
    says = f"{value} is of type {type(value).__name__}, not an int"
    for call in (
        lambda: swz.desc(tile=(64, 64), base=value),
        lambda: swz.place(tile=(64, 64), at=(value, 3)),
        lambda: swz.place(tile=(64, 64), at=[(0, 0), (1, value)]),
        lambda: swz.decode(value),
    ):
        with pytest.raises(swz.Error) as refused:
            call()
        assert refused.value.message == says
        assert refused.value.hint == "int(value); a quotient by // is an int, one by / is not"


def test_numbers_of_numpy():
    numpy = pytest.importorskip("numpy")
    for value in (numpy.float32(8), numpy.float64(8), numpy.array(8.0)):
        with pytest.raises(swz.Error, match=r"^8\.0 is of type \w+, not an int"):
            swz.place(tile=(64, 64), at=(value, 3))
    assert swz.place(tile=(64, 64), at=(numpy.int32(8), numpy.array(3))) == swz.place(tile=(64, 64), at=(8, 3))
    assert swz.decode(numpy.uint64(0x4000004000010042)) == swz.decode(0x4000004000010042)


def test_values():
    assert swz.decode(0x4000004000010042) == swz.decode("0x4000004000010042")
    assert swz.decode(0x08200490, as_="idesc", kind="f16").word == "0x08200490"
    assert swz.place(tile=(128, 64), dtype="f16").asked == ("place", "--dtype=f16", "--tile=128,64")
    many = swz.place(tile="64x64", dtype="f16", at=[(0, 1), (2, 3)])
    assert many.asked[-2:] == ("--at=0,1", "--at=2,3")
    nested = swz.layout_expression("((4,8),(2,2)):((32,1),(16,8))", at=((1, 2), 3))
    assert nested.points[0].index == 105
    check = swz.tma_check(dtype="bf16", dims=[256, 64], strides=[512], box=[64, 64], swizzle="128B")
    assert check.asked[2:] == ("--dtype=bf16", "--dims=256,64", "--strides=512", "--box=64,64", "--swizzle=128B")
    compared = swz.banks(tile="64x64", compare=["linear", "pad 16"])
    assert "--compare=linear;pad 16" in compared.asked
    with pytest.raises(TypeError):
        swz.decode("0x42", wrong=1)
    with pytest.raises(swz.Error, match="--tile needs a value"):
        swz.place(tile=True, dtype="f16")
    with pytest.raises(swz.Error, match="float does not say how many bits"):
        swz.place(tile="64x64", dtype=float)


def test_a_path_is_a_file(tmp_path):
    (tmp_path / "word.json").write_text(json.dumps(swz.decode(0x4000004000010042).to_dict()))
    assert swz.encode_smem(from_=tmp_path / "word.json", sbo=2048).word == "0x4000008000010042"


def test_a_word_that_begins_with_a_dash_is_no_option():
    with pytest.raises(swz.Error, match="--version"):
        swz.decode("--version")
    with pytest.raises(swz.Error, match="standard input"):
        swz.decode("@-")


def test_a_layout_is_taken_by_every_command_that_asks_for_one(command):
    mode = swz.layout("#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>", (64, 64), "bf16")
    said = ["--shape", "64x64", "--dtype", "bf16"]
    assert swz.banks(layout=mode).to_dict() == command("banks", "--layout", mode.text, *said)
    assert swz.desc(from_=mode).to_dict() == command("desc", "--from", mode.text, *said)
    assert swz.place(layout=mode, beside=[mode]).to_dict() == command(
        "place", "--layout", mode.text, "--beside", mode.text, *said
    )
    assert swz.layout_expression(mode).to_dict() == command("layout", mode.text, *said)
    text = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>"
    plain = swz.layout(text, (64, 64), "bf16")
    assert swz.find_swizzle(layout=plain, reads="ld.shared columns").to_dict() == command(
        "swizzle", "find", "--layout", plain.text, "--reads", "ld.shared columns", *said
    )
    assert "--dtype=f32" in swz.banks(layout=mode, dtype="f32", access="ld.shared rows").asked
    with pytest.raises(swz.Error, match="arrays of different dtype: bf16 and f16"):
        swz.diff(mode, swz.layout("(64,64):(64,1)", dtype="f16"))


def test_an_answer_that_says_no_is_false_and_a_refusal_is_an_error():
    assert swz.diff("8:1", "8:1")
    answer = swz.diff("8:1", "8:2")
    assert not answer
    assert answer.exit_code == 1
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
    with pytest.raises(AttributeError, match="this answer has verdict, word, kind"):
        _ = answer.words_
    answer.to_dict()["word"] = "changed"
    assert answer.word == "0x4000004000010042"
    assert hash(answer) == hash(swz.decode(0x4000004000010042))
    assert pickle.loads(pickle.dumps(answer)) == answer
    assert copy.deepcopy(answer).asked == answer.asked


def test_the_attributes_of_an_answer_hide_no_field():
    schema = json.loads((Path(__file__).resolve().parents[2] / "docs" / "swz.schema.json").read_text())
    names, nodes = set(schema["$defs"]["dialect"]["enum"]), [schema]
    while nodes:
        node = nodes.pop()
        if isinstance(node, dict):
            names.update(node["properties"] if isinstance(node.get("properties"), dict) else ())
        nodes += list(node.values()) if isinstance(node, dict) else node if isinstance(node, list) else []
    assert len(names) > 300
    assert names & set(dir(Answer)) == {"values"}


def test_an_error_is_pickled_whole():
    error = pickle.loads(pickle.dumps(swz.Error("a", "b", (1, 2), 3)))
    assert (error.message, error.hint, error.place, error.exit_code) == ("a", "b", (1, 2), 3)


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
    with pytest.raises(swz.Error, match="png is not a format of text"):
        answer.picture("png")
