# SPDX-License-Identifier: Apache-2.0
"""Asks ptxas which texts have the syntax of PTX: what an operand may be, and each with one character left out.

    PATH="$(sh scripts/ptxas):$PATH" python3 tests/data/ptxas_syntax.py > tests/data/ptxas_syntax.txt

A line is  taken|refused  body|text  TEXT: a statement of a kernel, or what follows .target. What is refused for another
reason than its syntax is not in the file.
"""
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HEAD = ".version 8.5\n.target sm_90a\n.address_size 64\n"
BODY = HEAD + """.global .align 8 .b8 g[16];
.visible .entry f(.param .u64 p) .reqntid 32 {
.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<4>; .reg .v2 .b32 v; .shared .align 1024 .b8 s[4096];
"""
STATEMENTS = """
mov.u32 %r1, s+16*2-4;
mov.u32 %r1, s-16;
mov.u64 %rd2, g+8;
mov.v2.b32 v, {%r1, %r1};
mov.u32 %r2, v.x;
mov.u32 %r3, 1+2;
mov.u32 %r3, 16+s;
mov.u32 %r3, (s+4);
mov.b64 %rd1, {%r1, 1+2};
mov.b64 %rd1, {%r1, s+2};
mov.u64 %rd2, generic(g)+8;
add.s32 %r4, s+4, %r3;
add.s32 %r4, %r3, 1+2*3;
add.s32 %r4, %r3, (1>2) ? 4 : 5;
add.s32 %r4, %r3, 1<<4;
add.s32 %r4, %r3, ~7;
add.s32 %r4, %r3, !7;
add.s32 %r4, %r3, +7;
add.s32 %r4, %r3, --5;
add.s32 %r4, %r3, - 5;
add.s32 %r4, %r3, -(5);
add.s32 %r4, %r3, (5);
add.s32 %r4, %r3, (.s64)4;
add.s32 %r4, %r3, 5 == 4;
add.s32 %r4, %r3, 7 % 4;
add.s32 %r4, %r3, WARP_SZ-1;
add.s32 %r1, %r2, %r3,;
add.s32 %r1, , %r3;
add.f32 %r1, %r2, .5;
mov.f32 %r1, -1.0e-3;
mov.u32 %r1, %tid .x;
mov .u32 %r1, 4;
st.shared.u32 [%r1], v.x;
st.shared.v2.u32 [%r1], {%r1, %r2};
st.shared.u32 [s+4*4+8], %r2;
st.shared.u32 [s+-4+8], %r2;
st.shared.u32 [%r1+1<<4], %r2;
st.shared.u32 [%r1+(1<<4)], %r2;
st.shared.u32 s[4], %r2;
st.shared.u32 [s[4]], %r2;
ld.param.u64 %rd1, [p];
@!%p1 mov.u32 %r1, %r2;
@%p1 { mov.u32 %r1, 4; }
setp.eq.and.s32 %p1|%p2, %r1, 0, !%p3;
shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 0x1f, -1;
bar.sync 0;
{ .reg .b32 q; mov.u32 q, 1; }
{}
L1: L2: mov.u32 %r1, 4;
.pragma "nounroll";
.reg .b32 a, %q<4>, b; mov.u32 a, b;
.shared .b32 c, d; mov.u32 %r1, d;
mbarrier.init.shared::cta.b64 [s], 1;
cp.async.cg.shared.global [%r1], [%rd1], 16;
cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, 7}], [s+8];
"""
TEXTS = """
.shared .align 4 .b8 a[4], b[4]; .visible .entry f() { .reg .b32 %r<3>; mov.u32 %r1, b; ret; }
.visible .entry f { ret; }
.visible .entry f() .pragma "nounroll"; { ret; }
.visible .entry f() .maxntid 32, 1, 1 .minnctapersm 2 .maxnreg 32 { ret; }
.visible .entry f() .explicitcluster .reqnctapercluster 2, 1, 1 { ret; }
.visible .entry f() { ret; } }
.visible .entry f() { ret }
; .visible .entry f() { ret; }
.global .align 4 .u32 a[2] = {1, 2}, b = 3; .visible .entry f() { ret; }
.global .attribute(.managed) .b32 m; .visible .entry f() { ret; }
.visible .entry f(.param .u64 .ptr .global .align 16 p, .param .align 8 .b8 q[16]) { ret; }
.visible .entry f() { .reg .b32 %r<3>; T: .branchtargets A, B; A: brx.idx %r1, T; B: ret; }
.shared .align 4 .b8 a[4][8]; .visible .entry f() { ret; }
.func (.reg .b32 r) g (.reg .b32 a, .reg .b32 b) { add.s32 r, a, b; ret; }
.visible .entry f() { .reg .b64 %rd<3>; P: .callprototype (.param .b32 _) _ (.param .b64 _); ret; }
"""


def verdict(question):
    kind, text = question
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "k.ptx"
        source.write_text(BODY + text + "\nret;\n}\n" if kind == "body" else HEAD + text + "\n")
        done = subprocess.run(["ptxas", "-arch", "sm_90a", str(source), "-o", "/dev/null"], capture_output=True, text=True,
                              check=False)
    if done.returncode == 0:
        return "taken"
    return "refused" if "yntax error" in done.stderr else None


def without_one(text):
    """The text without one of its brackets, commas, …, of each kind of place once."""
    return [text[:i] + text[i + 1:] for i, c in enumerate(text) if c in "[](){}<>,;"]


def recorded(questions):
    with ThreadPoolExecutor(2) as pool:
        return list(zip(pool.map(verdict, questions), questions))


def main():
    whole = [("body", line) for line in STATEMENTS.split("\n") if line] + [("text", line) for line in TEXTS.split("\n") if line]
    answers = recorded(whole)
    cut = [(kind, less) for word, (kind, text) in answers if word == "taken" for less in without_one(text)]
    answers += recorded(dict.fromkeys(cut))
    version = subprocess.run(["ptxas", "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    print(f"# What ptxas takes ({version}); written by tests/data/ptxas_syntax.py")
    for word, (kind, text) in answers:
        if word:
            print(word, kind, text)


if __name__ == "__main__":
    main()
