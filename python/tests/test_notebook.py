# SPDX-License-Identifier: Apache-2.0
"""%swz and %%swz in IPython's shell, without a running kernel."""

import pytest

import swz

WORD, NEXT = "0x4000004000010040", "0x4000004000010042"


@pytest.fixture
def shell():
    interactive = pytest.importorskip("IPython.core.interactiveshell")
    shell = interactive.InteractiveShell.instance()
    shell.run_line_magic("load_ext", "swz")
    return shell


def shown(shell, source):
    """What a cell of several lines shows: the mime types of each output with their data, and its errors."""
    capture = pytest.importorskip("IPython.utils.capture")
    with capture.capture_output() as found:
        result = shell.run_cell(source)
    assert result.success
    return [output.data for output in found.outputs], found.stderr


def test_a_line(shell, capsys):
    answer = shell.run_line_magic("swz", f"decode {NEXT}")
    assert answer == swz.decode(int(NEXT, 16))
    assert answer.json == answer.to_dict()
    assert answer.json["fields"][0]["value"] == 1056
    assert shell.run_line_magic("swz", "layout '(8,'") is None
    assert "this '(' is not closed" in capsys.readouterr().err
    assert shell.run_line_magic("swz", "layout '(8,") is None
    assert "No closing quotation" in capsys.readouterr().err
    assert shell.run_line_magic("swz", "") is None


def test_a_line_shows_a_picture_and_text(shell):
    answer = shell.run_cell(f"%swz decode {NEXT}").result
    output, _ = shell.display_formatter.format(answer)
    assert output["image/svg+xml"].startswith("<svg")
    assert output["text/plain"] == str(answer)


def test_variables(shell):
    shell.user_ns["word"] = NEXT
    shell.run_cell("one = %swz decode {word}")
    assert shell.user_ns["one"].word == NEXT
    answers = shell.run_cell_magic("swz", "", "decode {word}\ndecode $word")
    assert [answer.word for answer in answers] == [NEXT, NEXT]


def test_a_cell(shell):
    answers = shell.run_cell_magic(
        "swz", "--arch sm_100a", f"# a comment\n\ndecode {WORD}\nlayout 'size((4,8))'  # another\n"
    )
    assert len(answers) == 2
    assert answers[0] == swz.decode(int(WORD, 16), arch="sm_100a")
    assert answers[-1].json == answers.json[1]
    assert answers[1:][0] is answers[1]
    assert repr(answers) == f"{answers[0]}\n\n{answers[1]}"


def test_a_cell_shows_each_answer(shell):
    outputs, errors = shown(shell, f"%%swz\ndecode {WORD}\nlayout '(8,'\nlayout 'size((4,8))'")
    assert ["image/svg+xml" in output for output in outputs] == [True, "image/svg+xml" in outputs[1]]
    assert len(outputs) == 2
    assert "swz: error: line 2: this '(' is not closed" in errors
    outputs, errors = shown(shell, "%%swz\nlayout '(8,")
    assert (outputs, "line 1: No closing quotation" in errors) == ([], True)
