# SPDX-License-Identifier: Apache-2.0
"""What the tests share: the command itself, asked without the package."""

import faulthandler
import json
import subprocess

import pytest

import swz


@pytest.fixture
def command():
    """command("decode", "0x42") is what the binary answers in JSON."""

    def ask(*words):
        done = subprocess.run([swz.binary(), *words, "-f", "json"], capture_output=True, text=True, check=False)
        return json.loads(done.stdout or done.stderr)

    return ask


@pytest.fixture(autouse=True)
def _no_test_hangs():
    """A test that does not end is shown with its stack, and ends the run."""
    faulthandler.dump_traceback_later(100, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()
