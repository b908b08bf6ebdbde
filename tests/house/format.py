# SPDX-License-Identifier: Apache-2.0
"""Every C++ and CUDA file is as clang-format 14 leaves it.

    python3 -B tests/house/format.py /usr/bin/clang-format-14 [ROOT]

Other versions of clang-format break lines otherwise. Prints the first lines of what differs, and exits 1.
"""

import concurrent.futures
import os
import subprocess
import sys
from pathlib import Path

FOLDERS = ("src", "cmd", "tests", "page")
SUFFIXES = {".hpp", ".cpp", ".cu", ".cuh"}


def main():
    program, root = sys.argv[1], Path(sys.argv[2] if len(sys.argv) > 2 else ".").resolve()
    files = [str(path) for folder in FOLDERS for path in sorted((root / folder).rglob("*")) if path.suffix in SUFFIXES]
    cores = os.cpu_count() or 1

    def check(part):
        return subprocess.run([program, "--dry-run", "-Werror", *part], capture_output=True, text=True, check=False)

    with concurrent.futures.ThreadPoolExecutor(cores) as pool:
        done = list(pool.map(check, (files[i::cores] for i in range(cores))))
    for run in done:
        print("\n".join(run.stderr.splitlines()[:20]))
    print(f"{len(files)} files read")
    return 1 if not files or any(run.returncode for run in done) else 0


if __name__ == "__main__":
    sys.exit(main())
