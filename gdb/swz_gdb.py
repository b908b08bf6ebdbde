# SPDX-License-Identifier: Apache-2.0
"""swz inside gdb and cuda-gdb: the words and arrays of the program that is stopped, asked of the swz command.

    (gdb) source /usr/share/swz/gdb/swz_gdb.py      # 'swz gdb' prints this line for ~/.gdbinit
    (gdb) swz decode desc                           # an expression of 4 or 8 bytes: what the word says
    (gdb) swz decode $R4:$R5                        # a pair of 32-bit registers, the low half first
    (gdb) swz map desc --mma 64x16 --against s      # the bytes that it reads, with the values of the array in them
    (gdb) swz identify s --dtype bf16 --tile 64x64  # which tile the array holds, or which mistake
    (gdb) swz tma map                               # a CUtensorMap
    (gdb) swz place --dtype bf16 --tile 8x64 --swizzle 128B     # any other command, as in a shell

Words that begin with 0x or a digit go to swz as they are. In cuda-gdb, arrays in shared memory are those of the block in
focus. The file keeps no model of its own: it reads memory by the command x and passes it on.

The command: SWZ_BINARY, that of the installation this file lies in, or the first on the PATH. Python 3.8 and later.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys

import gdb

SECONDS = 60
MOST_BYTES = 1 << 20  # of one array
# gdb 14 sets no __file__.
HERE = os.path.dirname(os.path.abspath(sys._getframe().f_code.co_filename))


def binary():
    named = os.environ.get("SWZ_BINARY")
    beside = os.path.join(HERE, "..", "..", "..", "bin", "swz")
    found = named or (beside if os.access(beside, os.X_OK) else shutil.which("swz"))
    if not found:
        raise gdb.GdbError("swz: there is no command swz on the PATH; name it with the environment variable SWZ_BINARY")
    return found


def ask(words, text=""):
    """What swz writes, with its exit code. Colours as gdb has them."""
    styled = gdb.parameter("style enabled") and os.environ.get("TERM", "dumb") != "dumb"
    words = [binary(), *words, "--color", "always" if styled else "never"]
    environment = dict(os.environ, COLUMNS=str(gdb.parameter("width") or 120))
    try:
        done = subprocess.run(words, input=text, capture_output=True, text=True, env=environment, timeout=SECONDS,
                              check=False)
    except (OSError, subprocess.TimeoutExpired) as failure:
        raise gdb.GdbError(f"swz: {failure}")
    return done.returncode, done.stdout, done.stderr


def show(words, text=""):
    _, out, err = ask(words, text)
    gdb.write(out)
    gdb.write(err)


def evaluated(expression):
    try:
        return gdb.parse_and_eval(expression)
    except gdb.error as failure:
        raise gdb.GdbError(f"swz: {expression}: {failure}")


def half(expression):
    return int(evaluated(expression)) & 0xFFFFFFFF


def word_of(text):
    """0x… of an expression of 4 or 8 bytes, or of a pair of 32-bit registers LOW:HIGH. A number stays as it is."""
    if re.match(r"[0-9]|@", text):
        return text
    pair = re.fullmatch(r"(\$\w+):(\$\w+)", text)
    if pair:
        return f"0x{half(pair[2]) << 32 | half(pair[1]):016x}"
    value = evaluated(text)
    size = value.type.sizeof
    if value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT and size == 8:
        # A descriptor class (CuTe's GmmaDescriptor) is its 8 bytes.
        memory, _ = memory_of(text)
        return f"0x{int.from_bytes(memory, 'little'):016x}"
    whole = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_PTR)
    if value.type.strip_typedefs().code not in whole:
        raise gdb.GdbError(f"swz: {text} is of type {value.type}, not a word: cast it")
    number = int(value)
    if size not in (4, 8):
        raise gdb.GdbError(f"swz: {text} has {size} bytes; a descriptor has 8, an instruction descriptor 4")
    return f"0x{number & ((1 << 8 * size) - 1):0{2 * size}x}"


def dump_of(expression):
    """What the command x prints of the bytes of an array."""
    size = evaluated(expression).type.sizeof
    if size > MOST_BYTES:
        raise gdb.GdbError(f"swz: {expression} has {size} bytes; give a part of it, for example *(&{expression}[0])@4096")
    unit, count = ("g", size // 8) if size % 8 == 0 else ("b", size)
    try:
        return gdb.execute(f"x/{count}x{unit} &({expression})", to_string=True)
    except gdb.error as failure:
        raise gdb.GdbError(f"swz: {expression}: {failure}")


def memory_of(expression):
    """The bytes of an array and the address of the first."""
    memory, first = bytearray(), None
    for line in dump_of(expression).splitlines():
        place, _, numbers = line.partition(":\t")
        if first is None:
            first = int(re.search(r"0x[0-9a-f]+", place)[0], 16)
        for number in numbers.split():
            memory += int(number, 16).to_bytes((len(number) - 2) // 2, "little")
    return bytes(memory), first


def show_values(words, array, base=None):
    """The elements that a descriptor reads, where the array has them. base: the address of its first byte, else its own."""
    code, out, err = ask([*words, "-f", "json"])
    if code > 1:
        raise gdb.GdbError((err or out).rstrip("\n"))
    reads = json.loads(out)
    memory, own = memory_of(array)
    first = own if base is None else base
    rows, cols = reads["rows"], reads["cols"]
    size = max(1, reads["bytes"] // (rows * cols))
    outside = 0
    cells = []
    for address in reads["addresses"]:
        at = address - first
        inside = 0 <= at and at + size <= len(memory)
        outside += not inside
        cells.append(f"{int.from_bytes(memory[at:at + size], 'little'):#x}" if inside else "-")
    width = max(len(cell) for cell in cells)
    head = len(str(rows - 1))
    gdb.write(f"{reads['word']}  {reads['dtype']} {rows}x{cols} {reads['major']}, from {reads['start_address']:#x}; "
              f"{array} is {first:#x} to {first + len(memory) - 1:#x}\n")
    gdb.write(" " * head + "  " + "  ".join(f"{col:>{width}}" for col in range(cols)) + "\n")
    for row in range(rows):
        gdb.write(f"{row:>{head}}  " + "  ".join(f"{cell:>{width}}" for cell in cells[row * cols:(row + 1) * cols]) + "\n")
    if outside:
        gdb.write(f"{outside} of {len(cells)} elements lie outside {array}\n")


def with_words(words):
    """Those before the first option are expressions."""
    options = next((i for i, word in enumerate(words) if word.startswith("-")), len(words))
    return [word_of(word) for word in words[:options]] + words[options:]


def decode(words):
    show(["decode", *with_words(words)])


def map_words(words):
    """--against with an expression of gdb shows its values; --base is then the shared-memory address of its first byte."""
    words = with_words(words)
    if "--against" in words[:-1]:
        at = words.index("--against")
        given = words[at + 1]
        # A tile is its options, a layout has a colon; the rest is an expression.
        if not given.startswith("-") and ":" not in given:
            rest = words[:at] + words[at + 2:]
            base = None
            if "--base" in rest[:-1]:
                at = rest.index("--base")
                base = int(rest[at + 1], 0)
                del rest[at:at + 2]
            return show_values(["map", *rest], given, base)
    show(["map", *words])


def identify(words):
    if not words or words[0].startswith("-"):
        return show(["identify", *words])
    show(["identify", "@-", *words[1:]], dump_of(words[0]))


def tma(words):
    """A tensor map in memory is 128 bytes; check, encode, place and plan are swz's own."""
    if words and words[0] in ("check", "encode", "place", "plan"):
        return show(["tma", *words])
    if not words:
        raise gdb.GdbError("swz: give an expression for a CUtensorMap, or check, encode, place, plan")
    size = evaluated(words[0]).type.sizeof
    if size != 128:
        raise gdb.GdbError(f"swz: {words[0]} has {size} bytes; a CUtensorMap has 128: give it, not its address")
    show(["decode", "@-", *words[1:]], dump_of(words[0]))


class Swz(gdb.Command):
    __doc__ = __doc__

    def __init__(self):
        super().__init__("swz", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        try:
            words = shlex.split(argument)
        except ValueError as failure:
            raise gdb.GdbError(f"swz: {failure}")
        verbs = {"decode": decode, "map": map_words, "identify": identify, "tma": tma}
        if words and words[0] in verbs and "--help" not in words and "-h" not in words:
            verbs[words[0]](words[1:])
        else:
            show(words or ["help"])


Swz()
