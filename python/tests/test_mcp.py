# SPDX-License-Identifier: Apache-2.0
"""swz mcp, asked by the protocol's own client (PyPI's mcp): in every version that it speaks, every tool, by its types.

The client checks each message against the types of the protocol, each structuredContent against the outputSchema. The
answers are those of the command, and as docs/swz.schema.json has them.
"""

import asyncio
import base64
import json
import subprocess
from pathlib import Path

import pytest

import swz

mcp = pytest.importorskip("mcp", reason="mcp is not installed")
jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "docs/swz.schema.json"
# What is asked of each tool; a tool without a row is a fault.
ASKED = {
    "ask": {"text": "0x4000004000010042"},
    "help": {"of": "banks"},
    "kernel": {"FILE": [str(ROOT / "tests/data/ptx/matmul_bf16_small_sm90.ptx")]},
    # A bf16 tile without a swizzle: element i has the code i.
    "identify": {"DUMP": "@-", "stdin": " ".join(f"0x{i:04x}" for i in range(512)), "dtype": "bf16", "tile": "8x64"},
    "sf_identify": {"DUMP": "@-", "as": "bytes", "stdin": "no factors", "shape": "100x32"},
}


def with_client(mode, ask, *arguments):
    """What ask(client) returns, of a client that is connected to `swz mcp`."""

    async def talk():
        server = mcp.StdioServerParameters(command=swz.binary(), args=["mcp", *arguments])
        async with mcp.Client(server, mode=mode) as client:
            return await ask(client)

    return asyncio.run(asyncio.wait_for(talk(), 90))


def example_of(tool):
    """The arguments that the description of a tool shows."""
    if tool.name in ASKED:
        return ASKED[tool.name]
    return json.loads(tool.description.splitlines()[-1])


@pytest.mark.parametrize(
    ("mode", "version"), [("legacy", "2025-11-25"), ("auto", "2026-07-28"), ("2026-07-28", "2026-07-28")]
)
def test_every_tool_is_listed_called_and_answers_by_the_schema(mode, version):
    schema = json.loads(SCHEMA.read_text())
    answer = jsonschema.Draft202012Validator({"$defs": schema["$defs"], "$ref": "#/$defs/answer"})

    async def ask(client):
        assert client.protocol_version == version
        if mode != version:  # otherwise the client asks for nothing before the tools
            assert "it is not a pass" in client.instructions
        tools = (await client.list_tools()).tools
        assert len(tools) > 35
        for tool in tools:
            jsonschema.Draft202012Validator.check_schema(tool.input_schema)
            arguments = example_of(tool)
            jsonschema.Draft202012Validator(tool.input_schema).validate(arguments)
            result = await client.call_tool(tool.name, arguments)
            assert not result.is_error, (tool.name, result.content)
            answer.validate(result.structured_content)
            assert result.content[0].type == "text"
            assert result.content[-1].text.startswith(f"verdict: {result.structured_content['verdict']} ")

    with_client(mode, ask)


def test_an_answer_is_that_of_the_command():
    line = ["decode", "0x4000004000010040", "0x4000004000010050", "--arch", "sm_90a", "-f", "json"]
    want = json.loads(subprocess.run([swz.binary(), *line], capture_output=True, text=True, check=True).stdout)

    async def ask(client):
        return await client.call_tool("decode", {"WORD": line[1:3], "arch": "sm_90a"})

    assert with_client("auto", ask, "decode").structured_content == want


def test_what_is_wrong_is_said_to_the_model_and_an_unknown_tool_to_the_client():
    async def ask(client):
        wrong = await client.call_tool("diff", {"A": "8:1", "C": "8:1"})
        assert wrong.is_error
        assert "unknown argument 'C'" in wrong.content[0].text
        with pytest.raises(mcp.MCPError) as error:
            await client.call_tool("verify", {})
        assert error.value.code == -32602

    with_client("auto", ask)


def test_a_picture_is_an_image():
    async def ask(client):
        return await client.call_tool("place", {"dtype": "bf16", "tile": "8x64", "picture": "png"})

    block = with_client("legacy", ask).content[-1]
    if block.type == "image":  # there is cairo
        assert base64.b64decode(block.data).startswith(b"\x89PNG\r\n\x1a\n")
    else:
        assert block.text.startswith("<svg")


def test_the_documents_are_resources():
    async def ask(client):
        names = [resource.name for resource in (await client.list_resources()).resources]
        read = await client.read_resource("swz://docs/guide.md")
        return names, read.contents[0].text

    names, text = with_client("auto", ask)
    assert "json.md" in names
    assert "llms.txt" in names
    assert text.startswith("# ")
