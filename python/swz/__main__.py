"""python -m swz: the command itself, with the words of this command line."""

import os
import sys

from . import Error, binary


def main() -> int:
    try:
        program = binary()
    except Error as error:
        print(f"swz: error: {error}", file=sys.stderr)
        return 2
    if os.name == "posix":
        os.execv(program, [program, *sys.argv[1:]])
    import subprocess

    return subprocess.call([program, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
