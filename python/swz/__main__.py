# SPDX-License-Identifier: Apache-2.0
"""python -m swz: the command itself, with the words of this command line."""

import os
import sys

from . import Error, binary


def main() -> None:
    try:
        program = binary()
    except Error as error:
        print(f"swz: error: {error}", file=sys.stderr)
        sys.exit(2)
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
