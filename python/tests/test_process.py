"""A process that is killed, stopped or forked, and many threads: no answer is lost or goes to another question."""

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


def test_an_interrupt_does_not_shift_the_answers(monkeypatch):
    batch = Batch()
    batch.ask(WORDS)
    select = _process.selectors.DefaultSelector.select

    def interrupted(self, timeout=None):
        monkeypatch.setattr(_process.selectors.DefaultSelector, "select", select)
        raise KeyboardInterrupt

    monkeypatch.setattr(_process.selectors.DefaultSelector, "select", interrupted)
    with pytest.raises(KeyboardInterrupt):
        size_of(batch, 3)
    assert size_of(batch, 4) == 4
    batch.close()


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


def test_a_line_that_is_too_long():
    with pytest.raises(swz.Error, match="longer than 1 MiB"):
        swz.layout_expression("8:1 " * (1 << 19))
    assert swz.layout_expression("8:1").size == 8


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
