# SPDX-License-Identifier: Apache-2.0
"""K loops for questions.py: the words of a tile, step by step, as they are or with a mistake, for decode, map and kernel."""

from pathlib import Path

import references as ref

KINDS = {8: ("e4m3", "m64n8k32.f32.e4m3.e4m3"), 16: ("f16", "m64n8k16.f32.f16.f16"), 32: ("tf32", "m64n8k8.f32.tf32.tf32")}
ROWS = 64


class Loop:
    def __init__(self, rng):
        self.bits, self.mode = rng.choice((8, 16, 32)), rng.choice(tuple(ref.MODES))
        self.major = rng.choice(("k", "mn")) if self.bits == 16 else "k"
        self.k = 256 // self.bits
        width = ref.MODES[self.mode][0]
        steps, atom = rng.randint(2, 6), 8 * width
        # Strides of a packed tile of 64 rows, mn-first.
        atoms_along_rows = ROWS // 8 if self.major == "k" else ROWS * self.bits // 8 // width
        if self.major == "k":
            self.lbo, self.sbo = (atom * atoms_along_rows, atom) if self.mode == "none" else (16, atom)
        else:
            along_k, along_rows = atom * atoms_along_rows, atom
            self.lbo, self.sbo = (along_k, along_rows) if self.mode == "none" else (along_rows, along_k)
        start = 1024 * rng.randint(1, 8)

        def step(i):
            byte = 32 * i
            if self.major == "k":
                return byte // 16 * self.lbo if self.mode == "none" else byte // width * atom * atoms_along_rows + byte % width
            return i * self.k // 8 * (self.lbo if self.mode == "none" else self.sbo)
        self.starts = [start + step(i) for i in range(steps)]
        self.is_right = True

    def plant(self, rng):
        first, step = self.starts[0], self.starts[1] - self.starts[0]
        kind = rng.randrange(6)
        if kind == 0:
            at = rng.randint(1, len(self.starts) - 1)
            self.starts[at] = self.starts[at - 1]
        elif kind == 1:
            self.starts += [start + 16 * rng.randint(1, 600) for start in self.starts]
        else:
            advance = (16, step // 2 // 16 * 16, 2 * step, 32, step * 8 // self.bits // 16 * 16, 16 * step * 8 // self.bits)[rng.randrange(6)]
            self.starts = [first + i * advance for i in range(len(self.starts))]
        self.is_right = None  # to be seen

    def words(self):
        return [f"{ref.smem_word(start, self.lbo, self.sbo, self.mode, 0, False):#018x}" for start in self.starts]

    def reads_twice(self):
        """Whether two of the MMAs read one chunk of 16 bytes."""
        seen = set()
        for word in self.words():
            own = {byte // 16 for byte in ref.word_reads(int(word, 16), ROWS, self.k, self.bits, self.major, self.mode)}
            if own & seen:
                return True
            seen |= own
        return False

    def entry(self, name):
        """A kernel in which it is A, and B goes on along K as it should."""
        text = f".visible .entry {name}() {{\n.reg .b64 %rd<99>;\n.reg .f32 %f<4>;\n"
        for i, word in enumerate(self.words()):
            other = ref.smem_word(1024 + 256 * i, 128, 8192, "none", 0, False)
            text += f"mov.b64 %rd{2 * i}, {word};\nmov.b64 %rd{2 * i + 1}, {other:#x};\n"
            transposed = "" if self.bits != 16 else f", {int(self.major == 'mn')}, 0"
            text += f"wgmma.mma_async.sync.aligned.{KINDS[self.bits][1]} {{%f0, %f1, %f2, %f3}}, %rd{2 * i}, %rd{2 * i + 1}, 1, 1, 1{transposed};\n"
        return text + "ret;\n}\n"


def lists_it(loop, readings):
    return any(one["major"].lower().startswith(loop.major + "-") and one["element_bits"] in (None, loop.bits) and one["k_bytes"] == 32 and
               (one["most_rows"] or ROWS) >= ROWS for one in readings)


def property_of(run, result):
    loops = [Loop(run.random) for _ in range(run.count)]
    for i, loop in enumerate(loops):
        if i % 3:
            loop.plant(run.random)
    loops = [loop for loop in loops if max(loop.starts) < 1 << 18]
    batch, kernels = 40, []
    for begin in range(0, len(loops), batch):
        path = Path(run.folder) / f"loops_{begin}.ptx"
        entries = [loop.entry(f"f{i}") for i, loop in enumerate(loops[begin:begin + batch])]
        path.write_text(".version 8.0\n.target sm_90a\n.address_size 64\n" + "".join(entries))
        kernels.append(["kernel", str(path)])
    decodes = [["decode", *loop.words()] for loop in loops]
    maps = [["map", *loop.words(), "--dtype", KINDS[loop.bits][0], "--major", loop.major, "--mma", f"{ROWS}x{loop.k}", "--arch", "sm_90a"] for loop in loops]
    answers = yield decodes + maps + kernels
    found = {int(kernel["name"][1:]) + batch * i: kernel for i, answer in enumerate(answers[2 * len(loops):]) for kernel in result(answer)["kernels"]}
    for i, loop in enumerate(loops):
        decoded, mapped = result(answers[i])["loops"][0], result(answers[len(loops) + i])["loop"]
        is_right = bool(mapped["readings"])
        if loop.is_right and not is_right or is_right and loop.reads_twice():
            run.fail(f"{maps[i]}: {'right' if is_right else mapped['mistakes']}")
        if lists_it(loop, decoded["readings"]) != is_right:
            run.fail(f"{decodes[i]}: readings {decoded['readings']}, and map says {'right' if is_right else mapped['mistakes']}")
        rules = {one["rule"] for one in mapped["mistakes"]} if not is_right else set()
        named = rules - {"advance", "advance-repeats", "advance-by-rows", "advance-skips"}  # decode leaves out what is far
        if not decoded["readings"] and not named <= {one["rule"] for one in decoded["mistakes"]}:
            run.fail(f"{decodes[i]}: {decoded['mistakes']}, and map says {rules}")
        told = {one["rule"] for site in found[i]["mma"] for one in site["findings"] if one["message"].startswith("A of the MMAs")}
        if told != rules and not (not told and len(set(loop.starts)) < len(loop.starts) and all(map(lambda a, b: a != b, loop.starts, loop.starts[1:]))):
            run.fail(f"{maps[i]}: {rules}, and kernel says {told}")
