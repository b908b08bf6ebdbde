"""The swz process behind the package: one `swz batch -` that answers every question, and single runs for pictures.

    Batch().ask(["layout", "8:1"])  ->  (0, {"layout": "8:1", ...})

One question is one line of JSON, one answer is the next line, so that a lock around both keeps them together. A process
that ends, or that does not answer in time, is killed, started again once, and asked again. A fork leaves the parent's
process to the parent: the child starts one of its own.
"""

from __future__ import annotations

import atexit
import json
import os
import selectors
import shutil
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ._errors import Error

SECONDS = 120.0  # for one answer of the batch


NAME = "swz.exe" if sys.platform == "win32" else "swz"


def installed_paths() -> list[str]:
    """Where an installation of the wheel may have put the command: an environment, a user's, or pip's --target."""
    schemes = [s for s in ("posix_user", "nt_user", "osx_framework_user") if s in sysconfig.get_scheme_names()]
    folders = [sysconfig.get_path("scripts"), *(sysconfig.get_path("scripts", scheme) for scheme in schemes)]
    return [os.path.join(folder, NAME) for folder in [*folders, str(Path(__file__).resolve().parents[1] / "bin")]]


# Asked once, when no thread can be in the middle of it: a fork would leave sysconfig half made.
INSTALLED = installed_paths()


def binary() -> str:
    """The path of the swz command: SWZ_BINARY, that of this installation, or the first on the PATH."""
    named = os.environ.get("SWZ_BINARY")
    if named:
        if os.access(named, os.X_OK) and not os.path.isdir(named):
            return named
        raise Error(f"{named} is not a program", "SWZ_BINARY names the command swz, where it is set")
    for path in [*INSTALLED, shutil.which(NAME)]:
        if path is not None and os.access(path, os.X_OK) and is_program(path):
            return path
    raise Error(
        "the command swz is not installed",
        "install the wheel, which has it, or name it with the environment variable SWZ_BINARY",
    )


def is_program(path: str) -> bool:
    """Whether the file is the program itself: a script of this name would start Python, and Python it."""
    try:
        with open(path, "rb") as file:
            return file.read(2) != b"#!"
    except OSError:
        return False


def run(words: Sequence[str], seconds: float | None = None, text: str | None = None) -> tuple[int, str]:
    """One run of its own: the exit code and what it printed. Throws Error where swz refuses."""
    try:
        done = subprocess.run(
            [binary(), *words],
            input=text,
            stdin=subprocess.DEVNULL if text is None else None,
            capture_output=True,
            encoding="utf-8",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Error(f"swz did not answer in {seconds:g} s", "ask for less, or give it more seconds") from None
    if done.returncode not in (0, 1):
        raise refusal(done.stderr, done.returncode)
    return done.returncode, done.stdout


def refusal(text: str, status: int) -> Error:
    """What a run wrote to standard error, as JSON or as text."""
    if text.startswith("{"):
        return error_of(json.loads(text)["error"], status)
    message, _, hint = text.partition("\nhint: ")
    message = message.replace("swz: error: ", "", 1).strip()
    return Error(message or f"swz ended with {status}", hint.strip(), exit=status)


def error_of(error: dict[str, Any], status: int) -> Error:
    """The object {"message", "hint", "span"} of an answer."""
    place = error.get("span")
    return Error(error["message"], error.get("hint", ""), (place[0], place[1]) if place else None, status)


def close_pipes(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()


class Lost(Exception):
    """The process ended, or did not answer in time."""


class Batch:
    """A `swz batch -` that is started when it is first asked."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._directory = ""  # where it was started: names of files are relative to it

    def ask(self, words: Sequence[str]) -> tuple[int, dict[str, Any]]:
        """The exit code, 0 or 1, and the answer. Throws Error where swz refuses."""
        line = json.dumps(list(words)).encode() + b"\n"
        with self._lock:
            answer = self._answer(line)
        reply = json.loads(answer)
        if "error" in reply:
            raise error_of(reply["error"], reply["exit"])
        return reply["exit"], reply["result"]

    def _answer(self, line: bytes) -> bytes:
        reason = ""
        for _ in range(2):
            try:
                return self._exchange(line)
            except Lost as lost:
                reason = str(lost)
                self._end()
            except BaseException:  # an interrupt: the answer to come would be taken for that of the next question
                self._end()
                raise
        raise Error(f"swz {reason}, twice", "ask again with fewer elements, or report the line", exit=3)

    def _exchange(self, line: bytes) -> bytes:
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        left = memoryview(line)
        try:
            while left:
                left = left[process.stdin.write(left) or 0 :]
        except OSError:
            raise Lost("ended") from None
        until = time.monotonic() + self.seconds
        received: list[bytes] = []
        with selectors.DefaultSelector() as ready:
            ready.register(process.stdout, selectors.EVENT_READ)
            while not received or not received[-1].endswith(b"\n"):
                if not ready.select(max(0.0, until - time.monotonic())):
                    raise Lost(f"did not answer in {self.seconds:g} s")
                part = os.read(process.stdout.fileno(), 1 << 16)
                if not part:
                    raise Lost("ended")
                received.append(part)
        return b"".join(received)

    def _started(self) -> subprocess.Popen[bytes]:
        directory = os.getcwd()
        if self._process is not None and directory != self._directory:
            self._end()
        if self._process is None:
            self._directory = directory
            # Without buffers: what a fork would copy of them could be written twice.
            self._process = subprocess.Popen(
                [binary(), "batch", "-"],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        close_pipes(process)
        process.wait()

    def close(self) -> None:
        """Ends the process; the next question starts another one."""
        with self._lock:
            self._end()

    def forget(self) -> None:
        """In the child of a fork: the process and the lock belong to the parent."""
        self._lock = threading.Lock()
        process, self._process = self._process, None
        if process is not None:
            process.returncode = 0  # not the child's to wait for
            close_pipes(process)


batch = Batch()
atexit.register(batch.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=batch.forget)
