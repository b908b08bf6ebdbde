# SPDX-License-Identifier: Apache-2.0
# cuda-gdb -nx -batch -x tests/gpu/gdb_commands.py ./gdb_kernel: a session, typed line by line.
import gdb

LINES = """swz decode desc
swz decode desc --brief
swz map desc --mma 8x16 --dtype bf16 --against tile
swz identify tile --dtype bf16 --tile 64x64
swz identify stored --dtype bf16 --tile 64x64
swz tma map --brief
swz place --dtype bf16 --tile 64x64 --swizzle 128B --at 1,0
print sizeof(tile)
info symbol tile
swz decode $R4:$R5 --brief"""

for line in ("set width 110", "set style enabled off", "set pagination off", "set confirm off",
             "source gdb/swz_gdb.py", "break gdb_kernel.cu:35", "run"):
    gdb.execute(line)
for line in LINES.splitlines():
    gdb.write(f"(cuda-gdb) {line}\n")
    try:
        gdb.execute(line)
    except gdb.error as error:
        gdb.write(f"{error}\n")
gdb.execute("kill")
