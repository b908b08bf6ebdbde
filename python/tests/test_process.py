# SPDX-License-Identifier: Apache-2.0
"""A process that is killed, stopped or forked, and many threads: no answer is lost or goes to another question."""

import json
import os
import signal
import subprocess
import sys
import threading

import pytest

import swz
from swz import _process
from swz._process import Batch

WORDS = ["layout", "8:1"]


def size_of(batch, n):
    return batch.ask(["layout", f"{n}:1"])[1]["size"]


def test_a_killed_process_is_started_again():
    batch = Batch()
    assert size_of(batch, 8) == 8
    first = batch._process
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    assert size_of(batch, 9) == 9
    assert batch._process.pid != first.pid
    batch.close()


def test_a_process_killed_while_it_answers():
    batch = Batch()
    for n in range(1, 40):
        batch.ask(WORDS)
        killer = threading.Timer(0.0005 * (n % 5), batch._process.kill)
        killer.start()
        assert size_of(batch, n) == n
        killer.join()
    batch.close()


def test_a_hung_process_is_killed_and_started_again():
    batch = Batch(seconds=0.5)
    batch.ask(WORDS)
    hung = batch._process
    os.kill(hung.pid, signal.SIGSTOP)
    assert size_of(batch, 5) == 5
    assert hung.returncode == -signal.SIGKILL
    batch.close()


def test_a_program_that_always_ends_is_an_error(tmp_path, monkeypatch):
    program = tmp_path / "swz"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    monkeypatch.setenv("SWZ_BINARY", str(program))
    with pytest.raises(swz.Error, match="swz ended, twice"):
        Batch().ask(WORDS)
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    with pytest.raises(swz.Error, match=r"swz did not answer in 0.2 s, twice"):
        Batch(seconds=0.2).ask(WORDS)
    monkeypatch.setenv("SWZ_BINARY", str(tmp_path / "none"))
    with pytest.raises(swz.Error, match="is not a program"):
        Batch().ask(WORDS)


def test_a_program_that_refuses_its_surroundings_says_why(monkeypatch):
    monkeypatch.setenv("SWZ_ARCH", "bogus")
    with pytest.raises(swz.Error) as refused:
        Batch().ask(WORDS)
    assert refused.value.message == "SWZ_ARCH: 'bogus' is not a known target"
    assert refused.value.hint.startswith("targets: sm_75, ")


def test_another_program_is_no_swz(monkeypatch):
    monkeypatch.setenv("SWZ_BINARY", "/bin/cat")
    with pytest.raises(swz.Error) as refused:
        Batch().ask(["layout", "8"])
    assert refused.value.message == 'swz answered {"id": 2, "words": ["layout", "8"]} to question 2, twice'
    assert refused.value.hint == "see that SWZ_BINARY=/bin/cat is swz; or ask for less, or report the line"


def test_a_name_of_a_file_that_is_not_utf8(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = os.fsdecode(b"\xff.txt")
    with open(name, "w") as file:
        file.write("0x4000004000010042\n")
    assert swz.decode("@" + name).word == "0x4000004000010042"
    with pytest.raises(swz.Error, match=r"^cannot open '.*none\.txt'"):
        swz.decode("@" + os.fsdecode(b"\xffnone.txt"))
    with pytest.raises(swz.Error, match="a program cannot be given such a word"):
        swz.decode("\ud800")


def test_an_embedded_python_does_not_look_in_the_current_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", "")
    monkeypatch.setenv("PATH", os.pathsep + "/bin")
    assert "/bin/swz" in _process.installed_places()
    assert all(os.path.isabs(place) for place in _process.installed_places())


def test_threads_get_their_own_answers():
    batch, right = Batch(seconds=5), []

    def ask(first):
        right.extend(n for n in range(first, first + 100) if size_of(batch, n) == n)

    threads = [threading.Thread(target=ask, args=(1 + 100 * i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(right) == list(range(1, 801))
    batch.close()


def test_a_stopped_process_does_not_hold_a_long_question():
    batch = Batch(seconds=0.5)
    batch.ask(WORDS)
    os.kill(batch._process.pid, signal.SIGSTOP)
    with pytest.raises(swz.Error, match="limit of 65536"):
        batch.ask(["layout", "8" * 200_000])  # more than a pipe holds
    assert size_of(batch, 5) == 5
    batch.close()


@pytest.mark.parametrize("where", ["_write", "_read"])
def test_an_interrupt_does_not_shift_the_answers(monkeypatch, where):
    batch = Batch()
    batch.ask(WORDS)

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(batch, where, interrupted)
        with pytest.raises(KeyboardInterrupt):
            size_of(batch, 3)
    assert size_of(batch, 4) == 4
    batch.close()


def test_an_interrupt_from_the_keyboard():
    program = """
import os, signal, threading, time, swz
from swz._process import batch
def handler(*_): raise KeyboardInterrupt
signal.signal(signal.SIGINT, handler)
assert swz.layout_expression("8:1").size == 8
assert os.getpgid(batch._process.pid) != os.getpgid(0)
wrong = interrupted = 0
for n in range(1, 300):
    timer = threading.Timer(0.00002 * (n % 10), os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        wrong += swz.layout_expression(f"{n}:1").size != n
        timer.join()
    except KeyboardInterrupt:
        interrupted += 1
    while timer.is_alive():
        try: timer.join()
        except KeyboardInterrupt: pass
print(wrong, interrupted > 0, swz.layout_expression("7:1").size)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "0 True 7\n"


def test_an_interrupted_start_leaves_no_process():
    program = """
import os, signal, threading
from swz._process import Batch
def handler(*_): raise KeyboardInterrupt
signal.signal(signal.SIGINT, handler)
interrupted = 0
for n in range(100):
    batch, timer = Batch(), threading.Timer(0.00005 * (n % 40), os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        batch.ask(["layout", "8:1"])
        timer.join()
    except KeyboardInterrupt:
        interrupted += 1
    while timer.is_alive():
        try: timer.join()
        except KeyboardInterrupt: pass
    batch.close()
    try: print("left:", os.waitpid(-1, os.WNOHANG))
    except ChildProcessError: pass
print(interrupted > 0)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "True\n"


def test_a_signal_handler_may_ask():
    program = """
import signal, swz
from swz._process import batch
def handler(*_): print(swz.layout_expression("5:1").size)
signal.signal(signal.SIGUSR1, handler)
read = batch._read
def slow(*given):
    signal.raise_signal(signal.SIGUSR1)
    return read(*given)
batch._read = slow
print(swz.layout_expression("8:1").size)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "5\n8\n"


ECHO = """#!{python}
import json, sys
for line in sys.stdin:
    answer = {{"id": json.loads(line)["id"], "exit": 0, "result": {{}}}}
    {fault}
    print(json.dumps(answer), flush=True)
"""


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ('answer["id"] -= 1', 'swz answered {"id": 1, "exit": 0, "result": {}} to question 2, twice'),
        ('del answer["id"]', 'swz answered {"exit": 0, "result": {}} to question 2, twice'),
        ('answer = "text"', 'swz answered "text" to question 2, twice'),
        (r'print("a warning\n" + json.dumps(answer), flush=True); continue', "swz answered more than one line, twice"),
        ('print("a warning", flush=True); continue', "swz answered a warning to question 2, twice"),
    ],
)
def test_another_answer_than_that_of_the_question(tmp_path, monkeypatch, fault, says):
    program = tmp_path / "swz"
    program.write_text(ECHO.format(python=sys.executable, fault=fault))
    program.chmod(0o755)
    monkeypatch.setenv("SWZ_BINARY", str(program))
    with pytest.raises(swz.Error) as refused:
        Batch().ask(WORDS)
    assert refused.value.message == says
    assert refused.value.exit_code == 3


def test_the_target_is_that_of_the_environment(monkeypatch):
    for target in ("sm_90a", "sm_100a"):
        monkeypatch.setenv("SWZ_ARCH", target)
        assert swz.desc(tile="128x64", dtype="f16").arch == target


def test_a_directory_that_was_removed(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert swz.layout_expression("8:1").size == 8


def test_a_fork_leaves_the_process_to_the_parent():
    program = """
import os, swz
from swz._process import batch
batch.seconds = 5
assert swz.layout_expression("8:1").size == 8
parent = batch._process.pid
children = []
for child in range(4):
    pid = os.fork()
    if pid == 0:
        ok = all(swz.layout_expression(f"{n}:1").size == n for n in range(1, 50)) and batch._process.pid != parent
        batch.close()
        os._exit(0 if ok else 1)
    children.append(pid)
assert all(swz.layout_expression(f"{n}:1").size == n for n in range(1, 50))
assert all(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0 for pid in children)
assert batch._process.pid == parent
assert swz.layout_expression("9:1").size == 9
"""
    subprocess.run([sys.executable, "-W", "error::ResourceWarning", "-c", program], check=True)


def test_a_fork_while_another_thread_asks():
    program = """
import os, threading, swz
def ask():
    while not done: swz.layout_expression("8:1")
done = False
thread = threading.Thread(target=ask)
thread.start()
for i in range(20):
    pid = os.fork()
    if pid == 0:
        os._exit(0 if swz.layout_expression("7:1").size == 7 else 1)
    assert os.waitpid(pid, 0)[1] == 0
done = True
thread.join()
assert swz.layout_expression("6:1").size == 6
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True, timeout=120)


def test_the_directory_is_that_of_the_question(tmp_path, monkeypatch):
    (tmp_path / "word.txt").write_text("0x4000004000010042\n")
    batch = Batch()
    batch.ask(WORDS)
    monkeypatch.chdir(tmp_path)
    assert batch.ask(["decode", "@word.txt"])[1]["word"] == "0x4000004000010042"
    batch.close()


def test_the_longest_line_is_that_of_swz():
    batch = Batch()
    assert size_of(batch, 8) == 8
    shortest = len(json.dumps({"id": 2, "words": [""]}))
    with pytest.raises(swz.Error, match="unknown command"):
        batch.ask(["x" * (_process.LONGEST - shortest)])
    with pytest.raises(swz.Error, match="longer than 1 MiB"):
        batch.ask(["x" * _process.LONGEST])
    assert size_of(batch, 9) == 9
    batch.close()


def test_nothing_is_left_running():
    done = subprocess.run(
        [sys.executable, "-c", "import swz; swz.layout_expression('8:1'); print(swz._process.batch._process.pid)"],
        capture_output=True,
        text=True,
        check=True,
    )
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.stdout), 0)


def test_the_module_is_the_command():
    for words in (["decode", "0x4000004000010042"], ["layout", "(8,"], ["diff", "8:1", "8:2"]):
        ours = subprocess.run([sys.executable, "-m", "swz", *words], capture_output=True, check=False)
        command = subprocess.run([swz.binary(), *words], capture_output=True, check=False)
        assert (ours.returncode, ours.stdout, ours.stderr) == (command.returncode, command.stdout, command.stderr)
