# SPDX-License-Identifier: Apache-2.0
"""Compiles tests/ptx/mistakes/*.cu to PTX by NVRTC, each with its mistake (NAME.ptx) and without (NAME_right.ptx).

    python3 -B tests/ptx/mistakes.py                       # the PTX, which is committed; NVRTC is that of `sh scripts/nvrtc`
    python3 -B tests/ptx/mistakes.py --swz build/dev/swz   # what `swz kernel` says of it

`swz kernel` must find each mistake, and nothing in its twin.
"""

import argparse
import ctypes
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests/ptx/mistakes"


def open_nvrtc():
    path = subprocess.run(["sh", str(ROOT / "scripts/nvrtc")], check=True, capture_output=True, text=True).stdout.strip()
    # NVRTC looks for its built-in headers by name: they are found once they are open.
    for builtins in Path(path).parent.glob("libnvrtc-builtins.so.*"):
        ctypes.CDLL(str(builtins))
    return ctypes.CDLL(path)


def text_of(nvrtc, program, what):
    size = ctypes.c_size_t()
    getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, f"nvrtcGet{what}")(program, text)
    return text.value.decode()


def compile_to_ptx(nvrtc, source, mistake):
    arch = re.search(r"^// compile for: sm_(\w+)", source.read_text(), re.M)
    words = [f"--gpu-architecture=compute_{arch[1] if arch else '90a'}", "-std=c++17", "--generate-line-info",
             f"-DMISTAKE={mistake}", f"-I{FOLDER}"]
    options = (ctypes.c_char_p * len(words))(*(word.encode() for word in words))
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.read_bytes(), source.name.encode(), 0, None, None)
    if nvrtc.nvrtcCompileProgram(program, len(words), options):
        raise RuntimeError(f"{source.name}: {text_of(nvrtc, program, 'ProgramLog')}")
    return text_of(nvrtc, program, "PTX").replace(f"{FOLDER}/", "")  # where this repository lies does not matter


def make():
    nvrtc = open_nvrtc()
    os.chdir(FOLDER)  # the PTX names its source in the folder of the process
    for source in sorted(FOLDER.glob("*.cu")):
        for mistake, ending in ((1, ""), (0, "_right")):
            (FOLDER / f"{source.stem}{ending}.ptx").write_text(compile_to_ptx(nvrtc, source, mistake))


def findings(swz, ptx):
    done = subprocess.run([swz, "kernel", str(ptx), "-f", "json"], check=True, capture_output=True, text=True)
    kernel, = json.loads(done.stdout)["kernels"]
    whole = kernel["findings"] + [finding for site in kernel["mma"] for finding in site["findings"]]
    return [finding for finding in whole if finding["severity"] != "note"]


def check(swz):
    """The number of kernels whose mistake is missed, or that have none and are blamed."""
    failed = 0
    for ptx in sorted(FOLDER.glob("*.ptx")):
        found = findings(swz, ptx)
        good = bool(found) != ptx.stem.endswith("_right")
        failed += not good
        rules = ", ".join(sorted({finding["rule"] for finding in found})) or "nothing"
        print(f"{ptx.stem}: {rules}" + ("" if good else "  <-- not expected"))
    return failed


def main():
    parser = argparse.ArgumentParser(description="kernels with a mistake and their twins without")
    parser.add_argument("--swz", help="ask this program what it finds")
    options = parser.parse_args()
    if options.swz:
        return 1 if check(options.swz) else 0
    make()
    return 0


if __name__ == "__main__":
    sys.exit(main())
