# SPDX-License-Identifier: Apache-2.0
"""At least 50,000 questions to `swz batch -`, whose answers have to agree with each other and with references.py.

    python3 -B tests/meta/questions.py --swz build/dev/swz              # every property; the failures, and how many questions
    python3 -B tests/meta/questions.py --swz build/dev/swz --only sf    # properties whose name holds "sf"
    python3 -B tests/meta/questions.py --swz build/dev/swz --plant      # alter one answer at a time: each must be noticed

A property is a generator: it yields lists of command lines and is sent their answers, so that it can ask again about what it
was given. It calls `fail` with what does not agree. Its `plants` are keys of answers: --plant changes one value under such a
key in one answer and runs the property once more, until it fails.

Questions are drawn from a fixed seed.
"""

import argparse
import copy
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import k_loops
import references as ref

PROPERTIES = {}


def claims(name, count, *plants):
    def add(function):
        PROPERTIES[name] = (function, count, plants)
        return function
    return add


class Run:
    """One run of a property: its random numbers, its failures, and the answer that is to be altered."""

    def __init__(self, name, scale, folder):
        self.function, count, _ = PROPERTIES[name]
        self.random, self.count, self.folder = random.Random(f"28 {name}"), max(3, int(count * scale)), folder
        self.failures, self.asked = [], 0

    def fail(self, what):
        self.failures.append(what)

    def expect(self, words, said, right):
        if said != right:
            self.fail(f"{' '.join(map(str, words))}: says {said}, right is {right}")


def result(answer):
    """What a question that has an answer is answered; of a refusal nothing."""
    return answer.get("result", {})


def ask(swz, questions):
    lines = "".join(json.dumps({"id": i, "words": [str(word) for word in words]}) + "\n" for i, words in enumerate(questions))
    done = subprocess.run([swz, "batch", "-"], input=lines, capture_output=True, text=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(questions):
        raise SystemExit(f"{len(questions)} questions, {len(answers)} answers, exit {done.returncode}: {done.stderr[:400]}")
    return answers


def run_all(swz, runs, alter=None):
    """Each round asks the questions of all properties at once. alter(name, answers) changes some of them."""
    going = {name: (run, run.function(run)) for name, run in runs.items()}
    questions = {name: next(generator) for name, (_, generator) in going.items()}
    while going:
        answers = iter(ask(swz, [words for name in going for words in questions[name]]))
        for name in list(going):
            run, generator = going[name]
            own = [next(answers) for _ in questions[name]]
            run.asked += len(own)
            if alter:
                alter(name, own)
            try:
                questions[name] = generator.send(own)
            except StopIteration:
                del going[name]
            except (KeyError, IndexError, TypeError, ValueError) as error:
                run.fail(f"an answer is not of the form that is documented: {error!r}")
                del going[name]


# ---- tiles and descriptors

def random_tile(rng, bits=16, modes=("none", "32B", "64B", "128B"), most=128):
    mode, major, order = rng.choice(modes), rng.choice("km" if bits == 16 else "k"), rng.choice(("mn-first", "k-first"))
    major = "k" if major == "k" else "mn"
    line = (128 if mode == "128B_32B" else ref.MODES[mode][0]) * 8 // bits
    lines = 4 if mode == "128B_32B" else 8
    along, across = line * rng.randint(1, max(1, min(4, most // line))), lines * rng.randint(1, most // lines)
    rows, cols = (across, along) if major == "k" else (along, across)
    return ref.Tile(rows, cols, bits, mode, major, order)


DTYPES = {8: ("e4m3", "s8", "e5m2"), 16: ("f16", "bf16"), 32: ("tf32",)}


def tile_words(tile, dtype):
    return ["--dtype", dtype, "--tile", f"{tile.rows}x{tile.cols}", "--major", tile.major, "--swizzle", tile.mode, "--order",
            tile.order, "--base", tile.base]


@claims("place: an element and its byte, both ways", 2500, "byte", "at")
def place(run):
    cases = []
    for _ in range(run.count):
        bits = run.random.choice((8, 16, 32))
        tile = random_tile(run.random, bits)
        tile.base = 16 * run.random.randint(0, 256)
        at = run.random.randrange(tile.rows), run.random.randrange(tile.cols)
        cases.append((tile_words(tile, run.random.choice(DTYPES[bits])), at, tile.byte(*at)))
    there = [["place", *words, "--at", f"{row},{k}"] for words, (row, k), _ in cases]
    back = [["place", *words, "--at-byte", byte] for words, _, byte in cases]
    answers = yield there + back
    for question, answer, (_, at, byte) in zip(there, answers, cases):
        run.expect(question, [point["byte"] for point in result(answer)["points"]], [byte])
    for question, answer, (_, at, byte) in zip(back, answers[len(there):], cases):
        run.expect(question, [point["at"] for point in result(answer)["points"]], [list(at)])


@claims("encode and decode of shared-memory words", 3000, "word", "value")
def smem_words(run):
    cases = []
    for _ in range(run.count):
        rng, is_tcgen05 = run.random, run.random.random() < 0.5
        mode = rng.choice(("none", "32B", "64B", "128B") + (("128B_32B",) if is_tcgen05 else ()))
        start, lbo, sbo, offset = 16 * rng.randrange(1 << 14), 16 * rng.randrange(1 << 14), 16 * rng.randrange(1 << 14), rng.randrange(8)
        cases.append((["--arch", "sm_100a" if is_tcgen05 else "sm_90a"], start, lbo, sbo, mode, offset, is_tcgen05))
    made = [["encode", "smem", *arch, "--start", start, "--lbo", lbo, "--sbo", sbo, "--swizzle", mode, "--base-offset", offset]
            for arch, start, lbo, sbo, mode, offset, _ in cases]
    encoded = yield made
    for question, answer, case in zip(made, encoded, cases):
        run.expect(question, result(answer)["word"], f"{ref.smem_word(*case[1:]):#018x}")
    read = [["decode", result(answer)["word"], *case[0]] for answer, case in zip(encoded, cases)]
    for question, answer, (_, start, lbo, sbo, mode, offset, _) in zip(read, (yield read), cases):
        fields = {field["name"]: field["value"] for field in result(answer)["fields"]}
        said = tuple(fields[name] for name in ("start_address", "leading_byte_offset", "stride_byte_offset", "swizzle", "base_offset"))
        run.expect(question, said, (start, lbo, sbo, mode, offset))


@claims("encode and decode of instruction words", 2000, "word", "value")
def instruction_words(run):
    cases = []
    for _ in range(run.count):
        fields = {name: run.random.randrange(2) for name in ("negate_a", "negate_b", "transpose_a", "transpose_b")}
        fields |= {"a": run.random.choice(("f16", "bf16")), "b": run.random.choice(("f16", "bf16")), "d": "f32",
                   "m": run.random.choice((64, 128)), "n": 16 * run.random.randint(1, 16)}
        cases.append(fields)
    made = [["encode", "idesc", "--kind", "f16", "--a-type", f["a"], "--b-type", f["b"], "--d-type", f["d"], "--m", f["m"], "--n", f["n"]] +
            [f"--{name.replace('_', '-')}" for name in ("negate_a", "negate_b", "transpose_a", "transpose_b") if f[name]] for f in cases]
    encoded = yield made
    for question, answer, fields in zip(made, encoded, cases):
        run.expect(question, result(answer)["word"], f"{ref.instruction_word(fields):#010x}")
    read = [["decode", "--as", "idesc", "--kind", "f16", result(answer)["word"]] for answer in encoded]
    for question, answer, fields in zip(read, (yield read), cases):
        said = {field["name"]: field["value"] for field in result(answer)["fields"]}
        names = {"a": "a_type", "b": "b_type", "d": "d_type"}
        run.expect(question, {key: said[names.get(key, key)] for key in fields}, fields)


@claims("desc, map and place: the words of a tile read where its elements lie", 420, "descriptors/word", "addresses", "points/byte")
def desc_map(run):
    cases = []
    for _ in range(run.count):
        bits = run.random.choice((8, 16))
        tile = random_tile(run.random, bits, most=64)
        if tile.cols * bits % 256 or (tile.rows > 8 and tile.rows % 64 and tile.rows not in (16, 24, 32, 40, 48, 56)):
            continue
        tile.base = 1024 * run.random.randint(0, 4)
        cases.append((tile, run.random.choice(DTYPES[bits])))
    made = [["desc", *tile_words(tile, dtype), "--arch", "sm_90a", "--operand", "b"] for tile, dtype in cases]
    maps, places = [], []
    for question, answer, (tile, dtype) in zip(made, (yield made), cases):
        found = result(answer)
        if not found.get("descriptors"):
            run.fail(f"{question}: no words: {answer}")
            continue
        mn, k = found["mma"]
        for one in found["descriptors"]:
            maps.append((tile, one["m"] * mn, one["k"] * k, mn, k,
                         ["map", one["word"], "--mma", f"{mn}x{k}", "--dtype", dtype, "--major", tile.major, "--arch", "sm_90a"]))
            places.append(["place", *tile_words(tile, dtype), "--at", f"{one['m'] * mn},{one['k'] * k}"])
    answers = yield [one[-1] for one in maps] + places
    for (tile, row, k, mn, ks, question), answer, placed in zip(maps, answers, answers[len(maps):]):
        right = [tile.byte(row + i, k + j) for i in range(mn) for j in range(ks)]
        run.expect(question, result(answer)["addresses"], right)
        run.expect(question, result(placed)["points"][0]["byte"], right[0])


@claims("map: any word reads what its fields say", 700, "addresses")
def map_words(run):
    cases = []
    for _ in range(run.count):
        bits, mode = run.random.choice((8, 16, 32)), run.random.choice(tuple(ref.MODES))
        major = "mn" if bits == 16 and run.random.random() < 0.5 else "k"
        word = ref.smem_word(16 * run.random.randrange(1 << 12), 16 * run.random.randrange(1 << 8), 16 * run.random.randrange(1 << 8), mode, 0, False)
        cases.append((word, 8 * run.random.choice((1, 2, 8)), 256 // bits, bits, major, mode))
    made = [["map", f"{word:#x}", "--mma", f"{rows}x{ks}", "--dtype", DTYPES[bits][0], "--major", major, "--arch", "sm_90a"]
            for word, rows, ks, bits, major, _ in cases]
    for question, answer, case in zip(made, (yield made), cases):
        run.expect(question, result(answer)["addresses"], ref.word_reads(*case))


# ---- notations

def random_layout(rng):
    """A row- or column-major array, or blocks of its columns, with or without a swizzle of elements."""
    rows, cols = 8 << rng.randrange(4), 8 << rng.randrange(4)
    kind = rng.randrange(4)
    if kind == 0:
        text = f"({rows},{cols}):({cols},1)"
    elif kind == 1:
        text = f"({rows},{cols}):(1,{rows})"
    elif kind == 2:
        block = 8 << rng.randrange(2)
        text = f"({rows},({block},{max(1, cols // block)})):({block},(1,{rows * block}))"
    else:
        text = f"((8,{rows // 8}),{cols}):((1,{8 * cols}),8)"
    if rng.random() < 0.5:
        bits, base = rng.randint(1, 3), rng.randint(2, 3)
        text = f"Sw<{bits},{base},{rng.randint(bits, 4)}> o 0 o {text}"
    return text


@claims("translate: there and back is the same function", 900, "cute", "same")
def translate(run):
    texts = sorted({random_layout(run.random) for _ in range(run.count)})
    there = [["translate", text, "--dtype", "f16"] for text in texts]
    back, comparisons = [], []
    for question, answer in zip(there, (yield there)):
        layout = ref.CuteLayout(question[1])
        shape = f"{layout.extent(0)}x{layout.extent(1)}"
        for dialect, text in result(answer)["forms"].items():
            if not text or dialect in ("mosaic", "deepgemm", "tma", "mojo"):  # what these write says less than the layout
                continue
            back.append((layout, ["translate", text, "--from", dialect, "--to", "cute", "--dtype", "f16", "--shape", shape]))
            comparisons.append(["diff", question[1], f"{dialect}: {text}", "--dtype", "f16", "--shape", shape])
    answers = yield [question for _, question in back] + comparisons
    for (layout, question), answer in zip(back, answers):
        if "result" not in answer:
            run.fail(f"{question}: {answer}")
            continue
        told = ref.CuteLayout(result(answer)["forms"]["cute"])
        for row in range(layout.extent(0)):
            for col in range(layout.extent(1)):
                if told(row, col) != layout(row, col):
                    run.fail(f"{question}: ({row}, {col}) comes back as {told(row, col)}, not {layout(row, col)}")
                    break
            else:
                continue
            break
    for question, answer in zip(comparisons, answers[len(back):]):
        run.expect(question, result(answer).get("same", answer), True)


# ---- k loops

@claims("k loops: one verdict of decode, map and kernel", 1300, "loop/readings", "loop/mistakes/rule", "loops/readings")
def k_loop_verdicts(run):
    yield from k_loops.property_of(run, result)


# ---- tensor memory

@claims("tmem d: an element and its cell, both ways", 2600, "lane", "column", "row", "col", "cta")
def tmem_d(run):
    cases = []
    for _ in range(run.count):
        m, pair, ws = run.random.choice(((128, 1, False), (64, 1, False), (256, 2, False), (128, 2, False), (64, 1, True), (32, 1, True)))
        n = run.random.choice((64, 128, 256)) if ws else 32 * run.random.randint(1, 8)
        row, col = run.random.randrange(m), run.random.randrange(n)
        words = ["tmem", "d", "--m", m, "--n", n, "--cta-group", pair] + (["--ws"] if ws else [])
        cases.append((words, row, col, ref.accumulator(row, col, m, n, pair, ws)))
    there = [[*words, "--at", f"{row},{col}"] for words, row, col, _ in cases]
    back = [[*words, "--cta", cta, "--lane", lane, "--column", column] for words, _, _, (cta, lane, column) in cases]
    answers = yield there + back
    for question, answer, (_, row, col, cell) in zip(there, answers, cases):
        run.expect(question, tuple(result(answer).get(key) for key in ("cta", "lane", "column")), cell)
    for question, answer, (_, row, col, _) in zip(back, answers[len(there):], cases):
        run.expect(question, (result(answer).get("row"), result(answer).get("col")), (row, col))


@claims("tmem a: an element and its bits, both ways", 1800, "lanes", "column", "bits", "row", "k")
def tmem_a(run):
    cases = []
    for _ in range(run.count):
        dtype, bits = run.random.choice((("f16", 16), ("bf16", 16), ("tf32", 32), ("e4m3", 8), ("s8", 8)))
        k, row, column = run.random.randrange(256 // bits * 4), run.random.randrange(128), run.random.choice((0, 64, 128))
        cases.append((["tmem", "a", "--m", 128, "--dtype", dtype, "--column", column], row, k, column + k * bits // 32, k * bits % 32, bits))
    there = [[*words, "--at", f"{row},{k}"] for words, row, k, *_ in cases]
    back = [[*words, "--cell", f"{row},{column},{bit}"] for words, row, _, column, bit, _ in cases]
    answers = yield there + back
    for question, answer, (_, row, k, column, bit, bits) in zip(there, answers, cases):
        said = result(answer)
        run.expect(question, (said.get("lanes"), said.get("column"), said.get("bits")), ([row], column, [bit, bit + bits - 1]))
    for question, answer, (_, row, k, *_) in zip(back, answers[len(there):], cases):
        run.expect(question, (result(answer).get("row"), result(answer).get("k")), (row, k))


@claims("tmem cp: a row and its cells, both ways", 700, "lanes", "columns", "row")
def tmem_cp(run):
    cases = []
    for _ in range(run.count):
        shape = run.random.choice(tuple(ref.COPIES))
        lanes_of, rows, columns = ref.COPIES[shape]
        row = run.random.randrange(rows)
        cases.append((shape, row, lanes_of(row), columns, run.random.choice(lanes_of(row)), run.random.randrange(columns)))
    there = [["tmem", "cp", shape, "--row", row] for shape, row, *_ in cases]
    back = [["tmem", "cp", shape, "--cell", f"{lane},{column}"] for shape, _, _, _, lane, column in cases]
    answers = yield there + back
    for question, answer, (_, row, lanes, columns, *_) in zip(there, answers, cases):
        run.expect(question, (result(answer).get("lanes"), result(answer).get("columns")), (lanes, [0, columns - 1]))
    for question, answer, (_, row, *_) in zip(back, answers[len(there):], cases):
        run.expect(question, result(answer).get("row"), row)


# ---- scale factors, metadata, pairs, narrow types

@claims("sf place: a factor and its byte, both ways", 2400, "offset", "row", "kb")
def sf_place(run):
    cases = []
    for _ in range(run.count):
        layout, vec = run.random.choice(("128x4", "8x4", "linear", "deepgemm")), run.random.choice((16, 32))
        if layout == "deepgemm":
            vec = 32
        rows, kbs = 128 * run.random.randint(1, 3), 4 * run.random.randint(1, 16)
        row, k = run.random.randrange(rows), run.random.randrange(kbs * vec)
        offset = ref.scale_in_memory(layout, row, k // vec, rows, kbs)
        cases.append((["sf", "place", "--layout", layout, "--vec", vec, "--shape", f"{rows}x{kbs * vec}"], row, k, k // vec, offset))
    there = [[*words, "--at", f"{row},{k}"] for words, row, k, *_ in cases]
    back = [[*words, "--offset", offset] for words, *_, offset in cases]
    answers = yield there + back
    for question, answer, (_, row, k, kb, offset) in zip(there, answers, cases):
        run.expect(question, (result(answer).get("kb"), result(answer).get("offset")), (kb, offset))
    for question, answer, (_, row, k, kb, _) in zip(back, answers[len(there):], cases):
        run.expect(question, (result(answer).get("row"), result(answer).get("kb")), (row, kb))


@claims("sf tmem: a factor and its byte, both ways", 2000, "lanes", "column", "byte", "row", "kb")
def sf_tmem(run):
    cases = []
    for _ in range(run.count):
        kind, vec = run.random.choice((("mxf8f6f4", 32), ("mxf4", 32), ("mxf4nvf4", 16), ("mxf4nvf4", 32)))
        operand, n, column = run.random.choice("ab"), 32 * run.random.randint(1, 8), 4 * run.random.randint(0, 30)
        rows = 128 if operand == "a" else n
        row, kb = run.random.randrange(rows), run.random.randrange(8)
        words = ["sf", "tmem", "--kind", kind, "--vec", vec, "--operand", operand, "--m", 128, "--n", n, "--column", column]
        cases.append((words, row, kb, ref.scale_in_tmem(row, kb, rows, column)))
    there = [[*words, "--row", row, "--kb", kb] for words, row, kb, _ in cases]
    back = [[*words, "--cell", f"{lanes[0]},{column},{byte}"] for words, _, _, (lanes, column, byte) in cases]
    answers = yield there + back
    for question, answer, (*_, cell) in zip(there, answers, cases):
        run.expect(question, tuple(result(answer).get(key) for key in ("lanes", "column", "byte")), cell)
    for question, answer, (_, row, kb, _) in zip(back, answers[len(there):], cases):
        run.expect(question, (result(answer).get("row"), result(answer).get("kb")), (row, kb))


@claims("sparse: a chunk and its bits, both ways", 1800, "lanes", "column", "bits", "row", "k")
def sparse(run):
    cases = []
    for _ in range(run.count):
        row, k, mma = run.random.randrange(128), run.random.randrange(32), run.random.randrange(4)
        cases.append((["sparse", "--kind", "f16", "--mma", mma], row, k, ref.metadata_f16(row, k, mma)))
    there = [[*words, "--at", f"{row},{k}"] for words, row, k, _ in cases]
    back = [["sparse", "--kind", "f16", "--cell", f"{lane},{column},{bit + run.random.randrange(4)}"] for *_, (lane, column, bit) in cases]
    answers = yield there + back
    for question, answer, (*_, (lane, column, bit)) in zip(there, answers, cases):
        said = result(answer)
        run.expect(question, (said.get("lanes"), said.get("column"), said.get("bits")), ([lane], column, [bit, bit + 3]))
    for question, answer, (_, row, k, _) in zip(back, answers[len(there):], cases):
        run.expect(question, (result(answer).get("row"), result(answer).get("k")), (row, [k // 4 * 4, k // 4 * 4 + 3]))


@claims("sparse: every kind's chunk comes back from its bits", 1500, "lane", "column", "row")
def sparse_kinds(run):
    k_of = {"tf32": 16, "f16": 32, "f8f6f4": 64, "i8": 64, "mxf8f6f4": 64, "mxf4": 128, "mxf4nvf4": 128}
    there = []
    for _ in range(run.count):
        kind = run.random.choice(tuple(k_of))
        there.append(["sparse", "--kind", kind, "--at", f"{run.random.randrange(128)},{run.random.randrange(k_of[kind])}"])
    answers = yield there
    told = [(question, result(answer)) for question, answer in zip(there, answers)]
    back = [["sparse", "--kind", question[2], "--cell", f"{said['lane']},{said['column']},{said['bits'][0]}"] for question, said in told]
    for question, answer, (asked, _) in zip(back, (yield back), told):
        row, k = map(int, asked[4].split(","))
        found = result(answer)
        run.expect(question, (found["row"], found["k"][0] <= k <= found["k"][1]), (row, True))


@claims("pair: the CTA of an element", 1500, "cta", "row", "b_cta", "col")
def pair(run):
    questions, right = [], []
    for _ in range(run.count):
        m, n = run.random.choice((128, 256)), 32 * run.random.randint(1, 8)
        row, col = run.random.randrange(m), run.random.randrange(n)
        questions.append(["pair", "--m", m, "--n", n, "--at", f"{row},{col}"])
        right.append((row // (m // 2), row % (m // 2), col // (n // 2), col % (n // 2)))
    for question, answer, cell in zip(questions, (yield questions), right):
        run.expect(question, tuple(result(answer).get(key) for key in ("cta", "row", "b_cta", "col")), cell)


@claims("narrow: an element and its bits in each memory, both ways", 1300, "gmem/byte", "smem/byte", "tmem/column", "elements")
def narrow(run):
    cases = []
    for _ in range(run.count):
        kind, dtype, bits = run.random.choice((("mxf8f6f4", "e2m1", 4), ("f8f6f4", "e3m2", 6), ("f8f6f4", "e2m3", 6), ("mxf4", "e2m1", 4),
                                               ("f8f6f4", "e4m3", 8)))
        k = run.random.randrange(512)
        is_packed = kind == "mxf4" or bits == 8
        gmem = k * bits // 8
        smem = gmem if is_packed else k // 16 * 16 + k % 16 * bits // 8
        column = k * (4 if kind == "mxf4" else 8) // 32
        cases.append((["narrow", "--kind", kind, "--dtype", dtype], k, gmem, smem, column))
    there = [[*words, "--k", k] for words, k, *_ in cases]
    back = [[*words, option, at] for words, _, gmem, smem, column in cases for option, at in (("--gmem", gmem), ("--smem", smem), ("--tmem", column))]
    answers = yield there + back
    for question, answer, (_, k, gmem, smem, column) in zip(there, answers, cases):
        said = result(answer)
        run.expect(question, (said["gmem"]["byte"], said["smem"]["byte"], said["tmem"]["column"]), (gmem, smem, column))
    for i, (question, answer) in enumerate(zip(back, answers[len(there):])):
        if cases[i // 3][1] not in result(answer)["elements"]:
            run.fail(f"{question}: element {cases[i // 3][1]} is not among {result(answer)['elements']}")


# ---- fragments

def fragment_cases(rng):
    """(name, type, operand, coordinate, (thread, register, bit))"""
    kind = rng.randrange(5)
    if kind < 2:
        name, dtype, bits, ks = rng.choice((("m16n8k16", "f16", 16, 16), ("m16n8k8", "bf16", 16, 8), ("m16n8k16", "bf16", 16, 16), ("m16n8k8", "tf32", 32, 8),
                                            ("m16n8k4", "tf32", 32, 4), ("m16n8k32", "e4m3", 8, 32), ("m16n8k32", "s8", 8, 32), ("m16n8k16", "s8", 8, 16),
                                            ("m16n8k64", "s4", 4, 64)))
        row, k, n = rng.randrange(16), rng.randrange(ks), rng.randrange(8)
        operand = rng.choice("abd")
        at = {"a": (row, k), "b": (k, n), "d": (row, n)}[operand]
        cell = {"a": lambda: ref.mma_a(row, k, bits), "b": lambda: ref.mma_b(k, n, bits), "d": lambda: ref.mma_d(row, n)}[operand]()
        return f"mma.{name}", dtype, operand, at, cell
    if kind == 2:
        n = 8 * rng.randint(1, 32)
        row, col = rng.randrange(64), rng.randrange(n)
        return f"wgmma.m64n{n}k16", "bf16", "d", (row, col), ref.wgmma_d(row, col)
    if kind == 3:
        row, k = rng.randrange(64), rng.randrange(16)
        return "wgmma.m64n64k16", "f16", "a", (row, k), ref.wgmma_a(row, k, 16)
    x = rng.choice((1, 2, 4))
    row, col, is_transposed = rng.randrange(8 * x), rng.randrange(8), rng.random() < 0.5
    return rng.choice(("ldmatrix", "stmatrix")) + f".x{x}" + (".trans" if is_transposed else ""), None, None, (row, col), ref.ldmatrix(row, col, is_transposed)


@claims("frag: an element and its thread, both ways", 4200, "thread", "register", "register_bit", "at")
def frag(run):
    cases = [fragment_cases(run.random) for _ in range(run.count)]
    options = [["frag", name] + (["--dtype", dtype, "--operand", operand] if dtype else []) for name, dtype, operand, *_ in cases]
    there = [[*words, "--at", f"{at[0]},{at[1]}"] for words, (*_, at, _) in zip(options, cases)]
    back = [[*words, "--at-thread", f"{cell[0]},{cell[1]}"] for words, (*_, cell) in zip(options, cases)]
    answers = yield there + back
    for question, answer, (*_, cell) in zip(there, answers, cases):
        said = [(point["thread"], point["register"], point["register_bit"]) for point in result(answer)["points"]]
        run.expect(question, said, [cell])
    for question, answer, (*_, at, cell) in zip(back, answers[len(there):], cases):
        said = [point["at"] for point in result(answer)["points"] if point["register_bit"] == cell[2]]
        run.expect(question, said, [list(at)])


@claims("frag tcgen05: a register and its cell, both ways", 2200, "lane", "column", "thread", "register")
def frag_tmem(run):
    shapes = {"32x32b": (1, lambda t, r: (t, r)), "16x256b": (4, lambda t, r: (t // 4 + r // 2 % 2 * 8, t % 4 * 2 + r % 2 + r // 4 * 8)),
              "16x128b": (2, lambda t, r: (t // 4 + r % 2 * 8, t % 4 + r // 2 * 4))}
    cases = []
    for _ in range(run.count):
        shape = run.random.choice(tuple(shapes))
        each, cell = shapes[shape]
        x = run.random.choice((1, 2, 4, 8, 16))
        thread, register = run.random.randrange(32), run.random.randrange(each * x)
        cases.append((f"tcgen05.{run.random.choice(('ld', 'st'))}.{shape}.x{x}", thread, register, cell(thread, register)))
    there = [["frag", name, "--thread", thread, "--register", register] for name, thread, register, _ in cases]
    back = [["frag", name, "--lane", lane, "--column", column] for name, _, _, (lane, column) in cases]
    answers = yield there + back
    for question, answer, (*_, cell) in zip(there, answers, cases):
        run.expect(question, (result(answer).get("lane"), result(answer).get("column")), cell)
    for question, answer, (_, thread, register, _) in zip(back, answers[len(there):], cases):
        run.expect(question, (result(answer).get("thread"), result(answer).get("register")), (thread, register))


# ---- dumps

def identify_property(run, cases, values_of):
    """Each tile, filled by the formula and by what swz place says of its chunks, is identified exactly."""
    placed = yield [["place", *tile_words(tile, dtype)] for tile, dtype in cases]
    questions = []
    for i, ((tile, dtype), answer) in enumerate(zip(cases, placed)):
        values, step = values_of(tile, dtype), tile.bits // 8
        dumps = [tile.fill(values), bytearray(tile.rows * tile.cols * step)]
        for chunk in result(answer)["chunks"]:
            for j in range(16 // step):
                row, k = (chunk["row"], chunk["k"] + j) if tile.major == "k" else (chunk["row"] + j, chunk["k"])
                at = chunk["byte"] + j * step
                dumps[1][at:at + step] = values[row * tile.cols + k].to_bytes(step, "little")
        for source, dump in zip(("formula", "place"), dumps):
            path = Path(run.folder) / f"{run.function.__name__}_{i}_{source}.hex"
            path.write_text(bytes(dump).hex())
            questions.append(["identify", str(path), "--as", "hex", "--dtype", dtype, "--tile", f"{tile.rows}x{tile.cols}"])
    for i, (question, answer) in enumerate(zip(questions, (yield questions))):
        tile, said = cases[i // 2][0], result(answer)
        if said.get("exact") is not True:
            run.fail(f"{question}, mode {tile.mode} {tile.major}-major {tile.order}: not exact: {said.get('hypothesis') or answer.get('error')}")
            continue
        layout = ref.CuteLayout(said["layout"], tile.bits)
        wrong = [(row, k) for row in range(tile.rows) for k in range(tile.cols) if 8 * said["base"] + layout(row, k) * tile.bits != tile.bit(row, k)]
        if wrong:
            run.fail(f"{question}: by its layout {said['layout']} element {wrong[0]} lies elsewhere")


def dump_tiles(run, dtypes, most):
    cases = []
    while len(cases) < run.count:
        dtype, bits = run.random.choice(dtypes)
        tile = random_tile(run.random, bits, most=64)
        if tile.rows * tile.cols <= most(dtype):
            cases.append((tile, dtype))
    return cases


@claims("identify: every dump whose element i has the bits i", 260, "exact", "layout")
def identify_bits(run):
    cases = dump_tiles(run, (("f16", 16), ("bf16", 16), ("tf32", 32)), lambda _: 4096)
    yield from identify_property(run, cases, lambda tile, _: list(range(tile.rows * tile.cols)))


@claims("identify: every dump whose element i has the value i", 160, "exact", "layout")
def identify_values(run):
    cases = dump_tiles(run, (("f16", 16), ("bf16", 16), ("f32", 32)), lambda dtype: 2048)
    yield from identify_property(run, cases, lambda tile, dtype: [ref.float_bits(i, dtype) for i in range(tile.rows * tile.cols)])


# ---- runs

def leaves(value, key, path=()):
    """The paths of the scalars under a key; "loop/mistakes": only where it is under another one."""
    key, _, rest = key.partition("/")
    if rest:
        for way in containers(value, key, path):
            at = value
            for step in way[len(path):]:
                at = at[step]
            yield from leaves(at, rest, way)
        return
    if isinstance(value, dict):
        for name, one in value.items():
            yield from everything(one, (*path, name)) if name == key else leaves(one, key, (*path, name))
    elif isinstance(value, list):
        for i, one in enumerate(value):
            yield from leaves(one, key, (*path, i))


def containers(value, key, path):
    """The paths of the values under a key."""
    for name, one in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if name == key:
            yield (*path, name)
        else:
            yield from containers(one, key, (*path, name))


def everything(value, path):
    if isinstance(value, (dict, list)) and value:
        for name, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from everything(one, (*path, name))
    else:
        yield path


def altered(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, list):
        return [{"major": "K-major", "element_bits": None, "k_bytes": 32, "most_rows": None}]  # a reading, where there was none
    if isinstance(value, str) and value.startswith("0x"):
        return f"{int(value, 16) ^ 1 << 16:#0{len(value)}x}"
    return str(value).replace("8", "4") if "8" in str(value) else f"{value}x"


def notices(swz, name, key, attempt, folder):
    """Runs a property with one value under a key changed: whether it fails. None: no answer has the key."""
    rng, done = random.Random(f"{name} {key} {attempt}"), []

    def alter(_, answers):
        ways = [(i, path) for i, answer in enumerate(answers) for path in leaves(answer.get("result", {}), key)]
        if done or not ways or rng.random() < 0.4:  # of a later round
            return
        i, (*way, last) = rng.choice(ways)
        answers[i] = copy.deepcopy(answers[i])
        at = answers[i]["result"]
        for step in way:
            at = at[step]
        done.append(at[last])
        at[last] = altered(at[last])

    run = Run(name, 0.02, folder)
    run_all(swz, {name: run}, alter)
    return bool(run.failures) if done else None


def plant(swz, names, folder):
    """The number of keys of properties under which no change is noticed. Answers also hold what they repeat of the question and
    what a property does not read, so that several values are tried."""
    attempts, missed = 48, 0
    for name in names:
        for key in PROPERTIES[name][2]:
            if any(notices(swz, name, key, attempt, folder) for attempt in range(attempts)):
                continue
            missed += 1
            print(f"{name}: values under {key} were altered and no question noticed it")
    return missed


def main():
    parser = argparse.ArgumentParser(description="answers that have to agree with each other and with formulas")
    parser.add_argument("--swz", required=True)
    parser.add_argument("--only", default="", help="the properties whose name holds this")
    parser.add_argument("--plant", action="store_true", help="alter answers: the properties must notice")
    options = parser.parse_args()
    names = [name for name in PROPERTIES if options.only in name]
    with tempfile.TemporaryDirectory() as folder:
        if options.plant:
            missed = plant(options.swz, names, folder)
            print(f"{sum(len(PROPERTIES[name][2]) for name in names)} alterations, {missed} missed")
            sys.exit(1 if missed else 0)
        runs = {name: Run(name, 1, folder) for name in names}
        run_all(options.swz, runs)
    asked, failed = sum(run.asked for run in runs.values()), 0
    for name, run in runs.items():
        failed += bool(run.failures)
        print(f"{'FAILED' if run.failures else 'holds '} {run.asked:6} {name}")
        for failure in run.failures[:3]:
            print(f"    {failure[:600]}")
        if len(run.failures) > 3:
            print(f"    and {len(run.failures) - 3} more")
    print(f"{asked} questions")
    if not options.only and asked < 50000:
        print("fewer than 50000")
        failed += 1
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
