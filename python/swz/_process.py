# SPDX-License-Identifier: Apache-2.0
"""The swz process behind the package: one `swz batch -` that answers every question, and single runs for pictures.

    Batch().ask(["layout", "8:1"])  ->  (0, {"layout": "8:1", ...})

A question is a line {"id": 7, "words": [...]}, its answer is the next line and begins with the same id. One question is
asked at a time. A process that ends, does not answer in time or answers with another id is killed; a new one is started
and asked once more. An interrupted question ends its process as well: no later question gets its answer. A fork leaves
the parent's process to the parent, the child starts one of its own.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

from ._errors import Error

SECONDS = 120.0  # for one answer of the batch
LONGEST = 1 << 20  # bytes of a line that swz batch reads
BLOCK = 1 << 16
ENDED = "ended"


def binary() -> str:
    """The path of the swz command: SWZ_BINARY, that of this installation, or the first on the PATH."""
    named = os.environ.get("SWZ_BINARY")
    if named is not None:
        if os.path.isfile(named) and os.access(named, os.X_OK):
            return named
        raise Error(f"SWZ_BINARY is {named}, which is not a program", "unset it, or name a swz command")
    for path in installed_places():
        if is_program(path):
            return path
    raise Error(
        "the command swz is not installed",
        "install the wheel, which has it, or name it with the environment variable SWZ_BINARY",
    )


def installed_places() -> Iterator[str]:
    """Where the command may be: as the RECORD of the wheel says, beside python, in bin of pip's --target, on the PATH.

    Without sysconfig, which a fork in the middle of another thread's question would leave half made.
    """
    packages = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for name in os.listdir(packages):
        record = os.path.join(packages, name, "RECORD")
        if name.startswith("swz-") and os.path.exists(record):
            with open(record, encoding="utf-8") as file:
                files = [line.split(",")[0] for line in file]
            yield from (os.path.join(packages, file) for file in files if file.endswith("/bin/swz"))
    folders = [os.path.dirname(sys.executable), os.path.join(packages, "bin")]
    for folder in [*folders, *os.environ.get("PATH", os.defpath).split(os.pathsep)]:
        if folder:  # sys.executable of an embedded Python may be empty; the current directory is not an installation
            yield os.path.join(folder, "swz")


def is_program(path: str) -> bool:
    """Whether the file can be run and is not a script: that would start Python, and Python would start it."""
    if not os.path.isfile(path) or not os.access(path, os.X_OK):
        return False
    with open(path, "rb") as file:
        return file.read(2) != b"#!"


def run(words: Sequence[str]) -> tuple[int, str]:
    """One run of its own: the exit code and what it printed. Throws Error where swz refuses."""
    try:
        done = subprocess.run(
            [binary(), *words], stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False
        )
    except ValueError as not_a_word:  # a NUL, or half a surrogate pair
        raise Error(f"a program cannot be given such a word: {not_a_word}", "take it out") from None
    if done.returncode not in (0, 1):
        raise refusal(done.stderr, done.returncode)
    return done.returncode, done.stdout


def refusal(text: str, status: int) -> Error:
    """What a run wrote to standard error, as JSON or as text."""
    if text.startswith("{"):
        return error_of(json.loads(text)["error"], status)
    message, _, hint = text.partition("\nhint: ")
    message = message.replace("swz: error: ", "", 1).strip()
    return Error(message or f"swz ended with {status}", hint.strip(), exit_code=status)


def error_of(error: dict[str, Any], status: int) -> Error:
    """The object {"message", "hint", "span"} of an answer."""
    place = error.get("span")
    return Error(error["message"], error.get("hint", ""), (place[0], place[1]) if place else None, status)


def is_text(word: str) -> bool:
    """Whether JSON can say it: a name of a file that is not UTF-8 has lone surrogates in Python."""
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


def reply_of(line: bytes) -> dict[str, Any] | None:
    """The answer of swz; None where another program wrote the line, which may be the question itself."""
    try:
        reply = json.loads(line)
    except ValueError:
        return None
    is_answer = isinstance(reply, dict) and {"id", "exit"} < reply.keys() <= {"id", "exit", "result", "error"}
    return reply if is_answer else None


class Lost(Exception):
    """The process ended, did not answer in time, or answered another question."""


class Batch:
    """A `swz batch -` that is started when it is first asked."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._surroundings: tuple[str | None, ...] = ()  # of the process
        self._id = 0  # of the last question
        self._lock = threading.Lock()
        self._starting = threading.Lock()
        self._asking: int | None = None  # the thread that holds the lock

    def ask(self, words: Sequence[str]) -> tuple[int, dict[str, Any]]:
        """The exit code, 0 or 1, and the answer. Throws Error where swz refuses."""
        in_question = self._asking == threading.get_ident()  # of a signal handler or a finalizer, in this very thread
        if in_question or not all(map(is_text, words)):
            status, text = run(["--format=json", *words])
            return status, json.loads(text)
        with self._lock:
            self._asking = threading.get_ident()
            try:
                reply = self._answer(words)
            finally:
                self._asking = None
        if "error" in reply:
            raise error_of(reply["error"], reply["exit"])
        return reply["exit"], reply["result"]

    def _answer(self, words: Sequence[str]) -> dict[str, Any]:
        reason = ""
        for _ in range(2):
            try:
                return self._exchange(words)
            except Lost as lost:
                reason = str(lost)
                self._end()
            except BaseException:
                self._end()
                raise
        if reason == ENDED:
            run(["batch", "-"])  # without a question; throws what it says of its surroundings: SWZ_ARCH, a library
        named = os.environ.get("SWZ_BINARY")
        hint = f"see that SWZ_BINARY={named} is swz; or " if named else ""
        raise Error(f"swz {reason}, twice", f"{hint}ask for less, or report the line", exit_code=3)

    def _exchange(self, words: Sequence[str]) -> dict[str, Any]:
        process = self._started()
        self._id += 1
        question = json.dumps({"id": self._id, "words": list(words)}).encode()
        if len(question) > LONGEST:
            raise Error("the question is longer than 1 MiB", "split it, or give the input in a shorter form")
        until = time.monotonic() + self.seconds
        self._write(process, question + b"\n", until)
        line = self._read(process, until)
        reply = reply_of(line)
        if reply is None or reply["id"] != self._id:
            raise Lost(f"answered {line[:60].decode(errors='replace').strip()} to question {self._id}")
        return reply

    def _write(self, process: subprocess.Popen[bytes], line: bytes, until: float) -> None:
        assert process.stdin is not None
        pipe, left = process.stdin.fileno(), memoryview(line)
        while left:
            self._wait(pipe, select.POLLOUT, until)
            try:
                left = left[os.write(pipe, left) :]
            except BrokenPipeError:
                raise Lost(ENDED) from None

    def _read(self, process: subprocess.Popen[bytes], until: float) -> bytes:
        """One line. What was read of the next one would belong to no question: its process is not to be trusted."""
        assert process.stdout is not None
        pipe, parts = process.stdout.fileno(), [b""]
        while b"\n" not in parts[-1]:
            self._wait(pipe, select.POLLIN, until)
            parts.append(os.read(pipe, BLOCK))
            if not parts[-1]:
                raise Lost(ENDED)
        line = b"".join(parts)
        if line.index(b"\n") + 1 < len(line):
            raise Lost("answered more than one line")
        return line

    def _wait(self, pipe: int, event: int, until: float) -> None:
        ready = select.poll()
        ready.register(pipe, event)
        if not ready.poll(max(0.0, until - time.monotonic()) * 1000):
            raise Lost(f"did not answer in {self.seconds:g} s")

    def _started(self) -> subprocess.Popen[bytes]:
        surroundings = (directory(), os.environ.get("SWZ_BINARY"), os.environ.get("SWZ_ARCH"))
        if self._process is not None and surroundings != self._surroundings:
            self._end()
        if self._process is None:
            self._surroundings = surroundings
            self._start()
        assert self._process is not None
        return self._process

    def _start(self) -> None:
        """In a thread of its own, where no handler of a signal runs: an interrupt between a process and its place in
        self._process would leave a process that is never waited for."""
        given_up = threading.Event()
        failures: list[BaseException] = []

        def start() -> None:
            try:
                with self._starting:
                    if not given_up.is_set() and self._process is None:
                        self._process = started_batch()
            except BaseException as failure:
                failures.append(failure)

        thread = threading.Thread(target=start, daemon=True)
        try:
            thread.start()
            thread.join()
        except BaseException as interrupt:
            if isinstance(interrupt, RuntimeError) and thread.ident is None:  # the program ends: it has no new threads
                start()
            else:
                given_up.set()
                with self._starting:
                    raise
        if failures:
            raise failures[0]

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            close_pipes(process)
            process.wait()

    def close(self) -> None:
        """Ends the process; the next question starts another one."""
        with self._lock:
            self._end()

    def end_with_program(self) -> None:
        """Does not wait for the question of another thread."""
        if self._lock.acquire(blocking=False):
            self._end()

    def forget(self) -> None:
        """In the child of a fork: the process and the lock belong to the parent."""
        self._lock = threading.Lock()
        self._starting = threading.Lock()
        self._asking = None
        process, self._process = self._process, None
        if process is not None:
            process.returncode = 0  # not the child's to wait for
            close_pipes(process)


def started_batch() -> subprocess.Popen[bytes]:
    # Without buffers: what a fork would copy of them could be written twice. In a session of its own: an interrupt from
    # the keyboard is for Python, which ends the process where it has to.
    process = subprocess.Popen(
        [binary(), "batch", "-"],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert process.stdin is not None
    os.set_blocking(process.stdin.fileno(), False)  # a stopped process does not read
    return process


def directory() -> str | None:
    """Where names of files begin; None: it was removed."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return None


def close_pipes(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()


batch = Batch()
atexit.register(batch.end_with_program)
os.register_at_fork(after_in_child=batch.forget)
