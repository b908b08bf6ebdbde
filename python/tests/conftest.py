"""What the tests share: the command itself, asked without the package."""

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
