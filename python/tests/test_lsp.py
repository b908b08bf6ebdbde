# SPDX-License-Identifier: Apache-2.0
"""swz lsp, by the types of the protocol (PyPI's lsprotocol, which is made of its published meta model).

Each message of the server has to be one of its type, and to have no member that the type does not have.
"""

import json
import subprocess

import pytest

import swz

types = pytest.importorskip("lsprotocol.types", reason="lsprotocol is not installed")
converters = pytest.importorskip("lsprotocol.converters", reason="lsprotocol is not installed")

TEXT = """constexpr uint64_t word = 0x4000004000010042ull;
using Atom = Swizzle<3, 4, 3>;
constexpr uint64_t desc_of_a = 0x4000040000100040ull;
"""
URI = "file:///kernel.cu"


def frame(message):
    text = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(text), text)


def conversation(*messages):
    """What the server sends after these messages, and its exit code."""
    done = subprocess.run([swz.binary(), "lsp"], input=b"".join(map(frame, messages)), capture_output=True, timeout=60)
    assert done.stderr == b""
    rest, answers = done.stdout, []
    while rest:
        header, rest = rest.split(b"\r\n\r\n", 1)
        length = int(header.removeprefix(b"Content-Length: "))
        answers.append(json.loads(rest[:length]))
        rest = rest[length:]
    return answers, done.returncode


def by_type(message, type_of_message):
    """The message as this type; written again it has to be the same."""
    converter = converters.get_converter()
    read = converter.structure(message, type_of_message)
    assert converter.unstructure(read) == message
    return read


def test_another_member_or_type_is_noticed():
    right = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no"}}
    by_type(right, types.ResponseErrorMessage)
    for wrong in ({**right, "also": 1}, {**right, "error": {"code": -32601}}):
        with pytest.raises(Exception):  # noqa: B017, PT011  # of cattrs, or an assertion
            by_type(wrong, types.ResponseErrorMessage)


def request(number, method, **params):
    return {"id": number, "method": method, "params": params}


def initialize(*encodings):
    capabilities = {"general": {"positionEncodings": list(encodings)}} if encodings else {}
    return request(1, "initialize", processId=None, rootUri=None, capabilities=capabilities)


OPEN = {
    "method": "textDocument/didOpen",
    "params": {"textDocument": {"uri": URI, "languageId": "cuda-cpp", "version": 1, "text": TEXT}},
}
END = ({"id": 9, "method": "shutdown"}, {"method": "exit"})


@pytest.mark.parametrize("encodings", [(), ("utf-16",), ("utf-8", "utf-16")])
def test_every_answer_is_of_its_type(encodings):
    place = {"textDocument": {"uri": URI}, "position": {"line": 1, "character": 15}}
    answers, code = conversation(
        initialize(*encodings),
        {"method": "initialized", "params": {}},
        OPEN,
        request(2, "textDocument/hover", **place),
        request(3, "textDocument/hover", **{**place, "position": {"line": 3, "character": 0}}),
        *END,
    )
    first, marks, hover, nothing, shutdown = answers
    encoding = by_type(first, types.InitializeResponse).result.capabilities.position_encoding
    assert encoding == (encodings[0] if encodings else "utf-16")
    diagnostics = by_type(marks, types.PublishDiagnosticsNotification).params.diagnostics
    assert [(d.range.start.line, d.code) for d in diagnostics] == [(2, "stride-in-bytes")]
    assert "Sw<3,4,3> on byte addresses" in by_type(hover, types.HoverResponse).result.contents.value
    assert nothing["id"] == 3
    assert nothing["result"] is None
    assert shutdown["result"] is None
    assert code == 0


def test_every_refusal_is_an_error_of_the_protocol():
    answers, code = conversation(
        request(1, "textDocument/hover"),
        {"id": 2, "method": 5},
        initialize(),
        request(3, "textDocument/rename"),
        request(4, "textDocument/hover", textDocument={"uri": 7}),
        *END,
    )
    codes = [by_type(message, types.ResponseErrorMessage).error.code for message in answers if "error" in message]
    assert codes == [-32002, -32600, -32601, -32602]
    assert code == 0
